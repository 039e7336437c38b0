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
from symgrad.cli import arguments
from symgrad.cli.completion import add_completion
from symgrad.cli.manual import add_manual
from symgrad.cli.output import complain, logarithm_called
from symgrad.cli.words import as_argparse
from symgrad.core.printing import options
from symgrad.errors import SymgradError

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


KINDS: dict[str, tuple[str, Adder]] = {
    "derive": ("print a derivative's closed form", arguments.add_derive),
    "check": ("compare all ways to compute a derivative, at values of --at or random inputs", arguments.add_check),
    "explain": ("derive step by step", arguments.add_explain),
    "grade": ("say whether an answer is the derivative, and which slip explains a wrong one", arguments.add_grade),
    "exercises": ("print problems to practise on", arguments.add_exercises),
    "export": ("write source that computes the derivative without symgrad", arguments.add_export),
    "report": ("write a page with formula, steps, graph, numbers and source", arguments.add_report),
    "graph": ("draw what a formula computes, or print it for Mermaid", arguments.add_graph),
    "table": ("print a function and its derivative, found in three ways, at points", arguments.add_table),
    "plot": ("draw a function and its derivative, or level lines and gradients of two numbers", arguments.add_plot),
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
        "man": ("print the manual page", partial(add_manual, root)),
    }
    for kind, (what, add) in {**KINDS, **shells}.items():
        command = kinds.add_parser(kind, help=what, description=f"{what[0].upper()}{what[1:]}.")
        add(command)
        command.add_argument("--ascii", action="store_true", help="print ASCII: X.T, inv(A), sigma; else where need be")
        if kind not in {*shells, "serve", "ops"}:  # these write no formulas
            command.add_argument("--logarithm", choices=("log", "ln"), help="the natural logarithm's name; default log")
    return root


def _run(args: argparse.Namespace) -> int:
    """Run a command. Its file is imported here, so that ``--version``, ``--help`` and completion start at once."""
    match args.command:
        case "derive":
            from symgrad.cli.commands import run_derive as run
        case "check":
            from symgrad.cli.commands import run_check as run
        case "explain":
            from symgrad.cli.documents import run_explain as run
        case "export":
            from symgrad.cli.documents import run_export as run
        case "report":
            from symgrad.cli.documents import run_report as run
        case "grade":
            from symgrad.cli.answers import run_grade as run
        case "exercises":
            from symgrad.cli.answers import run_exercises as run
        case "graph":
            from symgrad.cli.pictures import run_graph as run
        case "table":
            from symgrad.cli.pictures import run_table as run
        case "plot":
            from symgrad.cli.plotting import run_plot as run
        case "serve":
            from symgrad.cli.serving import run_serve as run
        case "ops":
            from symgrad.cli.listing import run_ops as run
        case _:
            run = args.run
    return run(args)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    args = parser().parse_args(as_argparse(sys.argv[1:] if argv is None else argv))
    try:
        with logarithm_called(args.logarithm or options.logarithm):
            status = _run(args)
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
