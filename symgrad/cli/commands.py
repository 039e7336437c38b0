"""What each command does with its arguments."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import product, zip_longest
from typing import Any

import numpy as np

from symgrad.cli.formulas import check_values, read_equation, read_formula, wanted
from symgrad.cli.output import ascii_json, plain, show, written_for
from symgrad.core.node import tensor_value
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ParseError
from symgrad.expression.arguments import with_leaves
from symgrad.expression.bounds import MOST_ENTRIES
from symgrad.expression.reader import Expression
from symgrad.forms import derive
from symgrad.forms.closed import ClosedForm
from symgrad.forms.joint_forms import JointForms, in_latex, in_text
from symgrad.forms.nodes import printers
from symgrad.support.foreign import latex_name
from symgrad.support.plain import ascii_text
from symgrad.support.progress import long_work
from symgrad.tensors.tensor import Tensor
from symgrad.testing import crosscheck

MOST_CHECKED = 1000  # entries of inputs
MOST_MOVED = 10**10  # additions of a check


def run_derive(args: argparse.Namespace) -> int:
    """Print the derivative."""
    if args.at and args.latex:
        raise ParseError("--at has no effect with --latex, which prints the formula. Omit one of them.")
    if (equation := read_equation(args)) is not None:
        form = derive(equation.text, equation.y, equation.x, order=equation.order)
        show(written_for(sys.stdout, form.latex() if args.latex else str(form), args.ascii))
        return 0
    formula, wrt = _differentiated(args)
    _check_result(formula, wrt, args.order)
    fallback = ascii_text
    with long_work("deriving"):
        one_or_all = wrt[0] if len(wrt) == 1 else wrt
        derivative = derive(with_leaves(formula.value, wrt), one_or_all, args.order, structure=args.structure)
        forms = [derivative] if isinstance(derivative, ClosedForm) else list(derivative.flat)
        by = list(product(wrt, repeat=args.order if isinstance(derivative, JointForms) else 1))
        check_values(args.at, dict.fromkeys(name for f in forms for name in f.args))
        if args.json:
            fallback = ascii_json
            text = json.dumps([_data(w, f, args) for w, f in zip(by, forms, strict=True)], ensure_ascii=False, indent=2)
        elif len(forms) > 1 and args.form in ("text", "where") and not args.latex:
            text = str(derivative)
        else:
            text = "\n".join(
                _labelled(w, _written(f, args), len(forms), args.latex) for w, f in zip(by, forms, strict=True)
            )
        if args.at and not args.json:
            values = [_labelled(w, f"= {f.lambdify()()}", len(forms), False) for w, f in zip(by, forms, strict=True)]
            text = "\n".join([text, *([f"at {', '.join(args.at)}:"] if len(forms) > 1 else []), *values])
    show(written_for(sys.stdout, text, args.ascii, fallback))
    return 0


def _check_result(formula: Expression, wrt: list[Tensor], order: int) -> None:
    """Refuse derivatives of very many entries."""
    for leaf in wrt:
        entries = math.prod(n for n in (*formula.value.shape, *leaf.shape * max(1, order)) if isinstance(n, int))
        if entries > MOST_ENTRIES:
            raise ParseError(f"the derivative with respect to {leaf.name} has {entries} entries. Name the sizes.")


def _differentiated(args: argparse.Namespace) -> tuple[Expression, list[Tensor]]:
    if not wanted(args.wrt):
        raise ParseError("with respect to what? Name it with --wrt, as in --wrt w.")
    return read_formula(args)


def _labelled(by: Sequence[Tensor], text: str, count: int, latex: bool) -> str:
    """Name the variable of the derivative, where one formula of several is printed."""
    if count == 1:
        return text
    names = [str(leaf.name) for leaf in by]
    return f"{in_latex(list(map(latex_name, names))) if latex else in_text(names)} = {text.removeprefix('= ')}"


def _written(form: ClosedForm, args: argparse.Namespace) -> str:
    if args.latex:
        return form.latex(None if args.form == "text" else args.form)
    if args.form == "where":
        lines = [f"{printers.text(d.name)} = {printers.text(d.expr)}" for d in reversed(form.where)]
        return "\n  ".join([printers.text(form.body), *(["where", *lines] if lines else [])])
    return str(form) if args.form == "text" else printers.text(getattr(form, args.form)())


def _data(by: Sequence[Tensor], form: ClosedForm, args: argparse.Namespace) -> dict[str, Any]:
    return {
        "wrt": by[0].name if len(by) == 1 else [leaf.name for leaf in by],
        "shape": [n if isinstance(n, int) else str(n) for n in form.shape],
        "text": str(form),
        "latex": form.latex(),
        "body": printers.text(form.body),
        "where": [{"name": printers.text(d.name), "text": printers.text(d.expr)} for d in form.where],
        "args": list(form.args),
        **({"value": plain(form.lambdify()())} if args.at else {}),
    }


def run_check(args: argparse.Namespace) -> int:
    """Cross-check derivatives at the values given with --at, elsewhere at random inputs; 1 where witnesses disagree."""
    given: list[Any] = []
    if _is_function(args.formula):
        if args.at:
            raise ParseError(
                "check: --at gives a name of a formula a value. Of a function, give the shapes of its inputs."
            )
        f, shapes = _function(args.formula), [_numbers(text) for text in args.shape]
    else:
        formula, _ = read_formula(args)
        f, shapes = formula, _counted(formula.leaves.values())
        given = [tensor_value(leaf) for leaf in formula.leaves.values()]
    entries = sum(map(math.prod, shapes))
    if entries > MOST_CHECKED:
        raise ParseError(f"check: inputs of {entries} entries, more than {MOST_CHECKED}. Give smaller sizes.")
    if args.seed < 0 or not 0 < args.rtol < math.inf:
        raise ArgumentError(
            f"check: got --seed {args.seed} --rtol {args.rtol}. Expected a whole and a positive number."
        )
    rng = np.random.default_rng(args.seed)
    inputs = [rng.uniform(0.5, 1.5, s) if args.positive else rng.standard_normal(s) for s in shapes]
    inputs = [x if v is None else v for x, v in zip_longest(inputs, given)]
    if not inputs:
        raise ParseError("check: no inputs are given. Give the shape of each, as in --shape x=3 --shape A=2,2.")
    with long_work("checking"):
        _check_cost(f, inputs, entries)
        report = crosscheck(f, *inputs, rtol=args.rtol, raise_exception=False, digits=args.digits)
    show(written_for(sys.stdout, str(report), args.ascii))
    return 0 if report.ok else 1


def _check_cost(f: Callable[..., Any], inputs: list[Any], entries: int) -> None:
    """Refuse a check that would need huge Jacobians, or take minutes; every entry is moved by itself."""
    if isinstance(f, Expression):
        value, work = f.bounded(*inputs)
    else:
        value, work = as_tensor(f(*map(as_tensor, inputs))), 0
    if math.prod(value.shape) * entries > MOST_ENTRIES or work * entries > MOST_MOVED:
        raise ParseError(
            f"check: a result of {math.prod(value.shape)} entries from {entries} is too much. Give smaller sizes."
        )


def _is_function(text: str) -> bool:
    module, colon, name = text.partition(":")
    return bool(colon) and all(part.isidentifier() for part in module.split(".")) and name.isidentifier()


def _function(text: str) -> Callable[..., Any]:
    module, _, name = text.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        imported = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        raise ArgumentError(f"check: the module {module!r} cannot be imported: {error}.") from error
    function = getattr(imported, name, None)
    if function is None:
        raise ArgumentError(f"check: the module {module!r} has no {name!r}.")
    if not callable(function):
        raise ArgumentError(f"check: {text} is a {type(function).__name__}. Expected a function of arrays.")
    return function  # type: ignore[no-any-return]


def _numbers(text: str) -> tuple[int, ...]:
    sizes = [p.strip() for p in text.partition("=")[2].strip("()[]").split(",") if p.strip()]
    if not all(p.isascii() and p.isdigit() and len(p) < 8 for p in sizes):
        raise ParseError(f"--shape: got {text!r}. A check needs sizes that are numbers, as in X=4,3.")
    return tuple(map(int, sizes))


def _counted(leaves: Iterable[Tensor]) -> list[tuple[int, ...]]:
    """Return the leaves' shapes, numbers for sizes with names: 2 for the first name, 3 for the next."""
    sizes: dict[Any, int] = {}
    return [
        tuple(n if isinstance(n, int) else sizes.setdefault(n, len(sizes) + 2) for n in leaf.shape) for leaf in leaves
    ]
