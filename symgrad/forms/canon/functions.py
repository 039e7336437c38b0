"""Rules of powers, functions and named operations: eˡᵒᵍ ˣ is x, 1 - tanh² for 1/cosh², X⁻¹ of a product.

Each rule answers with another term, or None where it does not apply.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.forms.canon.complexes import is_complex
from symgrad.forms.canon.elementwise_subterms import elementwise
from symgrad.forms.canon.patterns.softmax import log_sum_exp, sum_of_exp
from symgrad.forms.canon.products import content
from symgrad.forms.canon.terms import (
    CALL,
    EYE,
    FUNCTION,
    LEAF,
    POWER,
    PRODUCT,
    SUM,
    Draft,
    Term,
    TermPool,
    rule,
    split,
    value_of,
)
from symgrad.ops.linalg.determinant import Det, LogAbsDet
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.reductions.softmax import LogSumExp, Softmax
from symgrad.scalars import BY_FUNCTION, SCALARS

SIGMOID, SOFTPLUS = SCALARS["sigmoid"].function, SCALARS["softplus"].function
RELU = SCALARS["relu"].function
TANH, COSH, ABS = sp.tanh, sp.cosh, sp.Abs


# ------------------------------------------------------------------ powers
@rule(POWER)
def power_of_a_number(pool: TermPool, t: Term) -> Term | None:
    """2³ is 8."""
    value = value_of(t.args[0])
    if value is None or (value == 0 and t.data.is_negative):
        return None
    return pool.constant(value**t.data, t.shape)


@rule(POWER)
def power_of_a_power(pool: TermPool, t: Term) -> Term | None:
    """(xᵃ)ᵇ is xᵃᵇ where b is an integer; (x²)^½ stays, it is |x|."""
    (b,) = t.args
    if b.kind == POWER and t.data.is_integer:
        return pool.power(b.args[0], b.data * t.data) if b.data * t.data != 0 else pool.ones(t.shape)
    return None


@rule(POWER)
def number_out_of_a_power(pool: TermPool, t: Term) -> Term | None:
    """(2x)³ is 8x³."""
    c, b = content(pool, t.args[0])
    if c == 1:
        c, b = split(t.args[0])
    if c == 1 or not (c.is_positive or t.data.is_integer) or c == 0:
        return None
    return pool.sum([(c**t.data, pool.power(b, t.data))], t.shape)


@rule(POWER)
def power_of_a_function(pool: TermPool, t: Term) -> Term | None:
    """(eˣ)ⁿ is eⁿˣ, |x|² is x², and cosh⁻² is 1 - tanh² where the function has the tanh."""
    (b,) = t.args
    if b.kind != FUNCTION:
        return None
    if b.data is sp.exp:
        return pool.function(sp.exp, [pool.sum([(t.data, b.args[0])], b.shape)], b.shape)
    if b.data is ABS and t.data.is_even and not is_complex(pool, b.args[0]):
        return pool.power(b.args[0], t.data)
    if b.data is COSH and t.data == -2 and pool.has(FUNCTION, b.args, TANH, b.shape):
        square = pool.power(pool.function(TANH, b.args, b.shape), 2)
        return pool.sum([(1, pool.ones(b.shape)), (-1, square)], b.shape)
    return None


@rule(POWER)
def power_of_a_product(pool: TermPool, t: Term) -> Term | None:
    """(x y)ⁿ is xⁿ yⁿ, elementwise."""
    (b,) = t.args
    if b.kind != PRODUCT or not t.data.is_integer:
        return None
    subs, out, sizes = b.data
    if not elementwise(b):
        return None
    return pool.product([(pool.power(a, t.data), s) for a, s in zip(b.args, subs, strict=True)], out, dict(sizes))


@rule(POWER)
def logistic(pool: TermPool, t: Term) -> Term | None:
    """1/(1 + eˣ) is σ(-x)."""
    z = _one_plus_exp(t.args[0])
    if z is None or not (t.data.is_integer and t.data.is_negative):
        return None
    return pool.power(_sigmoid(pool, pool.sum([(-1, z)], t.shape)), -t.data)


def _sigmoid(pool: TermPool, z: Term) -> Term:
    return pool.function(SIGMOID, [z], z.shape)


def _one_plus_exp(b: Term) -> Term | None:
    """Return z where b is 1 + eᶻ."""
    if b.kind != SUM or len(b.args) != 2 or b.data != (1, 1):
        return None
    for one, e in (b.args, b.args[::-1]):
        if value_of(one) == 1 and e.kind == FUNCTION and e.data is sp.exp:
            return e.args[0]
    return None


@rule(PRODUCT)
def logistic_quotient(d: Draft) -> bool:
    """eˣ σ(-x) is σ(x)."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind != FUNCTION or f.data is not sp.exp:
            continue
        (z,) = f.args
        below = _sigmoid(d.pool, d.pool.sum([(-1, z)], z.shape))
        for q, (g, t) in enumerate(d.factors):
            base, n = (g.args[0], g.data) if g.kind == POWER else (g, 1)
            if base is below and t == s and n >= 1:
                d.factors[p] = (_sigmoid(d.pool, z), s)
                d.factors[q] = (d.pool.power(base, n - 1) if n > 1 else d.pool.ones(g.shape), t)
                return True
    return False


