"""What a pupil asks of the command line: an answer's grade, exercises, and sheets of them."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from symgrad.cli.formulas import declared_shapes, formula_text, wanted
from symgrad.cli.output import ascii_html, ascii_json, plain, show, written_for
from symgrad.errors import ParseError
from symgrad.support.plain import ascii_text
from symgrad.teach import Exercise, Grade, exercises, grade, sheet


def run_grade(args: argparse.Namespace) -> int:
    """Print the grade of an answer; 1 where it is wrong."""
    names = wanted(args.wrt)
    if not names:
        raise ParseError("with respect to what? Name it with --wrt, as in --wrt x.")
    by: str | list[str] = names[0] if len(names) == 1 else names
    answer = formula_text(args.answer)
    verdict = grade(answer, args.of, by, declared_shapes(args.shape), order=args.order, syntax=args.syntax)
    text = json.dumps(_data(verdict), ensure_ascii=False, indent=2) if args.json else str(verdict)
    show(written_for(sys.stdout, text, args.ascii, ascii_json if args.json else ascii_text))
    return 0 if verdict.right else 1


def _data(verdict: Grade) -> dict[str, Any]:
    at = verdict.at and {
        "point": {name: plain(v) for name, v in verdict.at.point.items()},
        "answer": plain(verdict.at.answer),
        "derivative": plain(verdict.at.derivative),
    }
    return {
        "right": verdict.right, "simplified": verdict.simplified, "slip": verdict.slip, "hint": verdict.hint, "at": at,
        "shorter": verdict.shorter, "proof": verdict.proof, "place": verdict.place,
        "credit": verdict.credit, "right_parts": verdict.right_parts,
    }  # fmt: skip


def run_exercises(args: argparse.Namespace) -> int:
    """Print the exercises of a topic."""
    pieces = [
        _shown(k, e, args) for k, e in enumerate(exercises(args.topic, args.level, args.seed, args.count), start=1)
    ]
    show(written_for(sys.stdout, "\n".join(pieces), args.ascii, ascii_text))
    return 0


def run_sheet(args: argparse.Namespace) -> int:
    """Write a sheet of exercises to a file, or print it; without a format, print its problems."""
    made = sheet(args.topics, args.level, args.seed, args.count)
    if args.output is not None:
        made.save(args.output, args.format)
    else:
        if args.format == "pdf":
            raise ParseError("--format pdf: a PDF file is not printed. Name it with -o, as in -o sheet.pdf.")
        text = str(made) if args.format is None else getattr(made, args.format)()
        show(written_for(sys.stdout, text, args.ascii, ascii_text if args.format in (None, "latex") else ascii_html))
    return 0


def _shown(k: int, e: Exercise, args: argparse.Namespace) -> str:
    lines = [e.latex if args.latex else f"{k}. {e.problem}"]
    if args.solutions:
        lines.append(f"= {e.solution.latex()}" if args.latex else f"   {e.solution}")
    if args.steps:
        lines.append(e.steps.latex() if args.latex else str(e.steps))
    return "\n".join(lines)
