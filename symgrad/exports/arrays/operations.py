"""What each operation on arrays is written as, in the words of a dialect and the functions of its library."""

from __future__ import annotations

from math import isinf
from typing import Any

import numpy as np

from symgrad.compiler.loops.errors import unsupported
from symgrad.compiler.loops.writers import Words
from symgrad.compiler.passes.assemble import Assemble
from symgrad.core.promotion import is_bool, is_floating, is_integer
from symgrad.exports.arrays.programs import ArrayWriter, Write
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.bessel import Bessel
from symgrad.ops.elementwise.complexes import Angle, Complex, Conj, Imag, Magnitude, Power, Real, Sign
from symgrad.ops.elementwise.exponents import Binade, Exponent, Mantissa
from symgrad.ops.elementwise.gamma import Zeta
from symgrad.ops.elementwise.logic import Bits
from symgrad.ops.indexing.lookup import DynamicGather, DynamicScatterAdd
from symgrad.ops.keys import Span
from symgrad.ops.linalg.banded import SolveBanded
from symgrad.ops.linalg.determinant import Cofactor, Det, DetSign, LogAbsDet, LogDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.matrices import DiagEmbed, Diagonal, Tril, Triu
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.linalg.orthogonal import QRBasis, QRTriangle
from symgrad.ops.linalg.pseudoinverse import MatrixRank, PseudoInverse
from symgrad.ops.linalg.solving import Cholesky, HalfTril, Inverse, Solve
from symgrad.ops.linalg.spectral import Eigenvalues, Eigenvectors, InverseGaps, SingularValues, SingularVectors
from symgrad.ops.linalg.sylvester import Sylvester
from symgrad.ops.map import broadcast_shapes
from symgrad.ops.reductions.extremes import Arg, Extreme, First
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.running import LogCumSumExp
from symgrad.ops.reductions.scan import Cumprod, Cumsum, Recurrence, Shift
from symgrad.ops.reductions.softmax import LogSoftmax, Softmax
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.reductions.variance import Std, Var
from symgrad.ops.scatter import Scatter, ScatterAdd
from symgrad.ops.shape import Expand, Eye, Flip, Reshape, total
from symgrad.ops.shapes.join import Cat, Stack
from symgrad.ops.signal.convolving import Convolve
from symgrad.ops.signal.filtering import Feedback
from symgrad.ops.signal.fourier import FFT, IRFFT, RFFT
from symgrad.ops.slicing import Gather, Slice
from symgrad.ops.sorting.order import AddAlongAxis, ArgRunning, Argsort, Median, MedianOfAll, TakeAlongAxis
from symgrad.ops.sorting.quantiles import _NUMPY as ROUNDING
from symgrad.ops.sorting.quantiles import Ranks
from symgrad.ops.sorting.search import Histogram, SearchSorted
from symgrad.ops.sorting.statistics import NanMedian

W = ArrayWriter
writes = WORDS = Words()
Args = list[str]


def _library(name: str, *fields: str) -> Write:
    """Return how a function of the library is called: with the arguments, then these fields of the operation."""

    def write(w: W, op: Any, a: Args, k: int) -> str:
        return f"{w.dialect.kernel(op, name, fields)}({', '.join([*a, *[repr(getattr(op, f)) for f in fields]])})"

    return write


def _word(name: str, *fields: str, also: str = "", part: str = "") -> Write:
    """Return how a word of the library is called, likewise; ``also`` with these arguments, and of whose results one."""

    def write(w: W, op: Any, a: Args, k: int) -> str:
        return w.dialect.call(name, *a, *[repr(getattr(op, f)) for f in fields], *also.split()) + part

    return write


