"""quern: fast, proved kernels. `load` runs a bundle on NumPy and DLPack tensors; `jit`, `optimize` and `optimize_all`
put kernels into JAX."""

import importlib

from quern.errors import QuernError, QuernWarning
from quern.kernel import Kernel, load
from quern.options import Options
from quern.tensors import aligned_empty

__all__ = ["Function", "Kernel", "Options", "QuernError", "QuernWarning", "aligned_empty", "jit", "load", "optimize",
           "optimize_all"]

_OF_JAX = {"Function", "jit", "optimize", "optimize_all"}


def __getattr__(name):  # JAX only for those who use it
    if name not in _OF_JAX:
        raise AttributeError(f"module 'quern' has no attribute {name!r}")
    return getattr(importlib.import_module("quern.functions"), name)
