"""The JAX primitive that stands for a kernel: on a CPU it is the kernel, through XLA's foreign function interface;
everywhere else, and under every transformation, it is the program that the kernel is proved equal to."""

import ctypes
import functools
import pathlib

import jax
import jax.extend.core
import numpy as np
from jax.interpreters import ad, batching, mlir

from quern.errors import QuernError

try:
    import jax.ffi as jax_ffi
except ImportError:
    import jax.extend.ffi as jax_ffi

_TARGET = "quern_kernel"
_ALIGNMENT = 64  # of XLA's buffers on a CPU

kernel_p = jax.extend.core.Primitive("quern_kernel")
kernel_p.multiple_results = True


def _call(jaxpr):
    return jax.extend.core.jaxpr_as_fun(jaxpr)


@functools.cache
def _library():
    library = ctypes.CDLL(str(pathlib.Path(__file__).parent / "libquern_ffi.so"))
    library.quern_ffi_add.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.quern_ffi_add.restype = None
    jax_ffi.register_ffi_target(_TARGET, jax_ffi.pycapsule(library.quern_ffi_run), platform="cpu")
    return library


def bind(kernel, jaxpr, kept, operands):
    """The kernel's results on `operands`, those of the closed `jaxpr`; the kernel takes the `kept` ones of them."""
    return kernel_p.bind(*operands, jaxpr=jaxpr, kept=kept, binary=kernel.bundle.binary_sha256,
                         workspace_bytes=kernel.library.workspace_bytes)


def register(kernel):
    """Makes the kernel known to XLA in this process. QuernError if it wants more alignment than XLA gives."""
    alignment = max(spec.alignment for spec in (*kernel.inputs, *kernel.outputs))
    if alignment > _ALIGNMENT:
        raise QuernError(f"the kernel wants tensors aligned to {alignment} bytes, XLA aligns to {_ALIGNMENT}")
    run = ctypes.cast(kernel.library.run, ctypes.c_void_p)
    _library().quern_ffi_add(kernel.bundle.binary_sha256.encode(), run)


def _run(*operands, jaxpr, **_):
    return _call(jaxpr)(*operands)


def _abstract(*_, jaxpr, **__):
    return [jax.core.ShapedArray(aval.shape, aval.dtype, aval.weak_type) for aval in jaxpr.out_avals]


def _lower(context, *operands, jaxpr, **_):
    return mlir.lower_fun(_call(jaxpr), multiple_results=True)(context, *operands)


def _lower_on_cpu(context, *operands, kept, binary, workspace_bytes, **_):
    workspace = jax.core.ShapedArray((workspace_bytes,), np.dtype("uint8"))
    context = context.replace(avals_in=[context.avals_in[i] for i in kept],
                              avals_out=[*context.avals_out, workspace])
    return jax_ffi.ffi_lowering(_TARGET)(context, *(operands[i] for i in kept), binary=binary)[:-1]


def _differentiate(primals, tangents, *, jaxpr, **_):
    return jax.jvp(_call(jaxpr), tuple(primals), tuple(map(ad.instantiate_zeros, tangents)))


def _vectorize(operands, axes, *, jaxpr, **_):
    results = jax.vmap(_call(jaxpr), in_axes=tuple(axes))(*operands)
    return results, [0] * len(results)


kernel_p.def_impl(_run)
kernel_p.def_abstract_eval(_abstract)
mlir.register_lowering(kernel_p, _lower)
mlir.register_lowering(kernel_p, _lower_on_cpu, platform="cpu")
ad.primitive_jvps[kernel_p] = _differentiate
batching.primitive_batchers[kernel_p] = _vectorize
