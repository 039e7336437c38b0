"""The parser of the command line. Nothing of the library is imported here: ``--help`` and completion start at once."""

from __future__ import annotations

import argparse
import sys
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

exit status: 0 success; 1 a check found a difference, or an answer is wrong;
2 the arguments or the formula are invalid, or too large; 130 interrupted
"""


KINDS: dict[str, tuple[str, Adder]] = {
    "derive": ("print the closed form of a derivative", arguments.add_derive),
    "check": ("compare all ways to compute a derivative, at --at or at random inputs", arguments.add_check),
    "explain": ("print a derivation step by step", arguments.add_explain),
    "study": ("study a curve: domain, zeros, asymptotes, extrema, convexity, range", arguments.add_study),
    "grade": ("say whether an answer is the derivative, and which mistake explains a wrong one", arguments.add_grade),
    "exercises": ("print exercises on a topic", arguments.add_exercises),
    "sheet": ("write a sheet of exercises as HTML, LaTeX, PDF, Moodle or STACK", arguments.add_sheet),
    "export": ("write source code that computes the derivative without symgrad", arguments.add_export),
    "report": ("write a page with the formula, steps, graph, numbers and source code", arguments.add_report),
    "graph": ("draw the graph of a formula's operations, or print it as Mermaid", arguments.add_graph),
    "table": ("print a table of a function and its derivative, computed in three ways", arguments.add_table),
    "plot": ("plot a function and its derivative, or contours and gradients in two variables", arguments.add_plot),
    "serve": ("open a page in the browser to differentiate formulas and to practise", arguments.add_serve),
    "ops": ("list the operations and what is implemented for each", arguments.add_ops),
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
        "completion": ("print a script that completes these commands in a shell", partial(add_completion, root)),
        "man": ("print the manual page", lambda p: p.set_defaults(root=root)),
    }
    for kind, (what, add) in {**KINDS, **shells}.items():
        command = kinds.add_parser(kind, help=what, description=f"{what[0].upper()}{what[1:]}.")
        add(command)
        command.add_argument(
            "--ascii", action="store_true", help="print ASCII only, as X.T or sigma; default: if the output needs it"
        )
        if kind not in {*shells, "serve", "ops"}:  # these write no formulas
            command.add_argument("--logarithm", choices=("log", "ln"), help="how to write ln; default log")
    return root


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of a command."""
    return parser().parse_args(as_argparse(argv))


def parse_early(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of a command, or answer and exit where this needs nothing of the library."""
    args = parse(argv)
    if args.command == "completion":
        sys.exit(args.run(args))
    return args
