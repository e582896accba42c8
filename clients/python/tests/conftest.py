"""The programs under test are in the folder QUERN_BIN."""

import os
import pathlib
import subprocess
import warnings

import pytest

import quern

BIN = pathlib.Path(os.environ.get("QUERN_BIN", "build/bin")).resolve()
TRIES = 8  # a busy machine disturbs the clock of a measurement, which then is none


@pytest.fixture(scope="session", autouse=True)
def environment(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("QUERN", str(BIN / "quern"))
    patch.setenv("QUERN_CACHE", str(tmp_path_factory.mktemp("cache")))
    patch.delenv("QUERN_SERVER", raising=False)
    yield
    patch.undo()


@pytest.fixture(scope="session")
def make_bundle(environment, tmp_path_factory):
    """A function from StableHLO to the folder of a bundle."""

    def make(program, *words):
        folder = tmp_path_factory.mktemp("bundle")
        (folder / "spec.mlir").write_text(program)
        for _ in range(TRIES):
            run = subprocess.run([BIN / "quern", "optimize", folder / "spec.mlir", "--candidates", "2", "--out",
                                  folder / "kernel", *words], capture_output=True, text=True, timeout=120)
            if run.returncode == 0:
                return folder / "kernel"
            assert "clock" in run.stderr, run.stderr
        raise AssertionError(run.stderr)

    return make


@pytest.fixture(scope="session")
def matmul(make_bundle):
    return make_bundle("""
        func.func @main(%a: tensor<24x20xf32>, %b: tensor<20x32xf32>) -> tensor<24x32xf32> {
          %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
              : (tensor<24x20xf32>, tensor<20x32xf32>) -> tensor<24x32xf32>
          return %0 : tensor<24x32xf32>
        }""")


@pytest.fixture(scope="session")
def found(environment):
    """A function that calls `make` until the quern.Function that it returns has a kernel."""

    def repeat(make):
        for _ in range(TRIES):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", quern.QuernWarning)
                function = make()
                assert function.wait(120)
            if function.kernels:
                return function
            assert any("clock" in str(error) for error in function.errors), function.errors
        raise AssertionError(function.errors)

    return repeat
