"""The command ``symgrad``: its arguments, its exit status, its errors.

Exit status: 0 where all is well, 1 where a check found a difference or an answer is wrong, 2 where the arguments or the
formula are wrong, 130 where it was interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from symgrad._version import __version__
from symgrad.cli import commands
from symgrad.cli.answers import add_exercises, add_grade
from symgrad.cli.completion import add_completion
from symgrad.cli.documents import WHAT, run_explain, run_export, run_report
from symgrad.cli.formulas import add_formula
from symgrad.cli.listing import run_ops
from symgrad.cli.manual import add_manual
from symgrad.cli.output import complain, logarithm_called
from symgrad.cli.pictures import add_graph, add_table
from symgrad.cli.plotting import add_plot
from symgrad.cli.serving import add_serve
from symgrad.cli.words import as_argparse
from symgrad.core.printing import options
from symgrad.errors import SymgradError
from symgrad.exports import TARGETS
from symgrad.teach.explanation import STYLES

Adder = Callable[[argparse.ArgumentParser], None]

EXAMPLES = """examples:
  symgrad derive "sum((X @ w - y)**2)" --wrt w --shape X=n,d w=d y=n
  symgrad derive "x**2 * sin(x)" --wrt x --order 2 --latex
  symgrad explain "x**2 * sin(x)" --wrt x --at x=2
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


def _add_derive(p: argparse.ArgumentParser) -> None:
    add_formula(p)
    p.add_argument("--form", choices=commands.FORMS, default="text", help="the notation; default the shortest")
    p.add_argument("--order", type=int, default=1, metavar="N", help="2 for the Hessian; default 1")
    shown = p.add_mutually_exclusive_group()
    shown.add_argument("--latex", action="store_true", help="print LaTeX")
    shown.add_argument("--json", action="store_true", help="print text, LaTeX and intermediates as JSON")
    p.set_defaults(run=commands.run_derive)


def _add_check(p: argparse.ArgumentParser) -> None:
    add_formula(p, 'such as "sum((X @ w - y)**2)"; or a function of arrays, as module:function')
    p.add_argument("--seed", type=int, default=0, help="of the random inputs; default 0")
    p.add_argument("--positive", action="store_true", help="draw inputs between 0.5 and 1.5, not around 0")
    p.add_argument("--rtol", type=float, default=1e-6, help="tolerance; default 1e-6")
    p.add_argument("--digits", type=int, help="also compute the gradient to so many digits, and give errors in ulps")
    p.set_defaults(run=commands.run_check)


def _add_explain(p: argparse.ArgumentParser) -> None:
    add_formula(p)
    p.add_argument("--style", choices=STYLES, help="how; default calculus for few numbers")
    p.add_argument("--order", type=int, default=1, metavar="N", help="2 goes on to the second derivative; default 1")
    shown = p.add_mutually_exclusive_group()
    shown.add_argument("--latex", action="store_true", help="print LaTeX")
    shown.add_argument("--html", action="store_true", help="print HTML")
    p.set_defaults(run=run_explain)


def _add_export(p: argparse.ArgumentParser) -> None:
    add_formula(p, values=False)
    p.add_argument("--target", required=True, choices=sorted(TARGETS), help="the language")
    p.add_argument("--what", choices=WHAT, help="default value_and_grad, of an array its jacobian")
    p.add_argument("--name", help="of the function in the source")
    p.add_argument("-o", "--output", metavar="FILE", help="write to this file; C has its header beside it")
    p.set_defaults(run=run_export)


def _add_report(p: argparse.ArgumentParser) -> None:
    add_formula(p)
    p.add_argument("-o", "--output", metavar="FILE", default="report.html", help="default report.html")
    p.set_defaults(run=run_report)


def _add_ops(p: argparse.ArgumentParser) -> None:
    p.add_argument("word", nargs="?", default="", help="a part of the name; default all")
    p.add_argument("--functions", action="store_true", help="list public functions with their other names")
    p.add_argument("--json", action="store_true", help="print JSON")
    p.set_defaults(run=run_ops)


KINDS: dict[str, tuple[str, Adder]] = {
    "derive": ("print a derivative's closed form", _add_derive),
    "check": ("compare all ways to compute a derivative, at values of --at or random inputs", _add_check),
    "explain": ("derive step by step", _add_explain),
    "grade": ("say whether an answer is the derivative, and which slip explains a wrong one", add_grade),
    "exercises": ("print problems to practise on", add_exercises),
    "export": ("write source that computes the derivative without symgrad", _add_export),
    "report": ("write a page with formula, steps, graph, numbers and source", _add_report),
    "graph": ("draw what a formula computes, or print it for Mermaid", add_graph),
    "table": ("print a function and its derivative, found in three ways, at points", add_table),
    "plot": ("draw a function and its derivative, or level lines and gradients of two numbers", add_plot),
    "serve": ("open a page to differentiate, understand and practise on", add_serve),
    "ops": ("list the operations, and what there is for each", _add_ops),
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
        "man": ("print the manual page", partial(add_manual, root)),
    }
    for kind, (what, add) in {**KINDS, **shells}.items():
        command = kinds.add_parser(kind, help=what, description=f"{what[0].upper()}{what[1:]}.")
        add(command)
        command.add_argument("--ascii", action="store_true", help="print ASCII: X.T, inv(A), sigma; else where need be")
        if kind not in {*shells, "serve", "ops"}:  # these write no formulas
            command.add_argument("--logarithm", choices=("log", "ln"), help="the natural logarithm's name; default log")
    return root


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    args = parser().parse_args(as_argparse(sys.argv[1:] if argv is None else argv))
    try:
        with logarithm_called(args.logarithm or options.logarithm):
            status: int = args.run(args)
        sys.stdout.flush()
    except SymgradError as error:
        complain(f"symgrad {args.command}: {str(error).removeprefix(f'{args.command}: ')}", args.ascii)
        return 2
    except BrokenPipeError:  # such as `symgrad … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        complain(f"symgrad {args.command}: {': '.join(map(str, filter(None, (error.strerror, error.filename))))}")
        return 2
    except MemoryError as error:
        complain(f"symgrad {args.command}: there is not enough memory. {error}".rstrip())
        return 2
    except KeyboardInterrupt:
        complain("interrupted")
        return 130
    except (Exception, SystemExit) as error:  # of a user's function; status 1 is kept for what a check found
        complain(f"symgrad {args.command}: {type(error).__name__}: {error}".rstrip(": "))
        return 2
    return status
