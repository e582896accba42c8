"""bundle/quern_abi.h in ctypes, and the shared object of a bundle."""

import ctypes
import enum
import os
import threading

from quern.errors import QuernError

VERSION = 1
WORKSPACE_ALIGNMENT = 64


class Tensor(ctypes.Structure):
    """quern_tensor, which is DLPack's DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype_code", ctypes.c_uint8),
        ("dtype_bits", ctypes.c_uint8),
        ("dtype_lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


Body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
ParallelFor = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, Body, ctypes.c_void_p)


class Call(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("inputs", ctypes.POINTER(Tensor)),
        ("num_inputs", ctypes.c_int64),
        ("outputs", ctypes.POINTER(Tensor)),
        ("num_outputs", ctypes.c_int64),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_uint64),
        ("parallel_for", ParallelFor),
        ("pool", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
    ]


class Status(enum.IntEnum):
    OK = 0
    BAD_CALL = 1
    BAD_TENSOR = 2
    BAD_ALIGNMENT = 3
    OVERLAP = 4
    BAD_FP_STATE = 5


_MEANING = {
    Status.BAD_CALL: "the call does not fit the kernel",
    Status.BAD_TENSOR: "a tensor's shape, element type, strides or device differ from the program's",
    Status.BAD_ALIGNMENT: "a tensor is not aligned as the certificate assumes",
    Status.OVERLAP: "an output overlaps another tensor",
    Status.BAD_FP_STATE: "this thread does not round to nearest, or flushes subnormal numbers",
}


class Library:
    """A shared object, loaded from memory: the bytes that run are those that were checked."""

    def __init__(self, binary):
        # Never closed, nor is the library: another file of the same number would pass for this one.
        file = os.memfd_create("quern-kernel", os.MFD_CLOEXEC)
        with open(file, "wb", closefd=False) as stream:
            stream.write(binary)
        try:
            self._library = ctypes.CDLL(f"/proc/self/fd/{file}", mode=os.RTLD_NOW | os.RTLD_LOCAL)
            version = self._library.quern_abi_version
            workspace = self._library.quern_workspace_bytes
            self.run = self._library.quern_run
        except (OSError, AttributeError) as error:
            raise QuernError(f"not a kernel: {error}") from error
        version.restype = ctypes.c_uint32
        if version() != VERSION:
            raise QuernError(f"the kernel's ABI version is {version()}, this client's is {VERSION}")
        workspace.restype = ctypes.c_uint64
        self.workspace_bytes = workspace()
        self.run.argtypes = [ctypes.POINTER(Call)]
        self.run.restype = ctypes.c_int

    def call(self, call):
        status = self.run(ctypes.byref(call))
        if status != Status.OK:
            raise QuernError(_MEANING.get(status, f"the kernel returned {status}"))


_libraries = {}
_lock = threading.Lock()


def load(binary, sha256):
    """The library of these bytes, loaded once."""
    with _lock:
        if sha256 not in _libraries:
            _libraries[sha256] = Library(binary)
        return _libraries[sha256]
