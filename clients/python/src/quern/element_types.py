"""Element types by StableHLO's name, as bundle/element_types.def lists them."""

import dataclasses

import numpy as np

from quern.errors import QuernError


@dataclasses.dataclass(frozen=True)
class ElementType:
    name: str  # StableHLO's
    numpy: str  # NumPy's or ml_dtypes'
    code: int  # DLPack's
    bits: int

    def dtype(self):
        """The NumPy dtype; of the same size, unsigned, if only ml_dtypes has it and it is not there."""
        try:
            return np.dtype(self.numpy)
        except TypeError:
            pass
        try:
            import ml_dtypes
        except ImportError:
            return np.dtype(f"uint{self.bits}")
        return np.dtype(getattr(ml_dtypes, self.numpy))


# Those that kernels are made for and that lie in memory as XLA keeps them, which packs i4.
_TYPES = [
    ElementType("i1", "bool", 6, 8),
    ElementType("i8", "int8", 0, 8),
    ElementType("i16", "int16", 0, 16),
    ElementType("i32", "int32", 0, 32),
    ElementType("i64", "int64", 0, 64),
    ElementType("ui8", "uint8", 1, 8),
    ElementType("ui16", "uint16", 1, 16),
    ElementType("ui32", "uint32", 1, 32),
    ElementType("ui64", "uint64", 1, 64),
    ElementType("f16", "float16", 2, 16),
    ElementType("f32", "float32", 2, 32),
    ElementType("f64", "float64", 2, 64),
    ElementType("bf16", "bfloat16", 4, 16),
    ElementType("f8E3M4", "float8_e3m4", 7, 8),
    ElementType("f8E4M3", "float8_e4m3", 8, 8),
    ElementType("f8E4M3B11FNUZ", "float8_e4m3b11fnuz", 9, 8),
    ElementType("f8E4M3FN", "float8_e4m3fn", 10, 8),
    ElementType("f8E4M3FNUZ", "float8_e4m3fnuz", 11, 8),
    ElementType("f8E5M2", "float8_e5m2", 12, 8),
    ElementType("f8E5M2FNUZ", "float8_e5m2fnuz", 13, 8),
]
_BY_NAME = {element.name: element for element in _TYPES}
_BY_NUMPY = {element.numpy: element for element in _TYPES}


def named(name):
    if name not in _BY_NAME:
        raise QuernError(f"elements of {name} cannot be passed from Python")
    return _BY_NAME[name]


def of(dtype):
    """The element type of a NumPy dtype."""
    name = np.dtype(dtype).name
    if name not in _BY_NUMPY:
        raise QuernError(f"elements of {name} cannot be passed to a kernel")
    return _BY_NUMPY[name]
