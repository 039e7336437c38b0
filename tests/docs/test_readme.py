"""README: its table says what is true, its picture is what the script draws, and it stays short."""

import doctest
import importlib.util
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "README.md").read_text("utf-8")
TABLE = PAGE.partition("| you want |")[2].partition("\n\n")[0]
ROWS = re.findall(r"^\| ([^|`]+) \| `(.+?)` \| `(.+?)` \|$", TABLE, re.M)
COMMANDS = [
    'python3 -m venv .venv && .venv/bin/pip install ".[examples]" && .venv/bin/python examples/quickstart.py',
    "python3 -m venv .venv && .venv/bin/pip install --upgrade pip && .venv/bin/pip install . --group test && "
    ".venv/bin/pytest -n 2 -m quick",
]


@pytest.fixture(scope="module")
def names():
    """What the code above the table defines."""
    code = PAGE.partition("```pycon\n")[2].partition("```")[0]
    found = {}
    for example in doctest.DocTestParser().get_examples(code):
        exec(example.source, found)
    return found


def test_every_row_of_the_table_is_read():
    assert len(ROWS) == len(TABLE.splitlines()) - 2 >= 10


@pytest.mark.parametrize(("wanted", "code", "shown"), ROWS, ids=[wanted for wanted, _, _ in ROWS])
def test_what_you_write_gives_what_you_get(wanted, code, shown, names):
    if "optim" in code:
        pytest.importorskip("scipy", reason="SciPy is not installed")
    *before, last = code.split("; ")
    for statement in before:
        exec(statement, names)
    value = eval(last, names)
    found = value if isinstance(value, str) else repr(value) if "array" in repr(value) else str(value)
    pattern = ".*".join(re.escape(" ".join(part.split())) for part in shown.replace(" …", "…").split("…"))
    assert re.fullmatch(pattern, " ".join(found.split()), re.S), found


def test_the_commands_are_those_that_are_promised():
    assert re.findall(r"```sh\n(.+)\n```", PAGE) == COMMANDS


def test_the_picture_is_what_the_script_draws():
    spec = importlib.util.spec_from_file_location("readme_picture", ROOT / "docs" / "readme_picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert f"]({module.PLACE.relative_to(ROOT).as_posix()})" in PAGE
    drawn = module.picture()
    ET.fromstring(drawn)
    assert module.PLACE.read_text("utf-8") == drawn, "run python docs/readme_picture.py"


def test_it_is_read_in_a_minute():
    assert len(PAGE.splitlines()) <= 95
