"""``symgrad ops``: which operations there are, and what there is for each."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from symgrad.cli.output import written_for
from symgrad.errors import ArgumentError
from symgrad.testing.coverage import Readings, functions, operations

_HEADS = ("operation", "derivative", "forward", "formula", "compiled", "vmap")


def run_ops(args: argparse.Namespace) -> int:
    """Print the operations, or the functions, whose names hold a word."""
    word = args.word.lower()
    if args.functions:
        names = {k: v for k, v in functions().items() if any(word in name.lower() for name in (k, *v))}
        text = json.dumps(names, indent=2) if args.json else "\n".join(", ".join((k, *v)) for k, v in names.items())
        count = len(names)
    else:
        matching = {k: r for k, r in operations().items() if word in k.lower()}
        text = (
            json.dumps({k: dataclasses.asdict(r) for k, r in matching.items()}, indent=2)
            if args.json
            else _table(matching)
        )
        count = len(matching)
    if not count:
        raise ArgumentError(f"no operation has {args.word!r} in its name. Leave it out to see all.")
    print(written_for(sys.stdout, text, args.ascii))
    return 0


def _table(readings: dict[str, Readings]) -> str:
    rows = [_HEADS, *[(name, *dataclasses.astuple(r)) for name, r in readings.items()]]
    widths = [max(len(row[k]) for row in rows) for k in range(len(_HEADS))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
