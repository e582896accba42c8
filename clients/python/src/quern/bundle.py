"""A bundle's folder, read as bundle/bundle.h does: nothing is believed that its digest does not name."""

import dataclasses
import hashlib
import json
import math
import pathlib
import re

from quern import element_types
from quern.errors import QuernError


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """What the kernel expects of an argument, or makes as a result."""

    shape: tuple
    element: element_types.ElementType
    alignment: int  # of its address, in bytes

    @property
    def nbytes(self):
        return math.prod(self.shape) * self.element.bits // 8

    def __str__(self):
        return f"{self.element.name}[{','.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True)
class Bundle:
    inputs: tuple  # of TensorSpec, in the order of the spec's arguments
    outputs: tuple
    module: bytes  # the program that was given
    binary: bytes  # a shared object
    binary_sha256: str
    target: str
    features: str  # of the CPU, as LLVM writes them
    certificate: dict
    measurements: list


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def _self_digest(manifest):
    rest = {key: value for key, value in manifest.items() if key != "self_sha256"}
    return sha256((json.dumps(rest, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode())


def _files(folder):
    """The files by name, each as its manifest describes it."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        if manifest["version"] != 1:
            raise QuernError(f"{folder}: a bundle of version {manifest['version']}; this client reads version 1")
        if manifest["self_sha256"] != _self_digest(manifest):
            raise QuernError(f"{folder}: manifest.json was changed")
        files = {}
        for name, digest in manifest["files"].items():
            if pathlib.PurePath(name).name != name:
                raise QuernError(f"{folder}: a file is named {name!r}")
            files[name] = (folder / name).read_bytes()
            if sha256(files[name]) != digest:
                raise QuernError(f"{folder}: {name} was changed")
        return manifest["kind"], files
    except OSError as error:
        raise QuernError(f"not a bundle: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise QuernError(f"{folder}: not a bundle: {error!r}") from error


def _tensor_spec(buffer):
    name, extents = re.fullmatch(r"(\w+)\[([\d,]*)\]", buffer["type"]).groups()
    shape = tuple(int(extent) for extent in extents.split(",") if extent)
    return TensorSpec(shape, element_types.named(name), buffer["alignment"])


def _in_order(buffers, role):
    chosen = sorted((buffer["position"], _tensor_spec(buffer)) for buffer in buffers if buffer["role"] == role)
    if [position for position, _ in chosen] != list(range(len(chosen))):
        raise ValueError(f"{role}s are missing")
    return tuple(spec for _, spec in chosen)


def read(folder, allow_unproved=False):
    """The bundle in `folder`. QuernError if anything differs from its digest, or the certificate is about another
    program, plan or binary, or is none of a proof."""
    folder = pathlib.Path(folder)
    kind, files = _files(folder)
    if kind != "so":
        raise QuernError(f"{folder}: its kernel is {kind}, not code of a CPU")
    try:
        certificate = json.loads(files["certificate.json"])
        plan = json.loads(files["launch.json"])
        proved = {"module": "module.mlir", "llvm_ir": "kernel.ll", "launch_plan": "launch.json", "binary": "kernel.so"}
        for what, name in proved.items():
            if certificate["digests"].get(what) != sha256(files[name]):
                raise QuernError(f"{folder}: the certificate is about another {what} than {name}")
        if certificate["verdict"] != "proved" and not allow_unproved:
            raise QuernError(f"{folder}: the kernel is {certificate['verdict']}, not proved")
        return Bundle(
            inputs=_in_order(plan["buffers"], "input"),
            outputs=_in_order(plan["buffers"], "output"),
            module=files["module.mlir"],
            binary=files["kernel.so"],
            binary_sha256=certificate["digests"]["binary"],
            target=plan["target"],
            features=plan["features"],
            certificate=certificate,
            measurements=json.loads(files["measurements.json"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise QuernError(f"{folder}: not a bundle: {error!r}") from error
