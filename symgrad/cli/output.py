"""Text for a terminal: formulas folded to its width. Imports nothing of symgrad."""

from __future__ import annotations

import shutil
import sys
import textwrap


def show(text: str) -> None:
    """Print lines; on a terminal, long ones folded between their terms."""
    if not sys.stdout.isatty():
        print(text)
        return
    width = shutil.get_terminal_size().columns
    for line in text.splitlines():
        print("\n".join(folded(line, width)))


def folded(line: str, width: int) -> list[str]:
    """Fold a line at its spaces, what follows indented by four."""
    return textwrap.wrap(
        line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    ) or [line]