writes(Cumsum)(_library("cumsum", "axis", "reverse"))
writes(Cumprod)(_library("cumprod", "axis", "reverse", "exclusive"))
writes(Recurrence)(_library("recurrence", "axis", "reverse", "upper"))
writes(Shift)(_library("shift", "axis", "reverse"))
writes(Tril)(_word("tril", "k"))
writes(Triu)(_word("triu", "k"))
writes(HalfTril)(_library("half_tril"))
writes(Diagonal)(_word("diagonal", "offset", also="-2 -1"))
writes(Arg)(_library("arg", "axis", "largest", "keepdim"))
writes(First)(_library("first", "axis", "largest"))
writes(Argsort)(_library("argsort", "axis", "descending"))
writes(ArgRunning)(_library("running_arg", "axis", "largest"))
writes(Median)(_library("median_index", "axis"))
writes(TakeAlongAxis)(_word("take_along_axis", "axis"))
writes(AddAlongAxis)(_library("put_back", "axis", "n"))
writes(Inverse)(_word("linalg.inv"))
writes(Solve)(_library("solve", "vector", "transposed"))
writes(SolveBanded)(_library("solve_banded", "low", "up", "vector", "transposed"))
writes(Cholesky)(_word("linalg.cholesky"))
writes(Det)(_word("linalg.det"))
writes(LogAbsDet)(_word("linalg.slogdet", part="[1]"))
writes(LogDet)(_library("logdet"))
writes(DetSign)(_word("linalg.slogdet", part="[0]"))
writes(Cofactor)(_library("cofactor"))
writes(MatrixExp)(_library("matrix_exp"))
writes(Sylvester)(_library("sylvester"))
writes(Feedback)(_library("feedback"))
writes(InverseGaps)(_library("inverse_gaps"))
writes(PseudoInverse)(_library("pseudo_inverse", "atol", "rtol"))
writes(MatrixRank)(_library("matrix_rank", "atol", "rtol"))
writes(Prod)(_library("prod", "axes", "keepdim"))
writes(LogCumSumExp)(_library("logcumsumexp", "axis"))
writes(NanMedian)(_library("nan_median_index", "axis"))
writes(SearchSorted)(_library("search_sorted", "right"))
writes(Conj)(_word("conj"))
writes(Real)(_word("real"))
writes(Imag)(_word("imag"))
writes(Complex)(_library("complex_of"))
writes(Magnitude)(_word("abs"))
writes(Angle)(_word("angle"))
writes(Sign)(_word("sign"))
writes(Power)(lambda w, op, a, k: f"({a[0]})**({a[1]})")
writes(Mantissa)(_library("mantissa"))
writes(Exponent)(_library("exponent"))
writes(Binade)(_library("binade"))


def _along(w: W) -> str:
    return "dim" if w.dialect.name == "torch" else "axis"


@writes(FFT)
def _(w: W, op: FFT, a: Args, k: int) -> str:
    axes = "dim" if w.dialect.name == "torch" else "axes"
    return w.dialect.call(f"fft.{'ifftn' if op.inverse else 'fftn'}", a[0], f"{axes}={op.axes!r}", f"norm={op.norm!r}")


@writes(RFFT)
def _(w: W, op: RFFT, a: Args, k: int) -> str:
    y = w.dialect.call("fft.rfft", a[0], f"{_along(w)}={op.axis}", f"norm={op.norm!r}")
    n = w.e.shapes[w.e.refs(k)[0]][op.axis]
    return f"{w.dialect.helper('spectrum_weighed')}({y}, {w.size(n)}, {op.axis}, 2.0)" if op.doubled else y


@writes(IRFFT)
def _(w: W, op: IRFFT, a: Args, k: int) -> str:
    z = a[0] if op.doubled else f"{w.dialect.helper('spectrum_weighed')}({a[0]}, {op.n}, {op.axis}, 0.5)"
    return w.dialect.call("fft.irfft", z, op.n, f"{_along(w)}={op.axis}", f"norm={op.norm!r}")


@writes(Ranks)
def _(w: W, op: Ranks, a: Args, k: int) -> str:
    rounding = w.dialect.embedded.word(ROUNDING[op.rounding].replace("rint", "round"))
    return f"{w.dialect.helper('ranks')}({a[0]}, {a[1]}, {rounding}, {op.skip})"


@writes(Bessel, Zeta, Histogram)
def _(w: W, op: Any, a: Args, k: int) -> str:
    if w.dialect.name != "numpy":
        raise unsupported(op, w.dialect.name)
    if isinstance(op, Histogram):
        return _library("histogram", "bins", "low", "high")(w, op, a, k)
    return (
        f"{w.dialect.helper('besselj')}({op.n}, {a[0]})"
        if isinstance(op, Bessel)
        else (f"{w.dialect.helper('zeta')}({', '.join(a)})")
    )


