#!/usr/bin/env python3
"""Fails on an #include that crosses the walls of docs/architecture.md, or that is not written from the root.

usage: include_table.py [ROOT]
"""

import pathlib
import re
import sys

# folder: the folders it may include, besides itself. A longer prefix wins over a shorter one.
TABLE = {
    "proto": [],
    "bundle": [],
    # Standard C++ alone: code generation emits the functions and the checker computes them.
    "mathlib": [],
    "ir": ["bundle"],
    "frontend": ["ir", "bundle"],
    "search": ["ir", "frontend", "bundle"],
    "codegen": ["ir", "bundle", "mathlib"],
    "verifier": ["ir/stablehlo", "ir/sdy", "ir/vhlo", "bundle", "mathlib"],
    "workers": ["proto", "codegen", "bundle", "verifier/machine"],
    "workers/runner": ["bundle/quern_abi.h"],
    "codegen/launcher": ["bundle/quern_abi.h"],
    "cache": ["bundle"],
    "server": ["proto", "search", "frontend", "codegen", "cache", "bundle", "verifier/checker.h"],
    "cli": ["proto", "server", "bundle", "ir", "frontend", "search", "codegen", "verifier", "workers", "cache"],
    "benchmarks": ["proto", "bundle", "mathlib", "ir", "frontend", "search", "codegen", "verifier", "workers", "cache"],
    "tests": ["bundle", "mathlib", "ir", "frontend", "search", "codegen", "verifier", "workers", "cache", "cli", "proto", "server"],
}

# Generated headers: the folder that they are made from.
GENERATED = {"quern/v1": "proto", "google/rpc": "proto"}

# folder: third-party headers it may use; a folder that is absent may use any of its dependencies.
SYSTEM = {
    "bundle": ["absl/", "nlohmann/", "openssl/", "gtest/", "gmock/"],
    "mathlib": ["gtest/"],
    "workers/runner": ["gtest/"],
    "codegen/launcher": [],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def row(table, path):
    prefixes = [p for p in table if path == p or path.startswith(p + "/")]
    return max(prefixes, key=len) if prefixes else None


def within(path, prefix):
    return path == prefix or path.startswith(prefix + "/")


def check(root):
    errors = []
    top = {entry.split("/")[0] for entry in TABLE}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".h", ".cc", ".c") or name.split("/")[0] not in top:
            continue
        folder = row(TABLE, name)
        text = path.read_text(errors="replace")
        for match in INCLUDE.finditer(text):
            quote, target = match.groups()
            line = text.count("\n", 0, match.start(2)) + 1
            where = f"{name}:{line}: "
            source = row(GENERATED, target)
            if source:
                target = GENERATED[source] + "/" + target
            if target.split("/")[0] in top and "/" in target:
                allowed = [folder] + TABLE[folder]
                if not any(within(target, prefix) for prefix in allowed):
                    errors.append(f"{where}{folder} may not include {target}; it may include {', '.join(allowed)}")
            elif quote == '"' and "/" not in target:
                errors.append(f"{where}write the include from the root: {target}")
            else:
                system = SYSTEM.get(row(SYSTEM, name) or "")
                if system is not None and "/" in target and not target.startswith(("sys/", "linux/")):
                    if not any(target.startswith(prefix) for prefix in system):
                        errors.append(f"{where}{row(SYSTEM, name)} may not use {target}")
    return errors


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    errors = check(root)
    print("\n".join(errors), file=sys.stderr, end="\n" if errors else "")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
