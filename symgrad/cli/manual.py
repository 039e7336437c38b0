"""``symgrad man``: the manual page, made from what ``--help`` says."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from symgrad._version import __version__
from symgrad.cli.completion import commands_of
from symgrad.support.foreign import roff


def run_manual(args: argparse.Namespace) -> int:
    """Print the manual page."""
    print("\n".join(manual(args.root)))
    return 0


def manual(root: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the lines of the manual page, for ``man`` and ``groff -man``."""
    yield from (f'.TH SYMGRAD 1 "" "symgrad {__version__}" "User Commands"', ".SH NAME")
    yield from (f"symgrad \\- {roff(str(root.description).rstrip('.'))}", ".SH SYNOPSIS", ".B symgrad")
    yield ".RI [ option \\ ...] \\ command \\ [ argument \\ ...]"
    yield ".SH COMMANDS"
    for name, p in commands_of(root).items():
        yield from (f".SS symgrad {name}", roff(str(p.description)))
        for action in p._actions:
            yield from (".TP", _head(action), roff((action.help or "") % {"prog": p.prog, **vars(action)}))
    for title, lines in _sections(str(root.epilog)):
        yield from (f".SH {title.upper()}", ".nf" if lines[0].startswith(" ") else ".ad l")
        yield from map(roff, lines)
        yield from [".fi"] if lines[0].startswith(" ") else []


def _head(action: argparse.Action) -> str:
    """Return an option in bold with its value, or an argument."""
    value = "" if action.nargs == 0 else _value(action)
    if not action.option_strings:
        return f"\\fI{value}\\fR"
    spelled = ", ".join(f"\\fB{roff(o)}\\fR" for o in action.option_strings)
    return f"{spelled} \\fI{value}\\fR" if value else spelled


def _value(action: argparse.Action) -> str:
    if action.choices and not action.metavar:
        return roff("{" + ",".join(map(str, action.choices)) + "}")
    named = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    return roff(str(named))


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the parts of the text below the help, each with its heading, which ends in a colon."""
    for part in text.strip().split("\n\n"):
        title, _, rest = part.partition(":")
        yield title, rest.lstrip("\n").splitlines() if rest.startswith("\n") else [rest.strip()]
