"""The reference: one page for each group of public names, written before Sphinx reads the sources.

A group takes what it names and nobody before it took, so that a new name of a module lands in that module's last
group by itself. Long groups are cut into pages of about `MOST` bytes of HTML.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx

import symgrad as sg
from symgrad import errors, teach, web
from symgrad.core import device
from symgrad.functions import pointwise
from symgrad.tensors import creation, queries
from symgrad.tensors import random as randoms
from symgrad.tensors.tensor import OF_DTYPE
from symgrad_docs.signatures import of_stub

MOST = 48_000  # bytes of a page's entries, as `weight` estimates them; menus and the frame come on top
FOLDER = "reference"

COMPARISONS = [
    "eq", "ne", "gt", "ge", "lt", "le", "greater", "greater_equal", "less", "less_equal", "not_equal", "isclose",
    "isfinite", "isinf", "isnan", "isneginf", "isposinf", "signbit", "logical_and", "logical_not", "logical_or",
    "logical_xor", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "where", "heaviside",
]  # fmt: skip
ARITHMETIC = [
    "add", "sub", "mul", "div", "pow", "neg", "abs", "square", "sqrt", "rsqrt", "reciprocal", "remainder", "fmod",
    "floor", "ceil", "round", "trunc", "fix", "frac", "floor_divide", "float_power", "addcdiv", "addcmul",
    "gcd", "lcm", "absolute", "subtract", "multiply", "divide", "true_divide", "negative", "positive", "rsub", "sign",
    "sgn",
    "maximum", "minimum", "fmax", "fmin", "clamp", "clip", "clamp_max", "clamp_min", "lerp", "nan_to_num",
    "copysign", "clone", "ldexp", "frexp", "conj", "conj_physical", "real", "imag", "angle", "complex", "polar",
    "view_as_real", "view_as_complex", "adjoint", "resolve_conj", "resolve_neg",
]  # fmt: skip
ERRORS = [n for n, x in vars(errors).items() if inspect.isclass(x) and x.__module__ == errors.__name__]
DTYPES = [
    "float64", "double", "float32", "float", "float16", "half", "int64", "long", "int32", "int", "int16", "short",
    "int8", "uint8", "bool", "complex64", "cfloat", "complex128", "cdouble",
]  # fmt: skip

CONSTANTS = {
    "inf": "∞.", "nan": "Not a number.", "pi": "π.", "e": "Euler's number.",
    "newaxis": "None, which indexes a new axis.", "finfo": "NumPy's limits of floats.",
    "iinfo": "NumPy's limits of integers.", "Size": "The type of shapes, a tuple.",
}  # fmt: skip


@dataclass(frozen=True)
class Group:
    """Public names of a module that are read together.

    Attributes:
        page: the name of the page, the first of them where it is cut.
        title: the heading.
        module: where the names are public.
        names: the names, or None for all that are left.
        intro: a sentence above the entries.
    """

    page: str
    title: str
    module: ModuleType
    names: Iterable[str] | None = None
    intro: str = ""


GROUPS = (
    Group("formulas", "Formulas and symbols", sg, ["symbol", "derive", "parse", "from_sympy"]),
    Group("closed-form", "ClosedForm", sg, ["ClosedForm"]),
    Group("derivatives", "Derivatives of functions", sg, sg.func.__all__),
    Group("compiling", "Compiling, loops, sparse derivatives, export", sg, ["compile", "sparse_jacobian",
          "sparse_hessian", "sparse_hessian_of_lagrangian", "export", "fori_loop", "scan", "associative_scan", "cond",
          "jit", "stop_gradient",
          "switch", "while_loop"]),
    Group("answers", "Roots, fixed points, minima, integrals", sg, ["root", "fixed_point", "custom_root"]),
    Group("teaching", "Explaining, grading, drawing", sg, ["explain", "explore", "study", "tangent",
          "taylor_polynomial", "divergence", "curl", "laplacian", "jacobian_determinant", "directional_derivative",
          "tangent_plane", "chain_rule", "critical_points", "lagrange_multipliers", "closed_interval",
          "normal_equations", "related_rates", "error_propagation", "sensitivity", "elasticity", "newton",
          "euler_lagrange", "graph", "report", "table", "exercises", "sheet", "grade"]),
    Group("tensors", "Creating tensors", sg, creation.__all__),
    Group("random", "Random numbers", sg, randoms.__all__),
    Group("dtypes", "dtypes", sg, DTYPES),
    Group("arithmetic", "Arithmetic, rounding, bounds", sg, ARITHMETIC),
    Group("comparisons", "Comparisons and logic", sg, COMPARISONS),
    Group("pointwise", "Exponentials, trigonometric and special functions", sg, pointwise.__all__),
    Group("shapes", "Shapes: reshaping, joining, cutting", sg, sg.functions.shapes.__all__),
    Group("indexing", "Indexing and scattering", sg, sg.functions.indexing.__all__),
    Group("reductions", "Sums, extrema and other reductions", sg, sg.functions.reductions.__all__),
    Group("sorting", "Sorting and statistics", sg, sg.functions.sorting.__all__),
    Group("algebra", "Products of arrays", sg, sg.functions.algebra.__all__),
    Group("queries", "Properties of tensors", sg, queries.__all__),
    Group("devices", "Devices, constants, old constructors", sg, [*device.__all__, *CONSTANTS, *OF_DTYPE]),
    Group("more", "Modes, files and the rest", sg),
    Group("nn", "symgrad.nn: Module and containers", sg.nn, ["Buffer", "Module", "ModuleDict", "ModuleList",
          "Parameter", "ParameterDict", "ParameterList", "Sequential"]),
    Group("nn.layers", "symgrad.nn: layers and losses", sg.nn),
    Group("nn.functional", "symgrad.nn.functional", sg.nn.functional),
    Group("nn.init", "symgrad.nn.init", sg.nn.init),
    Group("nn.utils", "symgrad.nn.utils", sg.nn.utils),
    Group("nn.utils.rnn", "symgrad.nn.utils.rnn", sg.nn.utils.rnn),
    Group("nn.utils.parametrize", "symgrad.nn.utils.parametrize", sg.nn.utils.parametrize),
    Group("nn.utils.parametrizations", "symgrad.nn.utils.parametrizations", sg.nn.utils.parametrizations),
    Group("optim", "symgrad.optim", sg.optim),
    Group("optim.lr_scheduler", "symgrad.optim.lr_scheduler", sg.optim.lr_scheduler),
    Group("optim.swa_utils", "symgrad.optim.swa_utils", sg.optim.swa_utils),
    Group("control", "symgrad.control", sg.control),
    Group("distributed", "symgrad.distributed", sg.distributed),
    Group("solvers", "symgrad.solvers", sg.solvers),
    Group("linalg", "symgrad.linalg", sg.linalg),
    Group("fft", "symgrad.fft", sg.fft),
    Group("lax", "symgrad.lax", sg.lax),
    Group("prove", "symgrad.prove", sg.prove),
    Group("tree", "symgrad.tree", sg.tree),
    Group("tree_util", "symgrad.tree_util", sg.tree_util),
    Group("flatten_util", "symgrad.flatten_util", sg.flatten_util),
    Group("keys", "symgrad.random", sg.random),
    Group("signal", "symgrad.signal", sg.signal, [n for n in sg.signal.__all__ if n != "windows"]),
    Group("signal.windows", "symgrad.signal.windows", sg.signal.windows),
    Group("special", "symgrad.special", sg.special),
    Group("stats", "symgrad.stats", sg.stats, [n for n in sg.stats.__all__ if n != "transforms"]),
    Group("stats.transforms", "symgrad.stats.transforms", sg.stats.transforms),
    Group("autograd", "symgrad.autograd", sg.autograd),
    Group("autograd.functional", "symgrad.autograd.functional", sg.autograd.functional),
    Group("autograd.forward_ad", "symgrad.autograd.forward_ad", sg.autograd.forward_ad),
    Group("autograd.graph", "symgrad.autograd.graph", sg.autograd.graph),
    Group("func", "symgrad.func", sg.func),
    Group("utils", "symgrad.utils", sg.utils),
    Group("utils.checkpoint", "symgrad.utils.checkpoint", sg.utils.checkpoint),
    Group("utils.data", "symgrad.utils.data", sg.utils.data),
    Group("exports", "symgrad.exports", sg.exports),
    Group("teach", "symgrad.teach", teach),
    Group("web", "symgrad.web", web),
    Group("testing", "symgrad.testing", sg.testing),
    Group("errors", "symgrad.errors", errors, ERRORS),
)  # fmt: skip

DATA = {  # what has no docstring of its own
    **{name: f"NumPy's dtype ``{getattr(sg, name).name}``, under PyTorch's name." for name in DTYPES},
    **CONSTANTS,
    **{
        name: f"Create a tensor of dtype {kind.dtype}. ``isinstance`` is True for all tensors of this dtype."
        for name, kind in OF_DTYPE.items()
    },
    **dict.fromkeys(("cuda", "mps"), "Devices that symgrad does not support: ``is_available()`` is False."),
    "accelerator": "``torch.accelerator`` on a machine that has only a CPU.",
    "backends": "``torch.backends``. Its switches are accepted and have no effect.",
    **dict.fromkeys(("strided", "preserve_format", "contiguous_format", "channels_last"), "Accepted, without effect."),
    "default_generator": "The ``Generator`` of all random numbers for which no other is passed.",
    "TARGETS": "The names of the targets of ``sg.export``.",
    "TOPICS": "The topics of ``sg.exercises``, each with its description.",
    "SLIPS": "The mistakes that ``sg.grade`` recognises, each with a sentence about it.",
}


@dataclass(frozen=True)
class Page:
    """A page of the reference: a group, or a part of one, whose first and last names ``part`` has."""

    name: str
    group: Group
    names: tuple[str, ...]
    part: str = ""

    @property
    def title(self) -> str:
        """The heading."""
        return f"{self.group.title}, {self.part}" if self.part else self.group.title


@cache
def pages() -> tuple[Page, ...]:
    """Every page but those of the tensor, in the order of the groups."""
    taken: set[tuple[ModuleType, str]] = {(sg, "Tensor")}
    found: list[Page] = []
    for group in GROUPS:
        asked = group.module.__all__ if group.names is None else group.names
        names = [n for n in dict.fromkeys(asked) if (group.module, n) not in taken and shown(group.module, n)]
        taken.update((group.module, n) for n in names)
        found += cut(group, names)
    return tuple(found)


def shown(module: ModuleType, name: str) -> bool:
    """Whether a module has this name in public, and it is no module."""
    public = name in getattr(module, "__all__", (name,))
    return public and not isinstance(getattr(module, name), ModuleType)


def cut(group: Group, names: list[str]) -> Iterator[Page]:
    """A group's pages: one, or parts of about the same length, in the order of the alphabet."""
    total = sum(weight(getattr(group.module, n)) for n in names)
    if total <= MOST or len(names) == 1:
        if names:
            yield Page(group.page, group, tuple(names))
        return
    names = sorted(names, key=lambda n: (n.casefold(), n))
    parts: list[list[str]] = [[]]
    filled = 0
    for name in names:
        size = weight(getattr(group.module, name))
        if parts[-1] and filled + size > MOST:
            parts.append([])
            filled = 0
        parts[-1].append(name)
        filled += size
    for k, part in enumerate(parts):
        page = group.page if k == 0 else f"{group.page}-{k + 1}"
        yield Page(page, group, tuple(part), f"{part[0]} – {part[-1]}" if len(part) > 1 else part[0])


