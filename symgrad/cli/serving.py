"""``symgrad serve``: the page on this machine."""

from __future__ import annotations

import argparse

from symgrad.cli.output import complain
from symgrad.errors import ArgumentError
from symgrad.web import serve

PORT = 8000


def add_serve(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad serve``."""
    p.add_argument("--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 for one that is free")
    p.add_argument("--open", action="store_true", help="open the page in a browser")
    p.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for other machines too, which needs --token")
    p.add_argument(
        "--token", nargs="?", const="", metavar="WORD", help="what requests must carry; without a word one is made up"
    )
    p.add_argument("--workers", type=int, metavar="N", help="processes that compute; default one for each processor")
    p.set_defaults(run=run_serve)


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