writes(Reshape)(lambda w, op, a, k: w.dialect.reshape(a[0], w.shape(op.to)))
writes(Expand)(lambda w, op, a, k: w.dialect.expand(a[0], w.shape(op.to)))
writes(Flip)(lambda w, op, a, k: w.dialect.flip(a[0], op.axes) if op.axes else a[0])
writes(Eye)(lambda w, op, a, k: w.dialect.eye(w.size(op.n), w.size(op.m), w.e.dtypes[k]))
writes(Cat)(lambda w, op, a, k: w.dialect.cat(a, op.axis))
writes(Stack)(lambda w, op, a, k: w.dialect.stack(a, op.axis))


@writes(Einsum)
def _(w: W, op: Einsum, a: Args, k: int) -> str:
    if not is_bool(w.e.dtypes[k]) or op.linear:
        return w.dialect.einsum(op.spec, a)
    counted = [w.dialect.cast(t, np.dtype(np.int64)) for t in a]  # products of booleans: whether any is true
    return w.dialect.cast(w.dialect.einsum(op.spec, counted), w.e.dtypes[k])


@writes(Cast)
def _(w: W, op: Cast, a: Args, k: int) -> str:
    cut = is_integer(np.dtype(op.to)) and is_floating(w.e.dtypes[w.e.refs(k)[0]])
    return w.dialect.whole(a[0], op.to) if cut else w.dialect.cast(a[0], op.to)


@writes(Extreme)
def _(w: W, op: Extreme, a: Args, k: int) -> str:
    text = w.dialect.reduce("max" if op.largest else "min", a[0], op.axes)
    return w.dialect.reshape(text, w.shape(w.e.shapes[k])) if op.keepdim else text


@writes(Var)
@writes(Std)
def _(w: W, op: Var, a: Args, k: int) -> str:
    text = f"{w.dialect.helper('var')}({a[0]}, {op.axes}, {op.keepdim}, {op.correction})"
    return w.dialect.element("sqrt", [text], [None], w.e.dtypes[k]) if isinstance(op, Std) else text


@writes(Softmax, LogSoftmax)
def _(w: W, op: Any, a: Args, k: int) -> str:
    if 0 not in w.e.shapes[k]:  # what has entries comes in smaller steps
        raise unsupported(op, w.dialect.name)
    return a[0]


@writes(MapTotal)
def _(w: W, op: MapTotal, a: Args, k: int) -> str:
    sizes, dtype = broadcast_shapes(*[w.e.shapes[r] for r in w.e.refs(k)]), w.e.dtypes[k]
    if 0 in sizes:
        return w.dialect.cast(w.dialect.number(float("nan") if op.mean else 0.0), dtype)
    terms = w.elementwise(op.map, w.e.refs(k), dtype)
    added = w.dialect.reduce("sum", terms, range(len(sizes))) if sizes else terms
    return f"{added} / {w.size(total(sizes))}" if op.mean else added


# ------------------------------------------------------------------ parts
def key_text(w: W, items: Any) -> str:
    """Return slices and positions between brackets."""
    return ", ".join(_item(w, i) for i in items)


def _item(w: W, item: Any) -> str:
    if isinstance(item, Span):
        start, stop, step = ("" if v is None else w.size(v) for v in item)
        return f"{start}:{stop}" + (f":{step}" if step else "")
    return "None" if item is None else w.size(item)


def slices_text(w: W, items: Any) -> str:
    """Return the same as an expression that can be handed on."""
    parts = [_slice(w, i) for i in items]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _slice(w: W, item: Any) -> str:
    if isinstance(item, Span):
        return f"slice({', '.join('None' if v is None else w.size(v) for v in item)})"
    return "None" if item is None else w.size(item)


def _take_key(w: W, op: Gather) -> tuple[str, ...]:
    places = {a: f.array for a, f in op.places}
    return tuple(w.dialect.array(places[a]) if a in places else "" for a in range(max(places, default=-1) + 1))


@writes(Slice)
def _(w: W, op: Slice, a: Args, k: int) -> str:
    if not op.items:
        return a[0]
    return w.dialect.index(a[0], key_text(w, op.items), op, w.e.shapes[w.e.refs(k)[0]])


writes(Gather)(lambda w, op, a, k: w.dialect.index(a[0], ", ".join(t or ":" for t in _take_key(w, op))))


