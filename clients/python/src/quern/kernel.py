"""A proved kernel as a function on arrays, without JAX."""

import concurrent.futures
import ctypes
import threading

from quern import abi, bundle, host, tensors
from quern.errors import QuernError


class Kernel:
    """Calls from several threads may run at once; the interpreter's lock is free meanwhile."""

    def __init__(self, contents, threads=1):
        host.check(contents.target, contents.features)
        self.bundle = contents
        self.library = abi.load(contents.binary, contents.binary_sha256)
        self._local = threading.local()
        self._parallel_for = abi.ParallelFor()
        if threads > 1:
            self._pool = concurrent.futures.ThreadPoolExecutor(threads, "quern-kernel")
            self._parallel_for = abi.ParallelFor(self._run_blocks)

    @property
    def inputs(self):
        return self.bundle.inputs

    @property
    def outputs(self):
        return self.bundle.outputs

    @property
    def assumptions(self):
        """What the proof takes for granted. Those on the values of inputs are the caller's to keep."""
        return tuple(self.bundle.certificate["assumptions"])

    def __repr__(self):
        arguments = ", ".join(map(str, self.inputs))
        results = ", ".join(map(str, self.outputs))
        return f"<quern kernel ({arguments}) -> ({results}), {self.bundle.certificate['verdict']}>"

    def __call__(self, *values, out=None, copy=True):
        """The results, a NumPy array or a tuple of several. `out` has an array for each result, which is written and
        returned instead. Inputs that are not compact and aligned are copied first, or, without `copy`, refused."""
        if len(values) != len(self.inputs):
            raise QuernError(f"the kernel takes {len(self.inputs)} arguments, not {len(values)}")
        arguments = [tensors.argument(value, spec, f"argument {i}", copy)
                     for i, (value, spec) in enumerate(zip(values, self.inputs))]
        results = self._results(out)
        made = [tensors.from_any(result) for result in results]
        self._run(arguments, made)
        return results[0] if len(results) == 1 else results

    def _results(self, out):
        if out is None:
            return tuple(tensors.aligned_empty(spec.shape, spec.element.dtype(), spec.alignment)
                         for spec in self.outputs)
        out = tuple(out) if isinstance(out, (tuple, list)) else (out,)
        if len(out) != len(self.outputs):
            raise QuernError(f"the kernel makes {len(self.outputs)} results, not {len(out)}")
        for i, (value, spec) in enumerate(zip(out, self.outputs)):
            tensors.argument(value, spec, f"out {i}", copy=False)
            if not getattr(getattr(value, "flags", None), "writeable", True):
                raise QuernError(f"out {i} is read-only")
        return out

    def _run(self, arguments, results):
        inputs = (abi.Tensor * len(arguments))(*(tensor for tensor, _ in arguments))
        outputs = (abi.Tensor * len(results))(*(tensor for tensor, _ in results))
        workspace = self._workspace()
        self.library.call(abi.Call(
            struct_size=ctypes.sizeof(abi.Call),
            inputs=inputs,
            num_inputs=len(inputs),
            outputs=outputs,
            num_outputs=len(outputs),
            workspace=workspace.ctypes.data,
            workspace_bytes=self.library.workspace_bytes,
            parallel_for=self._parallel_for,
        ))

    def _workspace(self):
        """This thread's."""
        if not hasattr(self._local, "workspace"):
            self._local.workspace = tensors.aligned_empty(
                (self.library.workspace_bytes,), "uint8", abi.WORKSPACE_ALIGNMENT)
        return self._local.workspace

    def _run_blocks(self, _, count, body, context):
        concurrent.futures.wait([self._pool.submit(body, context, i) for i in range(count)])


def load(folder, *, threads=1, allow_unproved=False):
    """The kernel of a bundle's folder. QuernError if a file differs from its digest, the certificate is about another
    binary or none of a proof, or this machine lacks what the kernel needs."""
    return Kernel(bundle.read(folder, allow_unproved), threads)
