"""Runs a model whole and in parts, both by quern interpret, and compares the results' bytes.

usage: run_parts.py MODEL FOLDER
"""

import json
import pathlib
import random
import struct
import subprocess
import sys

FORMATS = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "i32": ("<i4", "i"), "i64": ("<i8", "q"), "ui32": ("<u4", "I"),
           "bool": ("|b1", "?"), "i1": ("|b1", "?")}


def quern(*words):
    return subprocess.run(["quern", *map(str, words)], check=True, stdout=subprocess.PIPE).stdout


def write_npy(path, text, draw):
    """A tensor of a type such as f32[2,3] with drawn elements."""
    element, shape = text.rstrip("]").split("[")
    extents = [int(extent) for extent in shape.split(",") if extent]
    count = 1
    for extent in extents:
        count *= extent
    descr, letter = FORMATS[element]
    values = [draw.uniform(-1, 1) if letter in "fd" else draw.randint(0, 1) for _ in range(count)]
    listed = "".join(f"{extent}, " for extent in extents)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({listed}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = struct.pack(f"<{count}{letter}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    parts = folder / "parts"
    quern("partition", model, "--flops", 1e9, "--bandwidth", 1e9, "--out", parts)
    report = json.loads((parts / "partition.json").read_text())
    draw = random.Random(1)
    values = {}
    for i, argument in enumerate(json.loads(quern("inspect", model, "--json"))["arguments"]):
        values[f"argument {i}"] = folder / f"argument_{i}.npy"
        write_npy(values[f"argument {i}"], argument["type"], draw)
    for path in parts.glob("constant_*.npy"):
        values[path.stem.replace("_", " ")] = path

    whole = folder / "whole"
    quern("interpret", model, "--out", whole, "--inputs", *values_of(values, "argument"))
    for i, step in enumerate(report["steps"]):
        out = folder / f"step_{i}"
        spec = parts / (step["spec_sha256"] + ".mlir")
        inputs = [values[name] for name in step["arguments"]]
        quern("interpret", spec, "--out", out, *(["--inputs", *inputs] if inputs else []))
        for k, name in enumerate(step["results"]):
            values[name] = out / f"{k}.npy"
    for i, name in enumerate(report["results"]):
        if values[name].read_bytes() != (whole / f"{i}.npy").read_bytes():
            sys.exit(f"result {i} differs")
    print(f"{len(report['results'])} results of {len(report['steps'])} steps are equal")


def values_of(values, kind):
    return [path for name, path in values.items() if name.startswith(kind)]


if __name__ == "__main__":
    main()
