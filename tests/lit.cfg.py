# Tests of whole tools: IR through quern-opt and quern-lower, the command line through quern.
# One test: lit -v build/tests --filter NAME      All: ctest --test-dir build -R lit

import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "quern"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_root, "tests", "out")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.build_root, "bin"), config.llvm_bin, os.environ["PATH"]]
)
# Each run has a cache of its own; a test that needs an empty one sets QUERN_CACHE itself.
config.environment["QUERN_CACHE"] = os.path.join(config.build_root, "tests", "out", "cache")
config.substitutions.append(("%examples", os.path.join(config.source_root, "examples")))
if os.path.exists(os.path.join(config.build_root, "bin", "quern")):
    config.available_features.add("quern")
# Where the shared test data would be; a test that uses it says REQUIRES: shared.
shared = os.environ.get("QUERN_SHARED", os.path.join(config.source_root, "..", "shared"))
if os.path.isdir(os.path.join(shared, "data")):
    config.available_features.add("shared")
config.substitutions.append(("%shared", shared))
# %exits CODE COMMAND: holds if the command exits with that code.
config.substitutions.append(
    ("%exits", "sh " + os.path.join(config.test_source_root, "cli", "inputs", "exits.sh"))
)
config.substitutions.append(("%{path}", config.environment["PATH"]))
config.substitutions.append(("%{python}", sys.executable))
# Whether a test may limit its address space: the sanitizers reserve terabytes of it.
if not config.sanitizers:
    config.available_features.add("address-space")
# Whether it may mount file systems, in a name space of its own.
mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
if shutil.which("unshare") and subprocess.run(mount, capture_output=True).returncode == 0:
    config.available_features.add("mount")
# A host whose widest vectors are AVX2's, for tests that look at its instructions.
if os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as cpuinfo:
        flags = set(cpuinfo.read().split())
    if {"avx2", "fma"} <= flags and "avx512f" not in flags:
        config.available_features.add("x86-avx2")
