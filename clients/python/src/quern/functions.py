"""JAX functions that run as proved kernels where there are some, and as XLA's where there are none."""

import concurrent.futures
import dataclasses
import functools
import hashlib
import threading
import warnings

import jax
import jax.export
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from quern import primitive, search
from quern.errors import QuernError, QuernWarning
from quern.kernel import Kernel
from quern.options import Options

_AT_ONCE = 16  # searches that a coordinator is asked for
_asking = threading.BoundedSemaphore(_AT_ONCE)


@dataclasses.dataclass
class _Program:
    """A function for arguments of certain shapes and types, and whether there is a kernel for it."""

    jaxpr: object  # closed, of the flattened arguments
    done: threading.Event = dataclasses.field(default_factory=threading.Event)
    kernel: Kernel | None = None
    kept: tuple = ()  # the arguments that the kernel takes
    error: Exception | None = None

    def export(self):
        """StableHLO, which takes the arguments that matter."""
        arguments = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in self.jaxpr.in_avals]
        call = jax.jit(jax.extend.core.jaxpr_as_fun(self.jaxpr))
        exported = jax.export.export(call, platforms=["cpu"])(*arguments)
        self.kept = tuple(exported.module_kept_var_idx)
        return exported.mlir_module_serialized

    def find(self, options):
        """Searches; what goes wrong is in `error`."""
        try:
            if jax.default_backend() != "cpu":
                raise QuernError(f"kernels are made for JAX on a CPU, not on {jax.default_backend()}")
            with _asking:
                kernel = Kernel(search.optimize(self.export(), options))
            primitive.register(kernel)
            self._try(kernel)
            self.kernel = kernel
        except Exception as error:  # whatever it is: the function runs without
            self.error = error

    def _try(self, kernel):
        """Runs it once, as XLA will: what fails here fails nobody's call."""
        zeros = [jnp.zeros(aval.shape, aval.dtype) for aval in self.jaxpr.in_avals]
        results = jax.jit(functools.partial(primitive.bind, kernel, self.jaxpr, self.kept))(zeros)
        jax.block_until_ready(results)


class Function:
    """A jitted function. `seek` tells whether calls with new shapes start searches; they never wait for them."""

    def __init__(self, function, options, seek, jit_options):
        functools.update_wrapper(self, function)
        self._function = function
        self._options = options
        self._seek = seek
        self._jit_options = jit_options
        self._programs = {}
        self._lock = threading.Lock()
        self._warned = False
        self._renew()

    def __call__(self, *args, **kwargs):
        return self._jitted(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def lower(self, *args, **kwargs):
        return self._jitted.lower(*args, **kwargs)

    def wait(self, timeout=None):
        """Until the searches so far have ended; whether they have."""
        with self._lock:
            programs = list(self._programs.values())
        return all([program.done.wait(timeout) for program in programs])

    @property
    def kernels(self):
        """Those that were found."""
        with self._lock:
            return [program.kernel for program in self._programs.values() if program.kernel is not None]

    @property
    def errors(self):
        """Why there are no others."""
        with self._lock:
            return [program.error for program in self._programs.values() if program.error is not None]

    def find(self, *args, **kwargs):
        """Searches for a kernel for such arguments, and returns when that has ended."""
        searches = []
        jax.eval_shape(functools.partial(self._trace, searches.append), *args, **kwargs)
        for program in searches:
            self._find(program)

    def _renew(self):
        """Makes jax.jit trace again, to see the new kernels."""
        seek = self._find_soon if self._seek else None
        self._jitted = jax.jit(functools.wraps(self._function)(functools.partial(self._trace, seek)),
                               **self._jit_options)

    def _find_soon(self, program):
        threading.Thread(target=self._find, args=[program], name="quern-search", daemon=True).start()

    def _find(self, program):
        try:
            program.find(self._options)
            if program.error is None:
                self._renew()
            else:
                self._warn(program.error)
        finally:
            program.done.set()

    def _warn(self, error):
        with self._lock:
            warned, self._warned = self._warned, True
        if not warned:
            name = getattr(self._function, "__name__", "a function")
            warnings.warn(f"{name} runs without quern: {error}", QuernWarning, stacklevel=2)

    def _trace(self, seek, *args, **kwargs):
        """What jax.jit traces. `seek` is called with a program that is new, None if those are not wanted."""
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        is_operand = [isinstance(leaf, (jax.Array, np.ndarray)) for leaf in leaves]
        operands = [leaf for leaf, operand in zip(leaves, is_operand) if operand]
        structure = None

        def flat(*operands):
            nonlocal structure
            rest = iter(operands)
            args, kwargs = jax.tree_util.tree_unflatten(
                tree, [next(rest) if operand else leaf for leaf, operand in zip(leaves, is_operand)])
            results, structure = jax.tree_util.tree_flatten(self._function(*args, **kwargs))
            return results

        jaxpr = jax.make_jaxpr(flat)(*operands)
        program = self._program(jaxpr, seek)
        if program is None or program.kernel is None:
            results = jax.extend.core.jaxpr_as_fun(jaxpr)(*operands)
        else:
            results = primitive.bind(program.kernel, jaxpr, program.kept, operands)
        return jax.tree_util.tree_unflatten(structure, results)

    def _program(self, jaxpr, seek):
        key = _key(jaxpr)
        if key is None:
            return None
        with self._lock:
            if key in self._programs or seek is None:
                return self._programs.get(key)
            program = self._programs[key] = _Program(jaxpr)
        seek(program)
        return program


def _key(jaxpr):
    """Equal for equal programs; None if no kernel can do its work."""
    constants = jaxpr.consts
    if jaxpr.effects or any(isinstance(constant, jax.core.Tracer) for constant in constants):
        return None
    if sum(constant.nbytes for constant in constants) > search.MODULE_LIMIT:
        return None
    digests = [hashlib.sha256(np.asarray(constant).tobytes()).digest() for constant in constants]
    return str(jaxpr.jaxpr), *digests


def jit(function=None, *, jit_options=None, **options):
    """jax.jit, and a search for a proved kernel for each new set of shapes. Calls run XLA's code until the kernel is
    there, and for good if there is none, with one warning. `jit_options` go to jax.jit, the others are Options'."""
    if function is None:
        return functools.partial(jit, jit_options=jit_options, **options)
    return Function(function, Options(**options), seek=True, jit_options=jit_options or {})


def optimize(function, *args, **options):
    """Searches for a proved kernel of `function` for arguments such as `args`, arrays or jax.ShapeDtypeStructs, and
    returns when there is one or none: a jitted function that runs it, or XLA's code, with a warning."""
    found = Function(function, Options(**options), seek=False, jit_options={})
    try:
        found.find(*args)
    except QuernError as error:
        found._warn(error)
    return found


def optimize_all(batch, **options):
    """`optimize` of each (function, *args) of the batch. A coordinator is asked for all at once, and joins those that
    are equal."""
    with concurrent.futures.ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda item: optimize(*item, **options), batch))
