"""The command ``symgrad``: its exit status, its errors.

Exit status: 0 where all is well, 1 where a check found a difference or an answer is wrong, 2 where the arguments or the
formula are wrong, 130 where it was interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from symgrad.cli.output import complain
from symgrad.cli.parser import parse
from symgrad.core.printing import logarithm_called, options
from symgrad.errors import SymgradError


def _run(args: argparse.Namespace) -> int:
    """Run a command, whose file is imported here: each needs other parts of the library."""
    match args.command:
        case "derive":
            from symgrad.cli.commands import run_derive as run
        case "check":
            from symgrad.cli.commands import run_check as run
        case "explain":
            from symgrad.cli.documents import run_explain as run
        case "study":
            from symgrad.cli.documents import run_study as run
        case "export":
            from symgrad.cli.documents import run_export as run
        case "report":
            from symgrad.cli.documents import run_report as run
        case "grade":
            from symgrad.cli.answers import run_grade as run
        case "exercises":
            from symgrad.cli.answers import run_exercises as run
        case "sheet":
            from symgrad.cli.answers import run_sheet as run
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
        case "man":
            from symgrad.cli.manual import run_manual as run
        case _:
            run = args.run
    return run(args)


def main(argv: Sequence[str] | None = None) -> int:
    """Read the arguments, run a command, and return its exit status."""
    return run(parse(sys.argv[1:] if argv is None else argv))


def run(args: argparse.Namespace) -> int:
    """Run a command and return its exit status."""
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
