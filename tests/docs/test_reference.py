"""The reference has a place for every public name, and no page of it is long.

Sphinx writes the entries from the docstrings, and leaves out what has none. The list of examples has them all.
"""

import importlib
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import symgrad as sg

ROOT = Path(__file__).parents[2]


@cache
def reference():
    """What writes the pages of the reference, which Sphinx finds beside its configuration."""
    pytest.importorskip("sphinx")
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        return importlib.import_module("symgrad_docs.reference")
    finally:
        sys.path.remove(str(ROOT / "docs"))


@cache
def places():
    """(module, name) of every entry of the reference."""
    return [(page.group.module, name) for page in reference().pages() for name in page.names]


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


@pytest.mark.parametrize(("module", "name"), names(), ids=lambda x: getattr(x, "__name__", x))
def test_public_name_has_one_place_and_a_docstring(module, name):
    assert places().count((module, name)) == ((module, name) != (sg, "Tensor"))
    found = getattr(module, name)
    described = found.__doc__ if callable(found) else reference().DATA[name]
    assert (described or "").strip()


def test_every_error_has_a_place():
    errors = {n for n, x in vars(sg.errors).items() if isinstance(x, type) and x.__module__ == "symgrad.errors"}
    assert {name for module, name in places() if module is sg.errors} == errors


def test_every_attribute_of_a_tensor_has_a_place():
    listed = [name for _, half in reference().halves().values() for name in half]
    own = [name for name in dir(sg.Tensor) if not name.startswith("_") and name not in vars(sg.Tensor)]
    assert sorted(listed) == own


def test_a_signature_has_the_types_of_the_stub():
    reference()
    of_stub = sys.modules["symgrad_docs.signatures"].of_stub
    assert of_stub("symgrad.exp") == ("(input: Any, *, out: Any=None)", "Tensor")
    assert of_stub("symgrad.Tensor.exp") == ("()", "Tensor")
    assert of_stub("symgrad.linalg.cond")[0].startswith("(A: Any, p: ")
    assert of_stub("symgrad.derive") is None


def test_every_page_is_written_and_listed(tmp_path):
    module = reference()
    module.write(tmp_path)
    written = {path.stem for path in tmp_path.glob("*.rst")}
    tables = [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    entries = [re.findall(r"^   (?:reference/)?([\w.-]+)$", t.partition("toctree::")[2], re.M) for t in tables]
    assert Counter(name for names in entries for name in names if name in written) == Counter(written)
    assert ".. autofunction:: symgrad.derive\n" in (tmp_path / "formulas.rst").read_text(encoding="utf-8")


def test_a_group_that_is_long_is_cut_into_pages():
    module = reference()
    for page in module.pages():
        values = [getattr(page.group.module, name) for name in page.names]
        assert len(values) == 1 or sum(map(module.weight, values)) < 1.5 * module.MOST


def test_every_attribute_of_a_tensor_has_a_docstring():
    own = [name for name in dir(sg.Tensor) if not name.startswith("_")]
    assert [name for name in own if not (getattr(sg.Tensor, name).__doc__ or "").strip()] == []


LONGER = {"power_flow.py": 175, "race_car.py": 105, "mpc_in_c.py": 120}  # with data, and a controller


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_example_is_short_and_listed(path):
    most = LONGER.get(path.name, 80)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= most
    assert f"| `{path.name}` |" in (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")


def test_a_page_that_is_too_long_is_told(tmp_path):
    page_sizes = importlib.import_module("page_sizes")
    (tmp_path / "reference").mkdir()
    for name, size in {
        "index": 150_000,
        "reference/short": 99_000,
        "reference/long": 101_000,
        "changelog": 10**6,
    }.items():
        (tmp_path / f"{name}.html").write_bytes(b" " * size)
    assert [(page.stem, size) for page, size, _ in page_sizes.too_long(tmp_path)] == [("long", 101_000)]
