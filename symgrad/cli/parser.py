"""The parser of the command line. Nothing of the library is imported here: ``--help`` and completion start at once."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial

from symgrad._version import __version__
from symgrad.cli import arguments
from symgrad.cli.completion import add_completion
from symgrad.cli.words import as_argparse

Adder = Callable[[argparse.ArgumentParser], None]

EXAMPLES = """examples:
  symgrad derive "sum((X @ w - y)**2)" --wrt w --shape X=n,d w=d y=n
  symgrad derive "x**2 * sin(x)" --wrt x --order 2 --latex
  symgrad explain "x**2 * sin(x)" --wrt x --at x=2
  symgrad study "x**3 - 3*x"
  symgrad export "sum((X @ w - y)**2)" --wrt w --shape X=n,3 w=3 y=n \\
      --target c -o loss.c
  symgrad check "logsumexp(x, 0)" --shape x=5
  symgrad grade "2*x*cos(x)" --of "x**2 * sin(x)" --wrt x
  symgrad graph "x**2 * sin(x)" --adjoints formula -o graph.svg
  symgrad table "x**2 * sin(x)" --over 0:2:5
  symgrad plot "x**2 * sin(x)" --over -3:3 -o plot.png
  echo "x**2 * sin(x)" | symgrad derive - --wrt x

exit status: 0 all is well; 1 a check found a difference, or an answer is
wrong; 2 the arguments or the formula are wrong, or too large; 130 interrupted
"""


KINDS: dict[str, tuple[str, Adder]] = {
    "derive": ("print a derivative's closed form", arguments.add_derive),
    "check": ("compare all ways to compute a derivative, at values of --at or random inputs", arguments.add_check),
    "explain": ("derive step by step", arguments.add_explain),
    "study": ("discuss a curve: domain, zeros, asymptotes, extrema, convexity, range", arguments.add_study),
    "grade": ("say whether an answer is the derivative, and which slip explains a wrong one", arguments.add_grade),
    "exercises": ("print problems to practise on", arguments.add_exercises),
    "sheet": ("write a sheet of exercises: HTML, LaTeX, PDF, Moodle or STACK", arguments.add_sheet),
    "export": ("write source that computes the derivative without symgrad", arguments.add_export),
    "report": ("write a page with formula, steps, graph, numbers and source", arguments.add_report),
    "graph": ("draw what a formula computes, or print it for Mermaid", arguments.add_graph),
    "table": ("print a function and its derivative, found in three ways, at points", arguments.add_table),
    "plot": ("draw a function and its derivative, or contours and gradients of two numbers", arguments.add_plot),
    "serve": ("open a page to differentiate, understand and practise on", arguments.add_serve),
    "ops": ("list the operations, and what there is for each", arguments.add_ops),
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    root = argparse.ArgumentParser(
        prog="symgrad",
        description="Derivatives as formulas, numbers and functions.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"symgrad {__version__}")
    root.set_defaults(logarithm=None)
    kinds = root.add_subparsers(dest="command", metavar="command", required=True)
    shells: dict[str, tuple[str, Adder]] = {
        "completion": ("print what a shell needs to complete these commands", partial(add_completion, root)),
        "man": ("print the manual page", lambda p: p.set_defaults(root=root)),
    }
    for kind, (what, add) in {**KINDS, **shells}.items():
        command = kinds.add_parser(kind, help=what, description=f"{what[0].upper()}{what[1:]}.")
        add(command)
        command.add_argument("--ascii", action="store_true", help="print ASCII: X.T, inv(A), sigma; else where need be")
        if kind not in {*shells, "serve", "ops"}:  # these write no formulas
            command.add_argument("--logarithm", choices=("log", "ln"), help="the natural logarithm's name; default log")
    return root


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of a command."""
    return parser().parse_args(as_argparse(argv))
