"""NumPy arrays and DLPack tensors as the kernel's C interface takes them."""

import ctypes

import numpy as np

from quern import element_types
from quern.abi import Tensor
from quern.errors import QuernError

_CPU = 1  # of DLDeviceType


class _Managed(ctypes.Structure):
    """The beginning of DLManagedTensor."""

    _fields_ = [("tensor", Tensor)]


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_get_pointer.restype = ctypes.c_void_p


def aligned_empty(shape, dtype, alignment):
    """An uninitialised array whose first element's address is a multiple of `alignment`."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw = np.empty(size + alignment, np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start : start + size].view(dtype).reshape(shape)


def from_numpy(array):
    """(tensor, what must live as long as it)."""
    element = element_types.of(array.dtype)
    if not array.dtype.isnative:
        raise QuernError("elements are not in this machine's byte order")
    if any(stride % array.itemsize for stride in array.strides):
        raise QuernError("strides are not multiples of the element's size")
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = (ctypes.c_int64 * array.ndim)(*(stride // array.itemsize for stride in array.strides))
    tensor = Tensor(
        data=array.ctypes.data,
        device_type=_CPU,
        ndim=array.ndim,
        dtype_code=element.code,
        dtype_bits=element.bits,
        dtype_lanes=1,
        shape=ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)),
        strides=ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)),
    )
    return tensor, (array, shape, strides)


def from_dlpack(value):
    try:
        capsule = value.__dlpack__()
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise QuernError(f"it does not give its elements: {error}") from error
    managed = ctypes.cast(_get_pointer(capsule, b"dltensor"), ctypes.POINTER(_Managed)).contents
    # The capsule, which is not consumed, frees the tensor when it dies.
    return managed.tensor, (capsule, value)


def from_any(value):
    if isinstance(value, np.ndarray):
        return from_numpy(value)
    if hasattr(value, "__dlpack__"):
        return from_dlpack(value)
    return from_numpy(np.asarray(value))


def _is_compact(tensor):
    expected = 1
    for axis in reversed(range(tensor.ndim)):
        if tensor.shape[axis] != 1 and tensor.strides[axis] != expected:
            return False
        expected *= tensor.shape[axis]
    return True


def _copy(tensor, spec):
    """The elements in an aligned, compact array."""
    array = aligned_empty(spec.shape, spec.element.dtype(), spec.alignment)
    if array.size == 0:
        return array
    size = spec.element.bits // 8
    strides = [tensor.strides[axis] * size for axis in range(tensor.ndim)] if tensor.strides else None
    # `tensor` may begin with its highest address; NumPy wants the whole extent.
    low = sum(min(0, stride * (extent - 1)) for stride, extent in zip(strides or (), spec.shape))
    high = sum(max(0, stride * (extent - 1)) for stride, extent in zip(strides or (), spec.shape))
    extent = spec.nbytes if strides is None else high - low + size
    start = tensor.data + tensor.byte_offset + low
    memory = (ctypes.c_uint8 * extent).from_address(start)
    array[...] = np.ndarray(spec.shape, array.dtype, memory, offset=-low, strides=strides)
    return array


def check(tensor, spec, what):
    """QuernError unless shape, elements and device are those of `spec`."""
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    if tensor.device_type != _CPU:
        raise QuernError(f"{what} is not in the CPU's memory")
    if shape != spec.shape:
        raise QuernError(f"{what} has shape {shape}, the kernel takes {spec}")
    if (tensor.dtype_code, tensor.dtype_bits, tensor.dtype_lanes) != (spec.element.code, spec.element.bits, 1):
        raise QuernError(f"{what} has elements of another type; the kernel takes {spec}")


def fits(tensor, spec):
    """Whether the elements lie as the certificate assumes: compact, and aligned."""
    compact = not tensor.strides or _is_compact(tensor)
    return spec.nbytes == 0 or (compact and ((tensor.data or 0) + tensor.byte_offset) % spec.alignment == 0)


def argument(value, spec, what, copy):
    """`value` as the kernel takes it: (tensor, what must live as long). Copied if it must be; then QuernError unless
    `copy`."""
    try:
        tensor, owner = from_any(value)
    except QuernError as error:
        raise QuernError(f"{what}: {error}") from error
    check(tensor, spec, what)
    if fits(tensor, spec):
        return tensor, owner
    if not copy:
        raise QuernError(f"{what} is not compact and aligned to {spec.alignment} bytes")
    return from_numpy(_copy(tensor, spec))
