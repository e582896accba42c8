"""Whether this machine has the instructions that a kernel uses."""

import functools
import platform

from quern.errors import QuernError

# LLVM's names of features that the kernel's list in /proc/cpuinfo calls otherwise.
_LINUX_NAMES = {
    "bmi": "bmi1",
    "crc32": "sse42",
    "lzcnt": "abm",
    "pclmul": "pclmulqdq",
    "prfchw": "3dnowprefetch",
    "rdrnd": "rdrand",
    "sahf": "lahflm",
    "sha": "shani",
    "sse3": "pni",
}
# What every x86-64 has, and what no compiled kernel uses.
_IGNORED = {"64bit", "clzero", "invpcid", "mwaitx", "pku", "ptwrite", "rdpid", "rdpru", "shstk", "wbnoinvd"}


def _plain(name):
    return name.replace("_", "").replace(".", "").replace("-", "")


@functools.cache
def _flags():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("flags"):
                return frozenset(map(_plain, line.split(":", 1)[1].split()))
    return frozenset()


def missing(features):
    """Those of LLVM's comma-separated "+feature" that this CPU lacks."""
    wanted = [feature[1:] for feature in features.split(",") if feature.startswith("+")]
    return [name for name in wanted
            if name not in _IGNORED and _plain(_LINUX_NAMES.get(name, name)) not in _flags()]


def check(target, features):
    """QuernError unless code for that target runs here."""
    if target != platform.machine():
        raise QuernError(f"the kernel is for {target}, this machine is {platform.machine()}")
    lacking = missing(features)
    if lacking:
        raise QuernError(f"the kernel was made for a CPU with {', '.join(lacking)}, which this one lacks")