def weight(value: Any) -> int:
    """About how many bytes of HTML an entry makes; those of a class's methods count with it."""
    if not inspect.isclass(value):
        return 850 + 3 * len(inspect.getdoc(value) or "") + 10 * shown_code(value) + 21 * len(signatures(value))
    methods = {n: x for n, x in inspect.getmembers(value) if not n.startswith("_") and inspect.isfunction(x)}
    inherited = issubclass(value, sg.optim.Optimizer)
    return (
        weight(value.__init__)
        + 3 * len(inspect.getdoc(value) or "")
        + 10 * shown_code(value)
        + sum(weight(x) for n, x in methods.items() if inherited or n in vars(value))
    )


def shown_code(value: Any) -> int:
    """How many letters of a docstring are code, each of which is marked up by itself."""
    lines = (inspect.getdoc(value) or "").splitlines()
    return sum(len(line) for line in lines if line.startswith((">>>", "...")))


# ------------------------------------------------------------------ writing
def write(folder: Path) -> None:
    """Write every page anew; those that stay the same keep their times, and Sphinx reads them no second time."""
    texts = {page.name: text(page) for page in pages()} | {"tensor": TENSOR}
    texts |= {name: made(half) for name, (made, half) in halves().items()}
    texts = {f"{name}.rst": body + further(name, texts) for name, body in texts.items()}
    texts["contents.txt"] = contents()
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.name not in texts:
            old.unlink()
    for name, new in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            path.write_text(new, encoding="utf-8")


