"""``symgrad explain`` and ``symgrad export``: texts, for the screen or a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from symgrad.cli.formulas import check_values, formula_text, names_of, read_equation, read_formula, wanted
from symgrad.cli.output import ascii_html, complain, show, written_for
from symgrad.compiler.sparse import sparse_hessian, sparse_jacobian
from symgrad.errors import ArgumentError, ParseError
from symgrad.exports import export
from symgrad.expression.reader import Expression
from symgrad.func import grad, hessian, jacobian, value_and_grad
from symgrad.support.plain import ascii_source, ascii_text
from symgrad.support.progress import long_work
from symgrad.teach import explain, report, study

NUMBERS = ("value_and_grad", "grad", "hessian", "sparse_hessian")  # derivatives of functions that return a number
SPARSE = ("sparse_jacobian", "sparse_hessian")


def run_explain(args: argparse.Namespace) -> int:
    """Print the derivation."""
    equation = read_equation(args)
    if equation is None:
        formula, wrt = read_formula(args)
        check_values(args.at, names_of(formula))
    with long_work("explaining"):
        if equation is not None:
            explanation = explain(equation.text, equation.y, equation.x, order=equation.order)
        else:
            by = wrt or list(formula.leaves.values())
            explanation = explain(formula.value, by, style=args.style, order=args.order)
        text = explanation.latex() if args.latex else explanation.html() if args.html else str(explanation)
    show(written_for(sys.stdout, text, args.ascii, ascii_html if args.html else ascii_text))
    return 0


def run_study(args: argparse.Namespace) -> int:
    """Print the discussion of a curve."""
    with long_work("studying"):
        made = study(formula_text(args.formula), args.wrt)
        text = made.latex() if args.latex else made.html() if args.html else str(made)
    show(written_for(sys.stdout, text, args.ascii, ascii_html if args.html else ascii_text))
    return 0


def run_export(args: argparse.Namespace) -> int:
    """Print source, or write it to a file."""
    formula, _ = read_formula(args)
    names = wanted(args.wrt) or list(formula.names)
    if not names:
        raise ParseError("the formula has no names. Declare them with --shape or --wrt.")
    what = args.what or ("value_and_grad" if formula.value.shape == () else "jacobian")
    if what in NUMBERS and formula.value.shape != ():
        raise ArgumentError(f"--what {what}: the formula is an array. Take a sum, or --what jacobian.")
    if what in SPARSE and len(names) > 1:
        raise ArgumentError(f"--what {what}: got the names {', '.join(names)}. Choose one, as in --wrt {names[0]}.")
    argnums = [formula.names.index(name) for name in names]
    before = args.output is not None and Path(args.output).is_file()
    with long_work("writing"):
        made = _made(what, formula, argnums[0] if len(argnums) == 1 else tuple(argnums))
        text = export(
            made, target=args.target, path=args.output, name=args.name, static=args.static, dtype=args.dtype,
            ascii=args.ascii and args.target == "c", test=args.test, cmake=args.cmake, **_arguments(args, formula),
        )  # fmt: skip
    if args.output is None:
        print(written_for(sys.stdout, text, args.ascii, ascii_source).removesuffix("\n"))
    elif before:
        complain(f"symgrad export: replaced {args.output}")
    return 0


def _arguments(args: argparse.Namespace, formula: Expression) -> dict[str, Any]:
    """Return the shapes of the names, or the values at which the test program calls the function."""
    if not args.at:
        shapes = {k: [n if isinstance(n, int) else str(n) for n in x.shape] for k, x in formula.leaves.items()}
        return {"shapes": shapes}
    if not args.test:
        raise ArgumentError("--at: only the program of --test calls the function. Add --test, or omit --at.")
    check_values(args.at, formula.names)
    return {"args": tuple(x.detach().numpy() for x in formula.leaves.values())}


def _made(what: str, formula: Expression, argnums: Any) -> Callable[..., Any]:
    if what == "value":
        return formula
    transforms: dict[str, Callable[..., Any]] = {
        "value_and_grad": value_and_grad, "grad": grad, "jacobian": jacobian, "hessian": hessian,
        "sparse_jacobian": sparse_jacobian, "sparse_hessian": sparse_hessian,
    }  # fmt: skip
    return transforms[what](formula, argnums)  # type: ignore[no-any-return]


def run_report(args: argparse.Namespace) -> int:
    """Write a page."""
    formula, wrt = read_formula(args)
    check_values(args.at, names_of(formula))
    if Path(args.output).is_dir():
        raise ArgumentError(f"--output: {args.output} is a directory. Expected a file, such as report.html.")
    with long_work("writing"):
        page = report(formula.value, wrt=wrt or list(formula.leaves.values()), path=args.output)
    if page.replaced:
        complain(f"symgrad report: replaced {args.output}")
    print(written_for(sys.stdout, args.output, args.ascii))
    return 0
