import concurrent.futures
import os
import subprocess
import sys

import numpy as np
import pytest

import quern
from quern import tensors


def arrays(seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((24, 20), np.float32), random.standard_normal((20, 32), np.float32)


def aligned(array, offset=0):
    """A copy whose address is `offset` past a multiple of 64."""
    raw = tensors.aligned_empty((array.nbytes + 64,), np.uint8, 64)
    copy = raw[offset : offset + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.fixture(scope="session")
def kernel(matmul):
    return quern.load(matmul)


def expect_product(result, a, b):
    np.testing.assert_allclose(result, a @ b, rtol=1e-5, atol=1e-5)


def test_computes(kernel):
    a, b = arrays()
    result = kernel(a, b)
    assert result.dtype == np.float32 and result.ctypes.data % 64 == 0
    expect_product(result, a, b)


@pytest.mark.parametrize("offset", [0, 4, 16, 60])
def test_takes_any_alignment_by_copying(kernel, offset):
    a, b = (aligned(array, offset) for array in arrays())
    expect_product(kernel(a, b), a, b)
    if offset == 0:
        expect_product(kernel(a, b, copy=False), a, b)
    else:
        with pytest.raises(quern.QuernError, match="argument 0 is not compact and aligned to 64 bytes"):
            kernel(a, b, copy=False)


def test_takes_any_strides_by_copying(kernel):
    a, b = arrays()
    backwards = np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1]
    spread = np.zeros((40, 96), np.float32)[::2, ::3]
    spread[...] = b
    expect_product(kernel(backwards, spread), a, b)
    expect_product(kernel(np.asfortranarray(a), np.broadcast_to(b[:1], b.shape)), a, np.broadcast_to(b[:1], b.shape))
    with pytest.raises(quern.QuernError, match="argument 1 is not compact"):
        kernel(aligned(a), spread, copy=False)


def test_refuses_what_does_not_fit(kernel):
    a, b = arrays()
    for values, message in [
        ((a,), "takes 2 arguments, not 1"),
        ((a, b.T), r"argument 1 has shape \(32, 20\), the kernel takes f32\[20,32\]"),
        ((a.astype(np.float64), b), "argument 0 has elements of another type"),
        ((a.view(np.int32), b), "argument 0 has elements of another type"),
        ((a.astype(np.complex64), b), "argument 0: elements of complex64"),
        ((a.astype(">f4"), b), "argument 0: .*byte order"),
        ((a, "text"), "argument 1: elements of str"),
    ]:
        with pytest.raises(quern.QuernError, match=message):
            kernel(*values)


def test_writes_into_what_it_is_given(kernel):
    a, b = arrays()
    out = quern.aligned_empty((24, 32), np.float32, 64)
    assert kernel(a, b, out=out) is out
    expect_product(out, a, b)
    frozen = quern.aligned_empty((24, 32), np.float32, 64)
    frozen.flags.writeable = False
    for bad, message in [(aligned(out, 4), "out 0 is not compact and aligned"), (frozen, "read-only"),
                         (out[:, ::2], "shape"), ((out, out), "makes 1 results, not 2")]:
        with pytest.raises(quern.QuernError, match=message):
            kernel(a, b, out=bad)


def test_refuses_an_output_that_overlaps_an_input(kernel):
    memory = quern.aligned_empty((24 * 20 + 24 * 32,), np.float32, 64)
    a, b = memory[: 24 * 20].reshape(24, 20), aligned(arrays()[1])
    kernel(a, b, out=memory[24 * 20 :].reshape(24, 32), copy=False)
    with pytest.raises(quern.QuernError, match="overlaps"):
        kernel(a, b, out=memory[24 * 20 - 16 : -16].reshape(24, 32), copy=False)


class Foreign:
    """Elements that only DLPack can reach."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **_):
        return self._array.__dlpack__()


def test_takes_dlpack(kernel):
    a, b = (aligned(array) for array in arrays())
    expect_product(kernel(Foreign(a), Foreign(b), copy=False), a, b)
    expect_product(kernel(Foreign(np.asfortranarray(a)), b), a, b)
    out = quern.aligned_empty((24, 32), np.float32, 64)
    kernel(a, b, out=Foreign(out))
    expect_product(out, a, b)


def test_keeps_the_memory_of_dlpack_tensors_until_it_has_run(kernel):
    a, b = arrays()
    for _ in range(50):
        expect_product(kernel(Foreign(aligned(a)), Foreign(aligned(b))), a, b)


def test_runs_on_several_threads(make_bundle):
    kernel = quern.load(make_bundle("""
        func.func @main(%a: tensor<128x256xf32>) -> (tensor<128x256xf32>, tensor<256x128xf32>) {
          %0 = stablehlo.add %a, %a : tensor<128x256xf32>
          %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<128x256xf32>) -> tensor<256x128xf32>
          return %0, %1 : tensor<128x256xf32>, tensor<256x128xf32>
        }""", "--threads", "2"), threads=2)
    a = np.random.default_rng(0).standard_normal((128, 256), np.float32)
    for _ in range(20):
        double, transposed = kernel(a)
        np.testing.assert_array_equal(double, a + a)
        np.testing.assert_array_equal(transposed, a.T)


def test_is_called_from_several_threads(kernel):
    def check(seed):
        a, b = arrays(seed)
        expect_product(kernel(a, b), a, b)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(check, range(200)))


def test_takes_element_types_that_numpy_lacks(make_bundle):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kernel = quern.load(make_bundle("""
        func.func @main(%a: tensor<8xbf16>, %b: tensor<8xi1>) -> tensor<8xbf16> {
          %0 = stablehlo.negate %a : tensor<8xbf16>
          %1 = stablehlo.select %b, %a, %0 : tensor<8xi1>, tensor<8xbf16>
          return %1 : tensor<8xbf16>
        }"""))
    a, b = np.arange(8).astype(ml_dtypes.bfloat16), np.arange(8) % 3 == 0
    np.testing.assert_array_equal(kernel(a, b), np.where(b, a, -a))


def test_needs_neither_jax_nor_grpc(matmul):
    program = ("import sys, quern; quern.load(sys.argv[1]); "
               "sys.exit(sorted({'jax', 'grpc', 'ml_dtypes'} & set(sys.modules)) or 0)")
    run = subprocess.run([sys.executable, "-c", program, matmul], env=os.environ, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