def first_page(page: str) -> str:
    """The page that a group begins with: of ``algebra-2``, ``algebra``."""
    return re.sub(r"-\d+$", "", page)


def further(page: str, names: Iterable[str]) -> str:
    """The hidden table of the other pages of a group, which menus show where the group is open."""
    others = [name for name in names if name != page == first_page(name)]
    return "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {name}\n" for name in others) if others else ""


def link(page: Page, folder: str = "") -> str:
    """A link to a page, by the names that it has of its group."""
    return f":doc:`{page.part or page.title} <{folder}{page.name}>`"


def escaped(text: str) -> str:
    """Names in running text: a ``_`` at their end would make references of them."""
    return re.sub(r"_(?!\w)", r"\_", text)


def heading(title: str) -> str:
    """A title and the line below it."""
    title = escaped(title)
    return f"{title}\n{'=' * len(title)}\n\n"


def text(page: Page) -> str:
    """A page: its heading, a table of its names, and the entries."""
    module = page.group.module.__name__
    whole = page == next(p for p in pages() if p.group.module is page.group.module) and page.group.module is not sg
    out = heading(page.title) + f".. {'automodule' if whole else 'currentmodule'}:: {module}\n\n"
    if page.part:
        out += " · ".join(link(p) if p != page else f"**{escaped(p.part)}**" for p in pages() if p.group == page.group)
        out += "\n\n"
    listed = [n for n in page.names if n not in DATA]
    if len(listed) > 1:
        out += ".. autosummary::\n   :nosignatures:\n\n" + "".join(f"   {n}\n" for n in listed) + "\n"
    return out + "\n".join(entry(page.group.module, n) for n in page.names)


