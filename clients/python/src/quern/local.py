"""A search by the program `quern` on this machine."""

import atexit
import subprocess
import tempfile
import threading
import weakref

from quern import bundle
from quern.errors import QuernError

# Searches measure: one at a time.
_turn = threading.Lock()
_running = weakref.WeakSet()


@atexit.register
def _end_all():
    for process in list(_running):
        process.kill()


def _words(options, spec, out):
    words = [options.program(), "optimize", spec, "--out", out, "--budget", f"{options.budget:f}s",
             "--semantics", options.semantics, "--error-ratio", str(options.error_ratio),
             "--threads", str(options.threads), "--seed", str(options.seed)]
    if options.candidates is not None:
        words += ["--candidates", str(options.candidates)]
    for condition in options.assume:
        words += ["--assume", condition]
    return words if options.cache else [*words, "--no-cache"]


def optimize(module, options):
    """The bundle of a kernel for the module. QuernError if nothing is proved, or quern fails."""
    with _turn, tempfile.TemporaryDirectory(prefix="quern-") as folder:
        spec, out = f"{folder}/module.mlir", f"{folder}/bundle"
        with open(spec, "wb") as file:
            file.write(module)
        process = subprocess.Popen(_words(options, spec, out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, errors="replace")
        _running.add(process)
        with process:
            complaint = process.communicate()[1].strip().splitlines()[-1:]
        if process.returncode != 0:
            raise QuernError(" ".join(complaint) or f"quern ended with {process.returncode}")
        return bundle.read(out)
