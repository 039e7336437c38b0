"""How a tensor prints: plain values in, the text that torch shows for them out.

Bottom layer: imports errors only and knows no Tensor. One notation (integer, fixed or scientific) and one
width are chosen for the whole tensor, from the numbers that will be shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from symgrad.core.promotion import complexes, is_complex, is_floating
from symgrad.errors import ArgumentError
from symgrad.support.arguments import checked
from symgrad.support.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Array: TypeAlias = "NDArray[Any]"
Number = Any  # a Python bool, int or float
Notation = Callable[[Number], str]

LOGARITHMS = ("log", "ln")  # what the natural logarithm is called
_PREFIX = "tensor("
_WIDEST_RATIO = 1e3  # fixed notation spans at most this between the smallest and the largest number,
_FIXED_RANGE = (1e-4, 1e8)  # all of them within this range
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "logarithm": "log"},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


class _Options:
    """The options that ``set_printoptions`` sets."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None
    logarithm: str = "log"


@frozen
class _Style:
    """What the whole tensor shares: how a number is written, how wide, and whether only edges are shown."""

    notation: Notation
    width: int
    cut: bool

    def cell(self, number: Number) -> str:
        """The number, flush right in its column."""
        return self.notation(number).rjust(self.width)


options = _Options()


@checked
def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
    logarithm: str | None = None,
) -> None:
    """Set options for printing tensors and formulas. Omitted options do not change, except sci_mode, which is reset.

    Args:
        precision: the number of digits after the decimal point.
        threshold: the number of entries above which only the edges are shown.
        edgeitems: the number of entries at each edge.
        linewidth: the number of columns.
        profile: "default", "short" or "full", applied before the other options.
        sci_mode: True or False to force scientific or fixed notation; None to choose it from the numbers.
        logarithm: the name of the natural logarithm in formulas, "log" or "ln".

    Raises:
        ArgumentError: if the profile or the name of the logarithm is unknown.

    >>> set_printoptions(precision=2)
    >>> format_tensor(np.array([0.125, 3.0]), default_dtype=np.dtype(float))
    'tensor([0.12, 3.00])'
    >>> set_printoptions(profile="default")
    """
    if logarithm is not None and logarithm not in LOGARITHMS:
        raise ArgumentError(f"set_printoptions: logarithm must be 'log' or 'ln'; got {logarithm!r}")
    passed: dict[str, Any] = {
        "precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth,
        "logarithm": logarithm,
    }  # fmt: skip
    chosen = {name: setting for name, setting in passed.items() if setting is not None}
    for name, setting in {**_profile(profile), **chosen, "sci_mode": sci_mode}.items():
        setattr(options, name, setting)


@contextmanager
def logarithm_called(word: str) -> Iterator[None]:
    """Write the natural logarithm as ``word``, "log" or "ln", within the block."""
    before, options.logarithm = options.logarithm, word
    try:
        yield
    finally:
        options.logarithm = before


def format_tensor(value: Array | float, *, suffixes: Sequence[str] = (), default_dtype: DTypeLike) -> str:
    """The text of a tensor, as PyTorch 2.13 writes it, with NumPy's names for dtypes.

    Args: value, of any shape, where a Python float counts as default_dtype; suffixes, what follows the
    numbers and the dtype, such as "requires_grad=True"; default_dtype, the float dtype that goes unsaid.
    Returns one string, of several lines where the numbers need them.

    >>> format_tensor(np.array([1.0, -2.5]), default_dtype=np.dtype(float))
    'tensor([ 1.0000, -2.5000])'
    >>> format_tensor(2.0, suffixes=["requires_grad=True"], default_dtype=np.dtype(float))
    'tensor(2., requires_grad=True)'
    """
    default = np.dtype(default_dtype)
    array = np.asarray(value, dtype=default if type(value) is float else None)
    return _joined(_PREFIX + _contents(array), [*_description(array, default), *suffixes])


def _profile(name: str | None) -> dict[str, Any]:
    """The settings of a named profile, none without a name."""
    if name is None:
        return {}
    if name not in _PROFILES:
        names = ", ".join(_PROFILES)
        raise ArgumentError(f"set_printoptions: unknown profile: {name!r}. Expected one of {names}.")
    return _PROFILES[name]


