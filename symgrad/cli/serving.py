"""``symgrad serve``: the page on this machine."""

from __future__ import annotations

import argparse

from symgrad.cli.output import complain
from symgrad.errors import ArgumentError
from symgrad.web import serve


def run_serve(args: argparse.Namespace) -> int:
    """Serve until interrupted, and say in numbers what was done."""
    if not 0 <= args.port < 2**16:
        raise ArgumentError(f"--port: got {args.port}. Expected a number from 0 to {2**16 - 1}.")
    if args.workers is not None and not 1 <= args.workers <= 64:
        raise ArgumentError(f"--workers: got {args.workers}. Expected a number from 1 to 64.")
    done = serve(args.host, args.port, token=args.token, workers=args.workers, open_browser=args.open, say=_say)
    complain(f"symgrad serve: {done}")
    return 0


def _say(text: str) -> None:
    print(text, flush=True)
