"""Makes what the package's Python files cannot be written without: the API's messages and stubs, from proto/, and
the library that XLA calls, from ffi.cc."""

import importlib.util
import os
import pathlib
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).parent.resolve()
ROOT = HERE.parent.parent
PROTOS = ["quern/v1/jobs.proto"]


def make_stubs(folder):
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'proto'}", f"--python_out={folder}",
         f"--grpc_python_out={folder}", *PROTOS],
        check=True)


def make_library(folder):
    jaxlib = pathlib.Path(importlib.util.find_spec("jaxlib").origin).parent
    compiler = os.environ.get("CXX", "c++")
    subprocess.run(
        [compiler, "-std=c++20", "-O2", "-Wall", "-fPIC", "-shared", "-fvisibility=hidden", "-static-libstdc++",
         "-static-libgcc", "-isystem", jaxlib / "include", f"-I{ROOT}", HERE / "ffi.cc", "-o",
         folder / "libquern_ffi.so"],
        check=True)


class Build(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            raise SystemExit("an editable install would write what is generated among the sources: install the wheel")
        make_stubs(pathlib.Path(self.build_lib))
        make_library(pathlib.Path(self.build_lib) / "quern")


class Wheel(bdist_wheel):
    """Any Python 3 of this platform: nothing is linked with Python."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=PlatformDistribution)