def _description(array: Array, default: np.dtype[Any]) -> list[str]:
    """The size and the dtype, each only where the numbers shown do not tell."""
    empty = array.size == 0
    told = [default] if empty else [default, complexes(default), np.dtype(np.int64), np.dtype(np.bool_)]
    sized = array.ndim != 1 if empty else not options.edgeitems
    size = [f"size={array.shape}"] if sized else []
    return size if array.dtype in told else [*size, f"dtype={array.dtype.name}"]


def _joined(text: str, suffixes: Sequence[str]) -> str:
    """The text and its suffixes, each on the current line where it fits, else on a new one."""
    # torch leaves two columns to spare on the line where the numbers end, and none on those that follow
    column = len(text.rpartition("\n")[2]) + 2
    for suffix in suffixes:
        fits = column + 2 + len(suffix) <= options.linewidth
        text += (", " if fits else ",\n" + " " * len(_PREFIX)) + suffix
        column = (column + 2 if fits else len(_PREFIX)) + len(suffix)
    return text + ")"


def _contents(array: Array) -> str:
    """The numbers between the outer parentheses."""
    if array.size == 0:
        return "[]"
    cut = array.size > options.threshold
    return _nested(array, len(_PREFIX), _style(_edges(array) if cut else array, cut))


def _edges(array: Array) -> Array:
    """The part of the array that a summary shows."""
    edge = options.edgeitems
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            shown = np.r_[0:edge, size - edge : size]
            array = array.take(shown, axis=axis)
    return array


def _style(shown: Array, cut: bool) -> _Style:
    """The notation that suits the numbers shown, and the width that the widest one needs."""
    if is_complex(shown.dtype):
        return _of_parts(_style(shown.real, False).notation, _style(shown.imag, False).notation, shown, cut)
    if not is_floating(shown.dtype):
        return _Style(str, _widest(str, shown), cut)
    # zeros, nans and infinities have no say: torch lets them stick out of their column
    counted = shown[np.isfinite(shown) & (shown != 0)]
    notation = _notation(counted)
    return _Style(notation, _widest(notation, counted), cut)


def _of_parts(real: Notation, imag: Notation, shown: Array, cut: bool) -> _Style:
    """Real and imaginary parts, each in the notation that suits them all."""

    def notation(z: Number) -> str:
        part = imag(z.imag)
        return f"{real(z.real)}{'' if part.startswith('-') else '+'}{part}j"

    return _Style(notation, _widest(notation, shown), cut)


def _widest(notation: Notation, numbers: Array) -> int:
    """The width of the widest number."""
    return max((len(notation(number)) for number in numbers.ravel().tolist()), default=1)


def _notation(counted: Array) -> Notation:
    """Scientific, integer or fixed notation, as suits all these numbers, finite and not zero."""
    if counted.size and _is_scientific(counted):
        return lambda number: f"{number:.{options.precision}e}"
    if np.all(counted == np.ceil(counted)):
        return lambda number: f"{number:.0f}." if math.isfinite(number) else str(number)
    return lambda number: f"{number:.{options.precision}f}"


def _is_scientific(counted: Array) -> bool:
    """Whether fixed notation would lose digits or run too wide, unless sci_mode decides."""
    if options.sci_mode is not None:
        return options.sci_mode
    sizes = np.abs(counted)
    low, high = float(sizes.min()), float(sizes.max())
    return high / low > _WIDEST_RATIO or low < _FIXED_RANGE[0] or high > _FIXED_RANGE[1]


def _nested(array: Array, indent: int, style: _Style) -> str:
    """A number as its cell, a vector as wrapped cells, anything else as its parts one below the other."""
    if array.ndim == 0:
        return style.cell(array.item())
    edge = options.edgeitems
    cut = style.cut and len(array) > 2 * edge
    shown = [*array[:edge], *array[len(array) - edge :]] if cut else list(array)
    parts = [_nested(part, indent + 1, style) for part in shown]
    if cut:
        parts.insert(edge, " ..." if array.ndim == 1 and edge else "...")
    if array.ndim == 1:
        parts = _lines(parts, (options.linewidth - indent) // (style.width + len(", ")))
    newlines = "\n" * max(1, array.ndim - 1)
    return "[" + f",{newlines}{' ' * (indent + 1)}".join(parts) + "]"


def _lines(cells: list[str], count: int) -> list[str]:
    """The cells of a vector, count to a line, at least one."""
    count = max(1, count)
    return [", ".join(cells[start : start + count]) for start in range(0, len(cells), count)]