def entry(module: ModuleType, name: str) -> str:
    """The directive of a name."""
    full, value = f"{module.__name__}.{name}", getattr(module, name)
    if name in DATA:
        return f".. py:data:: {full}\n\n   {DATA[name]}\n"
    if isinstance(value, (sg.stats.Distribution, sg.stats.Multivariate)):
        return f".. py:data:: {full}\n\n" + indented(inspect.getdoc(value) or "")
    kind = "function" if not inspect.isclass(value) else "exception" if issubclass(value, BaseException) else "class"
    first = owners().get(id(value), full)
    if first != full:
        arguments = of_stub(full) or (signature(value) if kind == "function" else "", "")
        returns = f" -> {arguments[1]}" if arguments[1] else ""
        return f".. py:{kind}:: {name}{arguments[0]}{returns}\n\n   Another name of :py:obj:`{first}`.\n"
    inherited = "   :inherited-members:\n" if module is sg.optim else ""
    return f".. auto{kind}:: {full}\n" + (f"   :members:\n{inherited}" if kind == "class" else "")


def indented(text: str) -> str:
    """The lines of a directive's body."""
    return "".join(f"   {line}\n" if line else "\n" for line in text.splitlines())


@cache
def owners() -> dict[int, str]:
    """The full name under which each value is described: its first one that is also the one it was defined with."""
    found: dict[int, str] = {}
    named = [(page.group.module, n, getattr(page.group.module, n)) for page in pages() for n in page.names]
    for own in (True, False):
        for module, name, value in named:
            if (getattr(value, "__name__", name) == name) is own and name not in DATA:
                found.setdefault(id(value), f"{module.__name__}.{name}")
    return found


