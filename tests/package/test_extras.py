"""Extras: what is missing is said by name, with a command that works; nothing tells to install from an index."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import symgrad as sg
from symgrad.support import extras

ROOT = Path(__file__).parents[2]
USES = {
    "scipy": ["sg.optim.minimize(lambda x: x**2, 1.0)", "sg.optim.root(lambda x: x, 1.0)",
              "sg.sparse_jacobian(lambda x: x**2)(np.ones(3))"],
    "uno": ["sg.optim.nlp(lambda x: x**2, 1.0, solver='uno')"],
    "llvm": ["sg.compile(lambda x: x, backend='llvm')(1.0)"],
    "plot": ["sg.table(lambda x: x**2, [1.0, 2.0]).plot()", "sg.plot('x**2')"],
    "graph": ["sg.graph(sg.tensor(1.0, requires_grad=True) * 2).to_networkx()"],
}  # fmt: skip


@pytest.mark.parametrize(("extra", "use"), [(e, u) for e, uses in USES.items() for u in uses])
def test_a_missing_extra_is_named_with_what_to_do(extra, use):
    package = extras.PACKAGES[extra]
    code = f"""
import sys
sys.modules[{package!r}] = None
import numpy as np, symgrad as sg
try:
    {use}
except sg.errors.MissingExtra as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert f"needs {package}, which is not installed" in said
    assert f"the extra {extra!r}" in said


def test_extras_are_those_of_the_package():
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(declared) == set(extras.PACKAGES)


def test_nothing_tells_to_install_from_an_index_on_which_the_package_is_not():
    said = re.compile(r"pip install [\"']?symgrad")
    pages = [*ROOT.glob("*.md"), *(p for p in ROOT.glob("docs/*.md") if p.name != "release.md")]
    sources = [*ROOT.glob("symgrad/**/*.py"), *ROOT.glob("examples/*.py")]
    found = [p.name for p in pages + sources if said.search(p.read_text("utf-8")) and p.name != "extras.py"]
    assert found == []


def test_the_error_is_an_import_error():
    assert issubclass(sg.errors.MissingExtra, ImportError)