@writes(Convolve)
def _(w: W, op: Convolve, a: Args, k: int) -> str:
    text, to = f"{w.dialect.helper('convolve')}({a[0]}, {a[1]}, {op.dims})", w.e.dtypes[k]
    if not (is_integer(to) or is_bool(to)):
        return text
    whole = w.dialect.cast(f"{w.dialect.prefix}.round({text})", np.dtype(np.int64))  # transforms are not integers
    return w.dialect.cast(whole, to)


@writes(DynamicGather)
def _(w: W, op: DynamicGather, a: Args, k: int) -> str:
    key = ", ".join(t if isinstance(t, str) else ":" for t in op.key(a[1:]))
    return w.dialect.index(w.dialect.looked_up(a[0]), key)


@writes(DynamicScatterAdd)
def _(w: W, op: DynamicScatterAdd, a: Args, k: int) -> str:
    key = ", ".join(t if isinstance(t, str) else "slice(None)" for t in op.where.key(a[1:]))
    return f"{w.dialect.helper('added')}({a[0]}, ({key},), {w.shape(op.to)})"


def _where(w: W, where: Any) -> str:
    if isinstance(where, Slice):
        return slices_text(w, where.items)
    if isinstance(where, Gather):
        key = [t or "slice(None)" for t in _take_key(w, where)]
        return f"({', '.join(key)}{',' if len(key) == 1 else ''})"
    raise unsupported(where, w.dialect.name)


@writes(ScatterAdd)
def _(w: W, op: ScatterAdd, a: Args, k: int) -> str:
    name = "placed" if isinstance(op.where, Slice) else "added"
    return f"{w.dialect.helper(name)}({a[0]}, {_where(w, op.where)}, {w.shape(op.to)})"


@writes(Assemble)
def _(w: W, op: Assemble, a: Args, k: int) -> str:
    keys = ", ".join(slices_text(w, p.items) for p in op.parts)
    return f"{w.dialect.helper('assembled')}([{', '.join(a)}], [{keys}], {w.shape(op.to)})"


writes(Scatter)(lambda w, op, a, k: f"{w.dialect.helper('put')}({a[0]}, {_where(w, op.where)}, {a[1]})")


@writes(DiagEmbed)
def _(w: W, op: DiagEmbed, a: Args, k: int) -> str:
    return f"{w.dialect.helper('diag_embed')}({a[0]}, {op.offset}, {w.size(op.n)}, {w.size(op.m)})"


# ------------------------------------------------------------------ reductions
@writes(Norm)
def _(w: W, op: Norm, a: Args, k: int) -> str:
    if op.p == 0 or isinf(op.p):
        return f"{w.dialect.helper('extreme_norm')}({a[0]}, {w.dialect.number(op.p)}, {op.axes})"
    return f"{w.dialect.helper('norm')}({a[0]}, {op.p!r}, {op.axes})"


@writes(MedianOfAll)
def _(w: W, op: MedianOfAll, a: Args, k: int) -> str:
    text = f"{w.dialect.helper('median_of_all')}({a[0]}, {op.axes})"
    return w.dialect.reshape(text, w.shape(w.e.shapes[k]))


@writes(Bits)
def _(w: W, op: Bits, a: Args, k: int) -> str:
    dtype = w.e.dtypes[k]
    return w.dialect.call(op.kind, *([w.integer(r, dtype) for r in w.e.refs(k)] if is_integer(dtype) else a))


# ------------------------------------------------------------------ factorisations, each computed once
def _factor(w: W, name: str, count: int, a: Args, k: int, *options: Any) -> list[str]:
    called = w.dialect.embedded.word("linalg.qr") if name == "qr" else w.dialect.helper(name)
    text = f"{called}({', '.join([a[0], *map(repr, options)])})"
    return w.together((name, w.e.refs(k), options), count, text)


writes(SingularValues)(lambda w, op, a, k: _factor(w, "svd", 3, a, k, False)[1])
writes(SingularVectors)(lambda w, op, a, k: _factor(w, "svd", 3, a, k, op.full)[0 if op.left else 2])
writes(Eigenvalues)(lambda w, op, a, k: _factor(w, "eigh", 2, a, k, op.upper)[0])
writes(Eigenvectors)(lambda w, op, a, k: _factor(w, "eigh", 2, a, k, op.upper)[1])
writes(QRBasis)(lambda w, op, a, k: _factor(w, "qr", 2, a, k)[0])
writes(QRTriangle)(lambda w, op, a, k: _factor(w, "qr", 2, a, k)[1])
