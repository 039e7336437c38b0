"""The gallery of examples: a page for each program with picture, code and what it printed, and a card for each."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

FOLDER = "examples"
EXAMPLES = Path(__file__).parents[2] / "examples"
MARKUP = re.compile(r"([*_|\\])")


def programs() -> list[Path]:
    """The programs, by name."""
    return sorted(EXAMPLES.glob("*.py"))


def printed(program: Path) -> str:
    """What a program prints when it is run, in a process of its own; that it runs is checked with it."""
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    if done.returncode:
        raise ExtensionError(f"{program.name} failed:\n{done.stderr}")
    return done.stdout


def told(program: Path) -> tuple[str, str, str]:
    """The first sentence of a program's docstring, the rest of it, and how it is run, for reStructuredText."""
    doc = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or ""
    first, _, rest = doc.partition("\n\n")
    lines = [line for line in rest.splitlines() if not line.startswith("Run")]
    run = next((line for line in doc.splitlines() if line.startswith("Run")), "")
    command = run.partition(":")[2].strip() or f"python examples/{program.name}"
    return MARKUP.sub(r"\\\1", first), MARKUP.sub(r"\\\1", "\n".join(lines)), command


def page(program: Path) -> str:
    """The page of a program."""
    first, rest, command = told(program)
    title = program.name
    output = "\n".join("   " + line for line in printed(program).splitlines())
    return f"""\
{title}
{"=" * len(title)}

{first}

.. picture:: example_{program.stem}

{rest}

:download:`Download {program.name} <../../examples/{program.name}>`, or run it in a copy of the repository:

.. code-block:: console

   $ {command}

What it prints
--------------

.. code-block:: text

{output}

The program
-----------

.. literalinclude:: ../../examples/{program.name}
   :language: python
"""


def cards() -> str:
    """A card for each program, and their table of contents."""
    out = ".. container:: cards\n\n"
    for program in programs():
        out += f"   .. container:: card\n\n      .. picture:: example_{program.stem}\n\n"
        out += f"      :doc:`{program.name} </{FOLDER}/{program.stem}>`\n\n      {told(program)[0]}\n\n".replace(
            "\n", "\n"
        )
    listed = "".join(f"   {program.stem}\n" for program in programs())
    return out + f".. toctree::\n   :hidden:\n\n{listed.replace('   ', '   /examples/')}"


def write(folder: Path) -> None:
    """Run every program, and write the pages."""
    folder.mkdir(exist_ok=True)
    for program in programs():
        (folder / f"{program.stem}.rst").write_text(page(program), encoding="utf-8")
    (folder / "cards.txt").write_text(cards(), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Write the pages once Sphinx knows where the sources are."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / FOLDER))
