"""The rule of a step in words, and for elementwise operations as a formula that is derived, not looked up.

Words only name what an operation is. Each formula beside them is ``derive`` of that one operation.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple

import sympy as sp

from symgrad.autograd.opaque import Opaque
from symgrad.core.modes import enable_grad
from symgrad.core.node import TRACED, Leaf, Node, is_node
from symgrad.engine.record import handle
from symgrad.errors import SymgradError
from symgrad.forms.derive import derive, expression
from symgrad.forms.names import is_known
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.elementwise import Elementwise
from symgrad.forms.nodes.indexed import Bracket
from symgrad.forms.nodes.marks import Cases
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import Cast
from symgrad.ops.linalg import matrices, spectral
from symgrad.ops.linalg import solving as linalg
from symgrad.ops.linalg.determinant import Det, LogAbsDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.map import Map
from symgrad.ops.nn.likelihood import Likelihood
from symgrad.ops.nn.losses import BinaryCrossEntropy
from symgrad.ops.reductions.extremes import Extreme
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.scan import Cumsum
from symgrad.ops.reductions.softmax import LogSoftmax, LogSumExp, Softmax
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.reductions.variance import Var
from symgrad.ops.scatter import Scatter, ScatterAdd, Selection
from symgrad.ops.shape import Expand, Flip, Reshape
from symgrad.ops.shapes.join import Cat, Stack
from symgrad.ops.sorting.order import TakeAlongAxis
from symgrad.scalars import BY_FUNCTION
from symgrad.support.foreign import printable
from symgrad.teach.steps.chalk import chalk
from symgrad.teach.steps.prime import Prime

LONG = 100  # signs of a rule beyond which its formula explains nothing


class Rule(NamedTuple):
    """A rule of differentiation: its name, and where it is one of calculus, both sides of its formula."""

    name: str
    left: Any = None
    right: Any = None

    def __str__(self) -> str:
        return self.name if self.left is None else f"{self.name}: {chalk(self.left)} = {chalk(self.right)}"


def rule(node: Node, active: tuple[int, ...]) -> Rule:
    """Return the rule of a node for the inputs at these positions."""
    return _elementwise(node, node.op, active) if isinstance(node.op, Map) else Rule(_words(node.op))


# ------------------------------------------------------------------ calculus
def _elementwise(node: Node, op: Map, active: tuple[int, ...]) -> Rule:
    letters = iter("z" if len(active) == 1 else "abdefg")
    others = iter("ckmpqr")
    args, moving = [], []
    for i, p in enumerate(node.inputs):
        if not is_node(p) or (isinstance(p, Leaf) and is_known(p)):
            args.append(handle(p, None) if is_node(p) else p)
            continue
        args.append(handle(Leaf(None, (), TRACED, next(letters if i in active else others)), None))
        moving.extend([args[-1]] if i in active else [])
    try:
        with enable_grad():
            y = op(*args)
        left = expression(y).expr
        partials = [form.expr for form in derive(y, moving, verify=False)]
    except SymgradError:
        return Rule("chain rule")
    symbols = [sp.Symbol(t._node.title, real=True) for t in moving]
    each = ", entry by entry" if node.shape else ""
    if len(moving) == 1:
        return Rule(_of_one(left, _symbol(left, symbols[0])) + each, Prime.of(_positive_first(left)), partials[0])
    if isinstance(left, Cases) and {_symbol(left, s) for s in symbols} <= set(left.args):  # linear in what it chooses
        primes = {s: Prime.of(s) for s in map(_symbol, [left] * len(symbols), symbols)}
        return Rule(f"case by case{each}", Prime.of(left), left.xreplace(primes))
    total = sp.together(sp.Add(*[p * Prime.of(s) for p, s in zip(partials, symbols, strict=True)]))
    found = Rule(_of_several(left) + each, Prime.of(left), _positive_first(total))
    return found if len(str(found)) < LONG else Rule(found.name)


def _symbol(e: Any, like: Any) -> Any:
    return next((s for s in e.free_symbols if s.name == like.name), like)


def _of_one(e: Any, z: Any) -> str:
    """Name the rule for a formula in one variable."""
    if e == z:
        return "a copy"
    if e.is_Add and not (e - z).has(z):
        return "sum rule (a constant has derivative 0)"
    if e.is_Add and not (e + z).has(z):
        return "difference rule (a constant has derivative 0)"
    if not (e / z).has(z):
        return "constant factor rule"
    _, core = e.as_independent(z, as_Add=False)
    if core.is_Pow and core.base == z and not core.exp.has(z) and core.exp != sp.Rational(1, 2):
        return "reciprocal rule" if core.exp == -1 else "power rule"
    if core.is_Pow and core.exp == z:
        return "exponential rule"
    if core.is_Pow and core.exp == sp.Rational(1, 2):
        return "chain rule through the square root"
    if Prime.of(e).names_function:
        return f"chain rule through {_called(e)}"
    return "case by case" if e.has(sp.Piecewise, Cases) else "chain rule"


def _called(e: Any) -> str:
    if isinstance(e, Elementwise):
        return str(e.args[0])
    scalar = BY_FUNCTION.get(type(e))
    return scalar.name if scalar is not None else printers.text(e).split("(")[0]


def _of_several(e: Any) -> str:
    """Name the rule for a formula in several variables."""
    if e.is_Add:
        return "difference rule" if any(t.could_extract_minus_sign() for t in e.args) else "sum rule"
    if e.is_Mul:
        return "quotient rule" if sp.fraction(e)[1].free_symbols else "product rule"
    if e.is_Pow:
        return "power rule with a variable exponent"
    return "case by case" if e.has(sp.Piecewise, Cases) else "chain rule in several variables"


def _positive_first(e: Any) -> Any:
    """Write b·a′ - a·b′ rather than -a·b′ + b·a′."""
    above, below = sp.fraction(e)
    if not above.is_Add:
        return e
    above = Bracket(*above.args, evaluate=False)
    return above if below == 1 else sp.Mul(above, sp.Pow(below, -1), evaluate=False)


# ------------------------------------------------------------------ whole arrays
_NAMES = {
    "ij,jk->ik": "matrix product: the adjoint times the other factor's transpose",
    "ij,j->i": "matrix times vector: the matrix receives an outer product, the vector the transpose times the adjoint",
    "i,ij->j": "vector times matrix: the matrix receives an outer product, the vector the matrix times the adjoint",
    "i,i->": "inner product: the adjoint times the other vector",
    "i,j->ij": "outer product: the adjoint contracted with the other vector",
    "ij->ji": "transpose: the adjoint is transposed",
    "ii->": "trace: the adjoint on the diagonal",
}


@singledispatch
def _words(op: Any) -> str:
    """Say what the rule of an operation of whole arrays does."""
    return f"the rule of {type(op).__name__.lstrip('_').lower()}"


@_words.register
def _(op: Einsum) -> str:
    spec = _relettered(op.spec)
    if spec in _NAMES:
        return _NAMES[spec]
    (*terms, result) = (*op.terms, op.output)
    if len(terms) == 1 and set(result) < set(terms[0]) and len(set(terms[0])) == len(terms[0]):
        return "sum: every entry that was added receives the adjoint of its sum"
    if all(set(t) == set(result) for t in terms):
        return "product rule, entry by entry" if len(terms) > 1 else "transpose: the axes change places back"
    if len(terms) == 2 and len(result) > 2:
        return "stack of matrix products: the adjoint times the other factor's transpose, in each"
    return "sum of products: the adjoint times the other factors, summed over the letters that the input lacks"


def _relettered(spec: str) -> str:
    """Return a spec with its letters renamed to i, j, k, … in the order in which they occur."""
    met = dict.fromkeys(c for c in spec if c not in ",->")
    new = dict(zip(met, "ijklmnopqrstuvwxyz", strict=False))
    return "".join(new.get(c, c) for c in spec)


@_words.register
def _(op: Opaque) -> str:
    return f"the backward that {printable(op.name)} declares"


@_words.register
def _(op: MapTotal) -> str:
    kind = "mean" if op.mean else "sum"
    return f"{kind} of a function of each entry: chain rule in every entry{', divided by their number' * op.mean}"


_SENTENCES: dict[Any, str] = {
    Cast: "a copy in another dtype: the adjoint goes through",
    Reshape: "reshape: the adjoint takes the old shape back",
    Expand: "broadcast: the adjoint is summed over the copies",
    Flip: "flip: the adjoint is flipped back",
    Selection: "indexing: the adjoint goes back to the entries that were read, all others receive 0",
    ScatterAdd: "entries put into zeros: each receives the adjoint from its place",
    Scatter: "entries replaced: what was written receives the adjoint of its place, what was lost receives 0",
    Cat: "joined arrays: each receives its own piece of the adjoint",
    Stack: "stacked arrays: each receives its own layer of the adjoint",
    Extreme: "largest or smallest entry: the adjoint goes to the one that was chosen; ties share it",
    Prod: "product of entries: to each, the adjoint times the product of all others",
    Var: "spread around the mean: the deviation from the mean, scaled",
    LogSumExp: "log-sum-exp: the adjoint is shared out by softmax",
    Softmax: "softmax p: p times the adjoint less its mean under p",
    LogSoftmax: "log-softmax: the adjoint less softmax times its sum",
    Norm: "norm: the direction of the array, times the adjoint",
    Likelihood: "cross-entropy: what was predicted less what is true",
    linalg.Inverse: "inverse: d(A⁻¹) = −A⁻¹·dA·A⁻¹, transposed",
    linalg.Solve: "linear system: solve with the transpose; the matrix receives an outer product",
    linalg.Cholesky: "Cholesky factor: back through A = L·Lᵀ",
    Det: "determinant: Jacobi's formula, the adjugate's transpose",
    LogAbsDet: "log-determinant: the inverse's transpose",
    BinaryCrossEntropy: "cross-entropy of a probability: (p − y)/(p·(1 − p)), times the weight",
    Cumsum: "running sum: the adjoint's running sum from the other end",
    TakeAlongAxis: "entries picked by their positions: the adjoint goes back to where they stood",
    spectral.SingularValues: "singular values: U·diag(g)·Vᵀ for the adjoint g",
    spectral.Eigenvalues: "eigenvalues: V·diag(g)·Vᵀ for the adjoint g",
    MatrixExp: "matrix exponential: its derivative is linear, and is transposed",
    matrices.Diagonal: "diagonal: the adjoint is put on the diagonal",
    matrices.DiagEmbed: "diagonal matrix: the adjoint's diagonal",
    matrices.Tril: "triangle: the adjoint's triangle",
}
for _kind, _sentence in _SENTENCES.items():
    _words.register(_kind, lambda op, _sentence=_sentence: _sentence)
