"""The reference covers every public name: each public module stands in it, and what the module lists has a docstring.

Sphinx writes the entries from the docstrings, and leaves out what has none. The list of examples has them all.
"""

import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import symgrad as sg

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


@cache
def modules():
    """symgrad, the modules among its public names, those among theirs, and so on."""
    found = [sg]
    for module in found:
        inner = [getattr(module, name) for name in getattr(module, "__all__", ())]
        found += [m for m in inner if isinstance(m, ModuleType) and m not in found]
    return found


def names():
    """(module, name) of everything public that is no module."""
    public = [(m, n) for m in modules() for n in getattr(m, "__all__", ())]
    return [(m, n) for m, n in public if not isinstance(getattr(m, n), ModuleType)]


@pytest.mark.parametrize("module", [m for m in modules() if getattr(m, "__all__", ())], ids=lambda m: m.__name__)
def test_public_module_is_in_the_reference(module):
    if all(isinstance(getattr(module, n), ModuleType) for n in module.__all__):
        pytest.skip("holds modules only")
    assert re.search(rf"^\.\. automodule:: {re.escape(module.__name__)}$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("module", "name"), names(), ids=lambda x: getattr(x, "__name__", x))
def test_public_name_has_a_docstring_or_stands_on_the_page(module, name):
    found = getattr(module, name)
    if callable(found):
        assert (found.__doc__ or "").strip()
    else:
        assert f"`{name}`" in PAGE


def test_every_attribute_of_a_tensor_has_a_docstring():
    own = [name for name in dir(sg.Tensor) if not name.startswith("_")]
    assert [name for name in own if not (getattr(sg.Tensor, name).__doc__ or "").strip()] == []


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_example_is_short_and_listed(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 80
    assert f"| `{path.name}` |" in (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
