"""The user's einsum, lowered to the operation Einsum: implicit output, ellipsis, lists of axes, broadcasting.

The error messages are PyTorch's.
"""

from __future__ import annotations

import operator
import string
from collections.abc import Sequence
from typing import Any

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.ops.contract import LETTERS, Einsum
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Reshape

DOTS = "…"  # one character for the ellipsis


def _operands(equation: Any, operands: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Return the equation and the tensors, in whichever of the three ways they are passed."""
    if not isinstance(equation, str):
        equation, operands = _from_lists((equation, *operands))
    elif len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not operands:
        raise ArgumentError(_NOTHING)
    return equation, operands


def _once(terms: Sequence[str]) -> str:
    """Return the axes of a result that is not named: those that occur once, in alphabetical order."""
    every = "".join(terms).replace(DOTS, "")
    return DOTS + "".join(sorted(c for c in every if every.count(c) == 1))


def einsum(equation: Any, *operands: Any) -> Any:
    """Compute a sum of products in index notation: "ij,jk->ik" is Σ_j a_ij b_jk.

    Args:
        equation: the letters of each operand's axes, separated by commas, then "->" and the letters of the
            result. Without "->", the result has the letters that occur once, in alphabetical order. "..." stands
            for any number of axes, which broadcast, like axes of length one.
        operands: tensors, or one list of tensors. Without an equation, each operand is followed by the list of the
            numbers of its axes, from 0 to 51, with Ellipsis for "..."; a list at the end gives the axes of the result.

    Returns:
        A tensor with the axes of the result.

    Raises:
        ArgumentError: if the equation is malformed.
        ShapeError: if the operands do not fit it.

    >>> sg.einsum("ij,j", sg.tensor([[1.0, 2.0], [3.0, 4.0]]), sg.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    equation, operands = _operands(equation, operands)
    shapes = [shape(x) for x in operands]
    terms, output = _parse(equation, shapes)
    ranks = [len(s) - len(t.replace(DOTS, "")) for t, s in zip(terms, shapes, strict=True)]
    names = _ellipsis_letters(terms, ranks)
    full = [t.replace(DOTS, names[len(names) - r :] if r else "") for t, r in zip(terms, ranks, strict=True)]
    result = (_once(terms) if output is None else output).replace(DOTS, names)
    sizes = _sizes(full, shapes, names)
    kept = [_without_ones(x, t, sizes) for x, t in zip(operands, full, strict=True)]
    return Einsum.of(f"{','.join(t for _, t in kept)}->{result}")(*[x for x, _ in kept])


_NOTHING = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts "
    "list. Pass them as in einsum('ij,jk->ik', a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2])."
)
_BY_NUMBER = string.ascii_uppercase + string.ascii_lowercase  # sorted as the numbers are


def _from_lists(given: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    """Return the equation and the operands of ``einsum(a, [0, 1], b, [1, 2], [0, 2])``."""
    if len(given) < 2:
        raise ArgumentError(_NOTHING)
    terms = [_from_list(axes) for axes in given[1::2]]
    result = f"->{_from_list(given[-1])}" if len(given) % 2 else ""
    return f"{','.join(terms)}{result}", tuple(given[: len(given) // 2 * 2 : 2])


def _from_list(axes: Any) -> str:
    """Return the letters of one list of axes' numbers."""
    if isinstance(axes, str) or not hasattr(axes, "__iter__"):
        raise ArgumentTypeError(
            f"einsum(): expected a list of axes' numbers after each operand. Got {type(axes).__name__}; pass "
            "einsum(a, [0, 1], b, [1, 2]), or an equation first."
        )
    return "".join("..." if k is Ellipsis else _BY_NUMBER[_axis(k, axes)] for k in axes)


def _axis(k: Any, axes: Any) -> int:
    try:
        index = operator.index(k)
    except TypeError:
        raise ArgumentTypeError(f"einsum(): an axis must be an integer or Ellipsis. Got {k!r} in {axes}.") from None
    if not 0 <= index < len(_BY_NUMBER):
        raise ArgumentError(
            f"einsum(): subscript in subscript list is not within the valid range [0, 52). Got {k} in {axes}."
        )
    return index


# ------------------------------------------------------------------ reading the equation
def _parse(equation: str, shapes: Sequence[Shape]) -> tuple[list[str], str | None]:
    """Split into the operands' letters and the result's, the ellipsis as one character; check both."""
    left, arrow, right = equation.partition("->")
    texts = left.split(",")
    start = 0
    terms = []
    for k, text in enumerate(texts):
        twice = f"operand {k} for which an ellipsis was already found"
        terms.append(_letters(equation, start, text, f"operand {k} that is not part of any ellipsis", twice))
        start += len(text) + 1
    if len(texts) != len(shapes):
        which = "fewer" if len(texts) > len(shapes) else "more"
        raise ArgumentError(
            f"einsum(): {which} operands were provided than specified in the equation. "
            f"Got {len(shapes)} for {len(texts)} terms in {equation!r}."
        )
    for k, (term, s) in enumerate(zip(terms, shapes, strict=True)):
        _check_rank(term, s, k)
    if not arrow:
        return terms, None
    once = "output that is not part of any ellipsis (...)"
    output = _letters(equation, len(left) + 2, right, once, "output but an ellipsis (...) was already found")
    _check_output(equation, terms, output)
    return terms, output


def _check_output(equation: str, terms: Sequence[str], output: str) -> None:
    """Refuse a letter of the output that stands there twice, or in no operand."""
    for c in output:
        if output.count(c) > 1:
            raise ArgumentError(
                f"einsum(): output subscript {c} appears more than once in the output. Got {equation!r}; "
                "name each once."
            )
        if c != DOTS and not any(c in t for t in terms):
            raise ArgumentError(
                f"einsum(): output subscript {c} does not appear in the equation for any input operand. "
                f"Got {equation!r}."
            )


def _letters(equation: str, start: int, text: str, lonely: str, twice: str) -> str:
    """Check one term: letters, spaces, and at most one ellipsis, which becomes one character."""
    letters = ""
    k = 0
    while k < len(text):
        c = text[k]
        if c == ".":
            if text[k : k + 3] != "..." and DOTS not in letters:
                raise ArgumentError(f"einsum(): found '.' for {lonely}. Got {equation!r}; an ellipsis is three dots.")
            if DOTS in letters:
                raise ArgumentError(f"einsum(): found '.' for {twice}. Got {equation!r}.")
            letters += DOTS
            k += 3
            continue
        if c != " ":
            if c not in string.ascii_letters:
                raise ArgumentError(
                    f"einsum(): invalid subscript given at index {start + k} in the equation string, "
                    f"subscripts must be in [a-zA-Z]. Got {c!r} in {equation!r}."
                )
            letters += c
        k += 1
    return letters


def _check_rank(term: str, s: Shape, k: int) -> None:
    count = len(term.replace(DOTS, ""))
    if (DOTS in term and count <= len(s)) or count == len(s):
        return
    tail = "" if DOTS in term else " and no ellipsis was given"
    word = "is greater than" if DOTS in term else "does not match"
    raise ShapeError(
        f"einsum(): the number of subscripts in the equation ({count}) {word} the number of dimensions "
        f"({len(s)}) for operand {k}{tail}. Got shape {show_shape(s)} for '{term.replace(DOTS, '...')}'."
    )


def _ellipsis_letters(terms: Sequence[str], ranks: Sequence[int]) -> str:
    """Choose letters that the equation lacks for the axes under the ellipses."""
    count = max([r for t, r in zip(terms, ranks, strict=True) if DOTS in t], default=0)
    free = [c for c in LETTERS if not any(c in t for t in terms)]
    if count > len(free):
        raise ArgumentError(f"einsum(): more than {len(LETTERS)} axes. Reshape some of them into one.")
    return "".join(free[:count])


# ------------------------------------------------------------------ broadcasting
def _sizes(terms: Sequence[str], shapes: Sequence[Shape], names: str) -> dict[str, Any]:
    """Return the size of each letter; axes of length one fit any."""
    lengths: dict[str, Any] = {}
    for k, (term, s) in enumerate(zip(terms, shapes, strict=True)):
        own: dict[str, Any] = {}
        for c, n in zip(term, s, strict=True):
            if own.setdefault(c, n) != n:
                raise ShapeError(
                    f"einsum(): subscript {c} is repeated for operand {k} but the sizes don't match, "
                    f"{n} != {own[c]}. Got shape {show_shape(s)}."
                )
            before = lengths.get(c, 1)
            if n != 1 and before not in (1, n):
                raise ShapeError(_mismatch(c, n, before, k, names, shapes))
            lengths[c] = before if n == 1 else n
    return lengths


def _mismatch(c: str, n: Any, before: Any, k: int, names: str, shapes: Sequence[Shape]) -> str:
    got = f"Got shapes {', '.join(map(show_shape, shapes))}."
    if c in names:
        return (
            f"einsum(): dimension {names.index(c)} covered by ellipsis in operand {k} has size {n} "
            f"which does not broadcast with previously seen ellipsis with size {before} for the respective "
            f"dimension. {got}"
        )
    return (
        f"einsum(): subscript {c} has size {n} for operand {k} which does not broadcast with previously seen "
        f"size {before}. {got}"
    )


def _without_ones(x: Any, term: str, sizes: dict[str, Any]) -> tuple[Any, str]:
    """Drop the axes of length one that another operand stretches."""
    s = shape(x)
    drop = [n == 1 and sizes[c] != 1 for c, n in zip(term, s, strict=True)]
    if not any(drop):
        return x, term
    flat = tuple(n for n, d in zip(s, drop, strict=True) if not d)
    return Reshape(flat)(x), "".join(c for c, d in zip(term, drop, strict=True) if not d)
