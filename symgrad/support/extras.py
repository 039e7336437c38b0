"""What is installed beside symgrad, and what to do about what is not: the one place that says how it is installed.

symgrad is not on an index yet. When it is, ``HOW`` becomes ``pip install 'symgrad[{extra}]'``; see docs/release.md.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from symgrad.errors import MissingExtra

HOW = 'pip install ".[{extra}]" in a copy of symgrad'
PACKAGES = {
    "arviz": "arviz",
    "bayes": "nutpie",
    "blackjax": "blackjax",
    "clarabel": "clarabel",
    "dask": "dask",
    "emcee": "emcee",
    "examples": "sklearn",
    "graph": "networkx",
    "llvm": "llvmlite",
    "mici": "mici",
    "nlp": "cyipopt",
    "notebook": "anywidget",
    "osqp": "osqp",
    "piqp": "piqp",
    "plot": "matplotlib",
    "progress": "tqdm",
    "proved": "flint",
    "scipy": "scipy",
    "uno": "unopy",
    "web": "starlette",
}
# where a package has another name there
_ON_AN_INDEX = {"cyipopt": "cyipopt-wheels", "flint": "python-flint", "sklearn": "scikit-learn"}


def is_installed(extra: str) -> bool:
    """Whether the package of an extra is there; a name that was set to None in ``sys.modules`` is not."""
    try:
        return importlib.util.find_spec(PACKAGES[extra]) is not None
    except ValueError:
        return False


def needs(what: str, extra: str) -> None:
    """Raise MissingExtra, which says what needs the extra and how it is installed, where it is not."""
    if not is_installed(extra):
        package = PACKAGES[extra]
        name = _ON_AN_INDEX.get(package, package)
        raise MissingExtra(
            f"{what} needs {name}, which is not installed. Run pip install {name}, or for the extra {extra!r} "
            f"{HOW.format(extra=extra)}."
        )


def required(what: str, extra: str, module: str) -> Any:
    """Return a module of an extra's package; raise MissingExtra where it is not installed."""
    needs(what, extra)
    return importlib.import_module(module)