# ------------------------------------------------------------------ functions
@rule(FUNCTION)
def decided(pool: TermPool, t: Term) -> Term | None:
    """A relation of numbers is 1 or 0, and a case that is decided is taken."""
    values = [value_of(a) for a in t.args]
    if t.data is sp.Piecewise:
        for k in range(1, len(values), 2):
            if values[k] == 1:
                return _up_to(pool, t, k)
            if values[k] == 0:
                return pool.function(t.data, t.args[: k - 1] + t.args[k + 1 :], t.shape)
        return None
    if not _is_relation(t.data) or any(v is None for v in values):
        return None
    truth = t.data(*values)
    return pool.constant(int(bool(truth)), t.shape) if truth in (sp.true, sp.false) else None


def _up_to(pool: TermPool, t: Term, k: int) -> Term | None:
    """Return a case distinction, cut after argument k, a condition that always holds."""
    if k == 1:
        return t.args[0]
    return pool.function(t.data, t.args[: k + 1], t.shape) if k < len(t.args) - 1 else None


def _is_relation(head: Any) -> bool:
    return isinstance(head, type) and issubclass(head, sp.core.relational.Relational)


@rule(FUNCTION)
def truth_of_a_truth(pool: TermPool, t: Term) -> Term | None:
    """[c] ≠ 0 is c, [c] = 0 is 1 - [c], and where(c, 0, 1) is 1 - [c]."""
    if t.data is sp.Piecewise:
        values = [value_of(a) for a in t.args]
        if len(values) != 4 or (values[0], values[2], values[3]) != (0, 1, 1) or not _is_truth(t.args[1]):
            return None
        return pool.sum([(1, pool.ones(t.shape)), (-1, t.args[1])], t.shape)
    if t.data not in (sp.Ne, sp.Eq) or value_of(t.args[1]) != 0 or not _is_truth(t.args[0]):
        return None
    c = t.args[0]
    return c if t.data is sp.Ne else pool.sum([(1, pool.ones(t.shape)), (-1, c)], t.shape)


def _is_truth(t: Term) -> bool:
    """Whether every entry is 1 or 0, by a relation or by several that hold at once."""
    if t.kind == PRODUCT:
        return elementwise(t) and all(map(_is_truth, t.args))
    return t.kind == FUNCTION and _is_relation(t.data) and t.data is not sp.Piecewise


@rule(FUNCTION)
def of_a_positive(pool: TermPool, t: Term) -> Term | None:
    """|x| and max(x, 0) are x, sign(x) and [x > 0] are 1, [x = 0] is 0, where x is marked positive."""
    x = t.args[0]
    if x.kind != LEAF or "positive" not in x.data[1]:
        return None
    if t.data in (ABS, RELU):
        return x
    if t.data is sp.sign or (t.data in (sp.Gt, sp.Ge, sp.Ne) and value_of(t.args[1]) == 0):
        return pool.ones(t.shape)
    if t.data in (sp.Lt, sp.Le, sp.Eq) and value_of(t.args[1]) == 0:
        return pool.zero(t.shape)
    return None


@rule(POWER)
def root_of_a_positive(pool: TermPool, t: Term) -> Term | None:
    """(x²)^½ is x where x is marked positive."""
    (b,) = t.args
    if b.kind != POWER or b.args[0].kind != LEAF or "positive" not in b.args[0].data[1]:
        return None
    return pool.power(b.args[0], b.data * t.data) if b.data * t.data != 0 else pool.ones(t.shape)


@rule(FUNCTION)
def function_of_numbers(pool: TermPool, t: Term) -> Term | None:
    """e⁰ is 1."""
    values = [value_of(a) for a in t.args]
    if any(v is None or not v.is_number for v in values) or t.data not in BY_FUNCTION:
        return None
    value = t.data(*values)
    return pool.constant(value, t.shape) if value.is_number and value.is_finite else None