def signature(value: Any) -> str:
    """What stands behind a function's name."""
    try:
        return str(inspect.signature(value)).replace("'", "")
    except (TypeError, ValueError):
        return "()"


def signatures(value: Any) -> str:
    """What stands behind a function's name, once for each of its overloads."""
    overloads = typing.get_overloads(inspect.unwrap(value)) if inspect.isfunction(value) else []
    return "".join(map(signature, overloads)) or signature(value)


def contents() -> str:
    """The tables of contents that the reference's first page includes, hidden, and links to all parts of groups."""
    of_arrays = [page for page in pages() if page.group.module is sg]
    of_modules = [page for page in pages() if page.group.module is not sg]
    names = ["tensor", *halves(), *(page.name for page in of_arrays + of_modules)]
    out = ".. toctree::\n   :hidden:\n\n" + "".join(f"   {FOLDER}/{n}\n" for n in dict.fromkeys(map(first_page, names)))
    tensor = [f"- :doc:`{FOLDER}/{name}`\n" for name in ("tensor", *halves())]
    return out + rubric("symgrad", tensor + lines(of_arrays)) + rubric("Modules", lines(of_modules))


def rubric(title: str, items: list[str]) -> str:
    """A heading that is not in the menu, and a list."""
    return f"\n.. rubric:: {title}\n\n" + "".join(items)


def lines(listed: list[Page]) -> list[str]:
    """A line of a list for each group, with links to its parts."""
    groups: dict[str, list[Page]] = {}
    for page in listed:
        groups.setdefault(page.group.title, []).append(page)
    cuts = {title: f"{title}: " if parts[0].part else "" for title, parts in groups.items()}
    return [f"- {cuts[title]}{' · '.join(link(p, f'{FOLDER}/') for p in parts)}\n" for title, parts in groups.items()]


TENSOR = """\
symgrad.Tensor
==============

A tensor has :doc:`methods and attributes of arrays <attributes>`, and :doc:`functions as methods <methods>`.

.. autoclass:: symgrad.Tensor
   :members:
"""


@cache
def halves() -> dict[str, tuple[Callable[[list[str]], str], list[str]]]:
    """The pages of what a tensor has beside gradients, two of each kind: what writes one, and its names."""
    names = [n for n in dir(sg.Tensor) if not n.startswith("_") and n not in vars(sg.Tensor)]
    found = {}
    for page, made, listed in (
        ("attributes", attributes, [n for n in names if not function_of(n)]),
        ("methods", methods, [n for n in names if function_of(n)]),
    ):
        half = len(listed) // 2
        found |= {page: (made, listed[:half]), f"{page}-2": (made, listed[half:])}
    return found


def attributes(names: list[str]) -> str:
    """A page of what the array in a tensor is asked and turned into, and no function describes."""
    kinds = {n: "method" if callable(getattr(sg.Tensor, n)) else "property" for n in names}
    out = heading(f"Tensors as arrays, {names[0]} – {names[-1]}")
    return out + "\n".join(f".. auto{kinds[n]}:: symgrad.Tensor.{n}\n" for n in names)


def methods(names: list[str]) -> str:
    """A page of the methods that a function of the same name describes."""
    out = heading(f"Methods that are functions, {names[0]} – {names[-1]}")
    out += "``x.name(…)`` is the function with ``x`` first; a name that ends in ``_`` changes ``x``.\n\n"
    for name in names:
        out += f".. py:method:: symgrad.Tensor.{name}\n   :no-typesetting:\n   :no-contents-entry:\n\n"
    return out + ",\n".join(f":py:obj:`{name} <{function_of(name)}>`" for name in names) + "\n"


def function_of(method: str) -> str | None:
    """The full name of the function that a method is."""
    for module in (sg, sg.linalg, sg.special, sg.nn.functional):
        for name in (method, method.rstrip("_")):
            if name in module.__all__:
                return f"{module.__name__}.{name}"
    return None


def setup(app: Sphinx) -> None:
    """Write the pages once Sphinx knows where the sources are."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / FOLDER))
