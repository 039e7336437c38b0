"""What each command does with its arguments. Imports formulas, output and the parts that the commands are doors to."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from symgrad.cli.formulas import read_formula, wanted
from symgrad.cli.output import show
from symgrad.cli.progress import progress
from symgrad.errors import ArgumentError, ParseError
from symgrad.expression import MOST_ENTRIES, Expression
from symgrad.forms import derive
from symgrad.forms.closed import ClosedForm
from symgrad.forms.names import latex_name
from symgrad.tensor import Tensor
from symgrad.testing import crosscheck

FORMS = ("text", "matrix", "index", "scalar", "where")


def run_derive(args: argparse.Namespace) -> int:
    """Print the derivative."""
    formula, wrt = _differentiated(args)
    with progress("deriving"):
        found = derive(formula.value, wrt[0] if len(wrt) == 1 else wrt, args.order)
        forms: list[ClosedForm] = [found] if isinstance(found, ClosedForm) else list(found)
        if args.json:
            text = json.dumps([_data(w, f) for w, f in zip(wrt, forms, strict=True)], ensure_ascii=False, indent=2)
        elif len(forms) > 1 and args.form in ("text", "where") and not args.latex:
            text = str(found)
        else:
            text = "\n".join(
                _labelled(w, _written(f, args), len(forms), args.latex) for w, f in zip(wrt, forms, strict=True)
            )
    show(text)
    return 0


def _differentiated(args: argparse.Namespace) -> tuple[Expression, list[Tensor]]:
    if not wanted(args.wrt):
        raise ParseError("by what? Name it with --wrt, as in --wrt w.")
    return read_formula(args)


def _labelled(leaf: Tensor, text: str, count: int, latex: bool) -> str:
    """Say of one formula among several what it is the derivative by."""
    if count == 1:
        return text
    by = rf"\frac{{\partial}}{{\partial {latex_name(str(leaf.name))}}}" if latex else f"d/d{leaf.name}"
    return f"{by} = {text}"


def _written(form: ClosedForm, args: argparse.Namespace) -> str:
    if args.latex:
        return form.latex("matrix" if args.form == "text" else args.form)
    if args.form == "where":
        lines = [f"{d.name} = {d.expr}" for d in reversed(form.where)]
        text = "\n  ".join([str(form.body), *(["where", *lines] if lines else [])])
    else:
        text = str(form) if args.form == "text" else str(getattr(form, args.form)())
    value = _value(form, args)
    return text if value is None else f"{text}\n= {value}"


def _value(form: ClosedForm, args: argparse.Namespace) -> Any:
    """Return the derivative's number, where every name has a value."""
    given = {text.partition("=")[0].strip() for text in args.at}
    return form.lambdify()() if args.at and given.issuperset(form.args) else None


def _data(leaf: Tensor, form: ClosedForm) -> dict[str, Any]:
    return {
        "wrt": leaf.name,
        "shape": [n if isinstance(n, int) else str(n) for n in form.shape],
        "text": str(form),
        "latex": form.latex(),
        "body": str(form.body),
        "where": [{"name": str(d.name), "text": str(d.expr)} for d in form.where],
        "args": list(form.args),
    }


def run_check(args: argparse.Namespace) -> int:
    """Cross-check derivatives at random inputs; 1 where witnesses disagree."""
    if _is_function(args.formula):
        f, shapes = _function(args.formula), [_numbers(text) for text in args.shape]
    else:
        formula, _ = read_formula(args)
        f, shapes = formula, _counted(formula.leaves.values())
    if sum(map(math.prod, shapes)) > MOST_ENTRIES:
        raise ParseError(f"inputs of more than {MOST_ENTRIES} entries. A check of a smaller case says as much.")
    rng = np.random.default_rng(args.seed)
    inputs = [rng.uniform(0.5, 1.5, s) if args.positive else rng.standard_normal(s) for s in shapes]
    if not inputs:
        raise ParseError("check: of which inputs? Give the shape of each, as in --shape x=3 --shape A=2,2.")
    with progress("checking"):
        report = crosscheck(f, *inputs, rtol=args.rtol, raise_exception=False)
    show(str(report))
    return 0 if report.ok else 1


def _is_function(text: str) -> bool:
    module, colon, name = text.partition(":")
    return bool(colon) and all(part.isidentifier() for part in module.split(".")) and name.isidentifier()


def _function(text: str) -> Callable[..., Any]:
    module, _, name = text.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise ArgumentError(f"check: the module {module!r} cannot be imported: {error}.") from error
    except AttributeError:
        raise ArgumentError(f"check: the module {module!r} has no {name!r}.") from None
    if not callable(found):
        raise ArgumentError(f"check: {text} is a {type(found).__name__}. Expected a function of arrays.")
    return found  # type: ignore[no-any-return]


def _numbers(text: str) -> tuple[int, ...]:
    sizes = [p.strip() for p in text.partition("=")[2].strip("()[]").split(",") if p.strip()]
    if not all(p.isascii() and p.isdigit() and len(p) < 8 for p in sizes):
        raise ParseError(f"--shape: got {text!r}. To check, sizes are numbers, as in X=4,3.")
    return tuple(map(int, sizes))


def _counted(leaves: Iterable[Tensor]) -> list[tuple[int, ...]]:
    """Return the leaves' shapes, numbers for sizes with names: 2 for the first name, 3 for the next."""
    found: dict[Any, int] = {}
    return [
        tuple(n if isinstance(n, int) else found.setdefault(n, len(found) + 2) for n in leaf.shape) for leaf in leaves
    ]