@rule(FUNCTION)
def logarithm(pool: TermPool, t: Term) -> Term | None:
    """The logarithms with a name: log eˣ, log(1 + eˣ), log Σ eˣ, log softmax, log det."""
    if t.data is not sp.log:
        return None
    (a,) = t.args
    if is_complex(pool, a):
        return None
    if a.kind == FUNCTION and a.data is sp.exp:
        return a.args[0]
    z = _one_plus_exp(a)
    if z is not None:
        return pool.function(SOFTPLUS, [z], t.shape)
    if a.kind == CALL and isinstance(a.data, Softmax):
        return log_softmax(pool, a.args[0])
    if a.kind == CALL and isinstance(a.data, Det):
        return pool.call(LogAbsDet(), a.args, ())
    parts = sum_of_exp(a)
    return None if parts is None else log_sum_exp(pool, *parts)


def log_softmax(pool: TermPool, z: Term) -> Term:
    """z - log Σ eᶻ along the last axis."""
    lse = pool.call(LogSumExp((len(z.shape) - 1,), False), [z], z.shape[:-1])
    letters = tuple(range(len(z.shape)))
    wide = pool.product([(lse, letters[:-1])], letters, dict(zip(letters, z.shape, strict=True)))
    return pool.sum([(1, z), (-1, wide)], z.shape)


@rule(FUNCTION)
def exponential(pool: TermPool, t: Term) -> Term | None:
    """e^(log x) is x, and e^(z - log Σ eᶻ) is softmax(z)."""
    if t.data is not sp.exp:
        return None
    (a,) = t.args
    if a.kind == FUNCTION and a.data is sp.log:
        return a.args[0]
    if a.kind == SUM and len(a.args) == 2 and a.shape:
        for z in a.args:
            if log_softmax(pool, z) is a:
                return pool.call(Softmax((len(z.shape) - 1,)), [z], z.shape)
    return None


@rule(FUNCTION)
def sigmoid_of_minus(pool: TermPool, t: Term) -> Term | None:
    """σ(-z) is 1 - σ(z) where the function has σ(z)."""
    if t.data is not SIGMOID or t.args[0].kind != SUM or not t.args[0].data[0].could_extract_minus_sign():
        return None
    minus = pool.sum([(-1, t.args[0])], t.shape)
    if not pool.has(FUNCTION, (minus,), SIGMOID, t.shape):
        return None
    return pool.sum([(1, pool.ones(t.shape)), (-1, _sigmoid(pool, minus))], t.shape)


# ------------------------------------------------------------------ linear algebra
@rule(CALL)
def inverse(pool: TermPool, t: Term) -> Term | None:
    """(X⁻¹)⁻¹ is X, (cA)⁻¹ is A⁻¹/c, also of a sum cA + cB, and (A B)⁻¹ is B⁻¹ A⁻¹ of square factors."""
    if not isinstance(t.data, Inverse):
        return None
    c, a = split(t.args[0])
    if c == 1 and a.kind == SUM and a.args and all(k.is_Integer for k in a.data):
        c = sp.gcd_list(a.data)
        a = a if c == 1 else pool.sum([(k / c, x) for k, x in zip(a.data, a.args, strict=True)], a.shape)
    if c != 1:
        return pool.sum([(1 / c, pool.call(t.data, [a], t.shape))], t.shape)
    if a.kind == CALL and isinstance(a.data, Inverse):
        return a.args[0]
    if a.kind == EYE:
        return a
    chain = square_chain(a)
    if chain is None:
        return None
    inner = [(pool.call(t.data, [f], f.shape), s[::-1]) for f, s in chain]
    _, out, sizes = a.data
    return pool.product(inner, out[::-1], dict(sizes))


@rule(CALL)
def determinant(pool: TermPool, t: Term) -> Term | None:
    """det(A B) is det A det B of square factors, and det Aᵀ is det A; log |det| likewise."""
    if not isinstance(t.data, (Det, LogAbsDet)):
        return None
    chain = square_chain(t.args[0])
    if chain is None:
        return None
    determinants = [pool.call(t.data, [f], ()) for f, _ in chain]
    return pool.times(*determinants) if isinstance(t.data, Det) else pool.sum([(1, f) for f in determinants], ())


def square_chain(a: Term) -> list[tuple[Term, Any]] | None:
    """Return the factors of a matrix product, transposed along the chain; None if a factor is not square."""
    if a.kind != PRODUCT or not a.args:
        return None
    subs, out, _ = a.data
    if len(out) != 2 or any(len(f.shape) != 2 or f.shape[0] != f.shape[1] for f in a.args):
        return None
    left, at, chain = list(zip(a.args, subs, strict=True)), out[0], []
    while left:
        step = [(f, s) for f, s in left if at in s]
        if len(step) != 1 or step[0][1][0] == step[0][1][1]:
            return None
        left.remove(step[0])
        s = step[0][1]
        chain.append(step[0])
        at = s[1] if s[0] == at else s[0]
    return chain if at == out[1] else None
