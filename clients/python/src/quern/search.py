"""From a module to the bundle of a proved kernel for it, by whoever searches."""

from quern import local
from quern.errors import QuernError

MODULE_LIMIT = 16 << 20  # bytes that a coordinator takes


def optimize(module, options):
    """QuernError if there is none."""
    if options.server is None:
        found = local.optimize(module, options)
    else:
        if len(module) > MODULE_LIMIT:
            raise QuernError(f"the program has {len(module)} bytes, a coordinator takes {MODULE_LIMIT}")
        try:
            from quern import coordinator
        except ImportError as error:
            raise QuernError(f"a server needs the extra quern[service]: {error}") from error
        found = coordinator.optimize(module, options)
    if found.module != module:
        raise QuernError("the bundle is about another program")
    return found
