"""The pictures of the documentation: each has an alternative text and a place, and each example has a picture."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DIRECTIVE = re.compile(r"^```\{picture\} (\w+)$", re.MULTILINE)


def drawn():
    """The docstring of each picture, by its name: of public functions without arguments."""
    found = {}
    for path in DOCS.glob("pictures/*.py"):
        if path.stem in ("__init__", "pages"):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                found[node.name] = ast.get_docstring(node) or ""
    return found


def test_every_picture_has_an_alternative_text():
    assert len(drawn()) >= 25
    assert [name for name, said in drawn().items() if len(said) < 40] == []


def test_every_picture_of_a_page_is_drawn():
    asked = {name for page in DOCS.glob("*.md") for name in DIRECTIVE.findall(page.read_text(encoding="utf-8"))}
    assert asked - set(drawn()) == set()


def test_every_picture_is_on_the_page_of_pictures_or_of_an_example():
    shown = DIRECTIVE.findall((DOCS / "pictures.md").read_text(encoding="utf-8"))
    examples = [f"example_{path.stem}" for path in (ROOT / "examples").glob("*.py")]
    assert sorted([*shown, *examples]) == sorted(drawn())


@pytest.mark.parametrize(
    "page", ["from-pytorch", "from-jax", "from-scipy", "from-sympy", "from-casadi", "from-matlab", "pictures"]
)
def test_first_page_leads_there(page):
    assert f"]({page}.md)" in (DOCS / "index.md").read_text(encoding="utf-8")
