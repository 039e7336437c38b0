"""Text for a terminal: formulas folded to its width, in ASCII where it has no other letters."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable
from typing import Any, TextIO

from symgrad.support.plain import ascii_marked, ascii_text

LONG = 600  # signs of a line that is printed whole where something is wrong


def show(text: str) -> None:
    """Print lines; on a terminal, long ones folded between their terms."""
    if not sys.stdout.isatty():
        print(text)
        return
    width = shutil.get_terminal_size().columns
    for line in text.splitlines():
        print("\n".join(folded(line, width)))


def complain(text: str, ascii_only: bool = False) -> None:
    """Print a line on standard error; a mark below a formula stays below its sign."""
    lines = [line if len(line) <= LONG else f"{line[: LONG // 2]} … {line[-LONG // 2 :]}" for line in text.split("\n")]
    print(written_for(sys.stderr, "\n".join(lines), ascii_only, ascii_marked), file=sys.stderr)


def written_for(
    stream: TextIO, text: str, ascii_only: bool = False, fallback: Callable[[str], str] = ascii_text
) -> str:
    """Return the text, or what ``fallback`` makes of it where the stream has not all of its letters."""
    try:
        text.encode("ascii" if ascii_only else stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return fallback(text)
    return text


def ascii_html(text: str) -> str:
    """Return HTML with letters by their numbers."""
    return text.encode("ascii", "xmlcharrefreplace").decode()


def ascii_json(text: str) -> str:
    """Return JSON with letters by their numbers."""
    return json.dumps(json.loads(text), indent=2)


def plain(x: Any) -> Any:
    """Return numbers and lists for JSON, which has no nan."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, list):
        return [plain(v) for v in x]
    return x if isinstance(x, int) or abs(x) < float("inf") else None


def folded(line: str, width: int) -> list[str]:
    """Fold a line at its spaces, what follows indented by four."""
    return textwrap.wrap(
        line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    ) or [line]
