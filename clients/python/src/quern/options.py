"""How to search; what `quern optimize` calls by the same names."""

import dataclasses
import os
import shutil

from quern.errors import QuernError


@dataclasses.dataclass(frozen=True)
class Options:
    budget: float = 60.0  # seconds of search
    candidates: int | None = None  # search this many instead, however long it takes
    semantics: str = "real"  # or "ordered", "exact"
    assume: tuple = ()  # conditions on the flattened arguments, "arg4>=0"
    error_ratio: float = 2.0
    threads: int = 1
    seed: int = 0
    cache: bool = True
    # HOST:PORT of a coordinator, or a grpc.Channel to it; by default QUERN_SERVER. None: this machine searches.
    server: object = dataclasses.field(default_factory=lambda: os.environ.get("QUERN_SERVER"))
    patience: float = 10.0  # seconds that the coordinator may be away
    # The program `quern`; by default QUERN, or where PATH finds it.
    quern: str = dataclasses.field(default_factory=lambda: os.environ.get("QUERN", "quern"))

    def __post_init__(self):
        if self.semantics not in ("real", "ordered", "exact"):
            raise ValueError(f"semantics is real, ordered or exact, not {self.semantics!r}")
        if not self.budget > 0:
            raise ValueError(f"budget is a number of seconds above 0, not {self.budget!r}")
        if isinstance(self.assume, str):
            raise ValueError("assume is a sequence of conditions")
        object.__setattr__(self, "assume", tuple(self.assume))

    def program(self):
        found = shutil.which(self.quern)
        if found is None:
            raise QuernError(f"there is no program {self.quern!r}: set QUERN, put it on PATH or name a server")
        return found
