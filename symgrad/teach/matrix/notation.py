"""Formulas of arrays as a textbook writes them: exp(A), log det(P), λ₁, Π_i x_i.

What a function means is said once, below the header of a lesson.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sympy as sp

from symgrad.expression import formula as write
from symgrad.expression.arithmetic import ONE
from symgrad.expression.formula import Formula
from symgrad.expression.printer import LATEX
from symgrad.forms.nodes.arrays import ArrayExpr, ArraySymbol, OnesVector, level
from symgrad.forms.nodes.elementwise import ArrayPower, ElementPower, Elementwise, Hadamard
from symgrad.forms.nodes.formulas import formula
from symgrad.forms.nodes.marks import Diag, Quotient, Total, Truth
from symgrad.forms.nodes.matrices import Call, Filled, Identity, MatrixPower, Plus, Product, Scaled, Transposed
from symgrad.ops.linalg.determinant import LogAbsDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.linalg.spectral import Eigenvalues, Eigenvectors
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.scan import Cumprod
from symgrad.ops.reductions.softmax import LogSumExp, Softmax
from symgrad.ops.reductions.variance import Std, Var
from symgrad.ops.slicing import Slice
from symgrad.scalars import BY_FUNCTION, SCALARS, declaration
from symgrad.teach.matrix.letters import Letters
from symgrad.teach.matrix.symbols import product, rebuilt, shape_of, sized, turned
from symgrad.teach.steps.unicode_text import Dotted, unicode_text

INDEX, _OTHER = "i", "j"
# functions that need no explanation
_KNOWN = {
    "exp", "log", "sqrt", "abs", "sign", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "max",
    "min", "maximum", "minimum", "log10", "log2", "cbrt",
}  # fmt: skip
_MEANINGS = {  # of those whose declared meaning is no formula of a book
    "sigmoid": "σ({t}) = 1/(1 + exp(−{t}))",
    "relu": "relu({t}) = max(0, {t})",
    "lgamma": "Γ is the gamma function",
    "digamma": "ψ({t}) = ({log}(Γ({t})))′",
    "polygamma": "ψ({t}) = ({log}(Γ({t})))′",
    "erf": "erf({t}) = 2/√π · ∫₀ᵗ exp(−s²) ds",
}


class Shown(sp.Atom):
    """A formula that is written, as an argument of a node."""

    is_commutative = True
    written: Formula

    def __new__(cls, written: Formula) -> Any:
        made = super().__new__(cls)
        made.written = written
        return made

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.written,)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.written,)

    def _sympystr(self, printer: Any) -> str:
        return repr(self.written)


class Textbook(ArrayExpr):
    """An expression that is written in another way than its nodes are."""

    @classmethod
    def of(cls, e: Any, written: Formula) -> Any:
        """Make the node."""
        return cls(e, Shown(written), sp.Tuple(*shape_of(e)))

    def __new__(cls, *args: Any) -> Any:
        """Make the node; a number commutes."""
        made = super().__new__(cls, *args)
        made.is_commutative = not made.shape
        return made

    @property
    def precedence(self) -> int:
        """That of what it is written for."""
        return level(self.args[0])

    def formula(self) -> Formula:
        shown: Formula = self.args[1].written
        return shown

    def _numpycode(self, printer: Any) -> str:
        code: str = printer._print(self.args[0])
        return code


# ------------------------------------------------------------------ rewriting
def textbook(e: Any) -> Any:
    """Return an expression that is written as in a textbook, and has the same value."""
    if not isinstance(e, sp.Basic) or isinstance(e, Textbook):
        return e
    if (written := _written(e)) is not None:
        return Textbook.of(e, written)
    there: dict[Any, Any] = {}
    stack = [e]
    while stack:
        a = stack.pop()
        written = _written(a)
        if written is not None:
            there[a] = Textbook.of(a, written)
        else:
            stack.extend(b for b in getattr(a, "args", ()) if isinstance(b, sp.Expr))
    return rebuilt(e, there) if there else e


def _written(a: Any) -> Formula | None:
    """Return how a node is written where its own notation is that of programs."""
    if function_of(a) == "softplus":
        return write.call("log", write.Sum(ONE, formula(_exp(textbook(a.args[isinstance(a, Elementwise)])))))
    if isinstance(a, ElementPower) and a.args[1] in (2, 3) and isinstance(a.args[0], ArraySymbol):
        return write.Infix(*[formula(a.args[0])] * int(a.args[1]), sign="⊙")
    if isinstance(a, Hadamard):
        of = product_of_others(a)
        return _entries_of(a) if of is None else _vector_of_others(*of)
    if function_of(a) in ("lgamma", "digamma", "polygamma"):
        return _of_gamma(a)
    if not isinstance(a, Call):
        return None
    op, args = a.op, [textbook(b) for b in a.args[1:-1]]
    if isinstance(op, MatrixExp) and len(args) < 3:
        return write.call("exp" if len(args) == 1 else "L", *map(formula, args))
    if isinstance(op, LogAbsDet):
        return write.call("log", write.call("det", formula(args[0])))
    if isinstance(op, LogSumExp) and len(shape_of(args[0])) in (1, 2):
        return _log_of_sums(a, args[0])
    if isinstance(op, Prod) and len(shape_of(args[0])) == 1:
        return _product_sign(args[0])
    if isinstance(op, Slice) and isinstance(args[0], (Call, Textbook)):
        return _of_spectrum(a)
    return _spectral(a)


def function_of(e: Any) -> str:
    """Return the name of a function of numbers or entries; nothing for what is none."""
    if isinstance(e, Elementwise):
        return str(e.args[0])
    return BY_FUNCTION[type(e)].name if type(e) in BY_FUNCTION else ""


def _exp(a: Any) -> Any:
    return Elementwise.of(SCALARS["exp"].function, [a], shape_of(a)) if shape_of(a) else sp.exp(a)


def _of_gamma(a: Any) -> Formula | None:
    """Return log(Γ(t)), ψ(t) and ψ′(t)."""
    *orders, t = a.args[1:-1] if isinstance(a, Elementwise) else a.args
    inside = formula(textbook(t))
    if function_of(a) == "lgamma":
        return write.call("log", write.call("Γ", inside, latex=r"\Gamma"))
    k = orders[0] if orders else sp.S.Zero
    k = k.args[0] if isinstance(k, Filled) else k
    return write.call("ψ" + "′" * int(k), inside, latex=r"\psi" + "'" * int(k)) if k.is_Integer and k < 4 else None


def _entries_of(a: Any) -> Formula | None:
    """Return a ⊙ b ⊘ c of entries, where there are powers of names or quotients among the factors."""
    above: list[Formula] = []
    below: list[Formula] = []
    for f in a.args[:-1]:
        if isinstance(f, ElementPower) and f.args[1].is_negative:
            below.append(formula(textbook(f.under())))
        elif isinstance(f, ElementPower) and f.args[1] in (2, 3) and isinstance(f.args[0], ArraySymbol):
            above.extend([formula(f.args[0])] * int(f.args[1]))
        else:
            above.append(formula(textbook(f)))
    if not above or (len(above) == len(a.args) - 1 and not below):
        return None
    top = above[0] if len(above) == 1 else write.Infix(*above, sign="⊙")
    return write.Infix(top, *below, sign="⊘") if below else top


def _log_of_sums(a: Any, z: Any) -> Formula | None:
    """Return log(sum(exp(z))), or log(exp(Z)·1) of rows."""
    e, shape = _exp(z), shape_of(z)
    if not a.shape:
        return write.call("log", formula(Total.of(e)))
    if a.op.axes == (1,) and len(a.shape) == 1:
        return write.call("log", formula(product([e, OnesVector.of(shape[1])])))
    return None


# ------------------------------------------------------------------ products of entries
def product_of_others(e: Any) -> tuple[Any, Any] | None:
    """Return p and c of c ⊙ p, where p has the products Π_{j≠i} z_j as two running products; c is None for 1."""
    if not isinstance(e, Hadamard):
        return None
    runs = [f for f in e.args[:-1] if isinstance(f, Call) and isinstance(f.op, Cumprod) and f.op.exclusive]
    for f in runs:
        g = next((g for g in runs if g.args[1] == f.args[1] and g.op.reverse != f.op.reverse), None)
        if g is not None and len(shape_of(f)) == 1:
            rest = [a for a in e.args[:-1] if a not in (f, g)]
            return Hadamard.of([f, g], e.shape), Hadamard.of(rest, e.shape) if rest else None
    return None


def _sign(sign: str, below: str, body: Any) -> Formula:
    """Return Σ or Π over an index."""
    inside = formula(body)
    text, tex = Dotted().write(inside), LATEX.write(inside)
    if isinstance(inside, (write.Sum, write.Unary)):
        text, tex = f"({text})", rf"\left({tex}\right)"
    latex_sign, latex_below = {"Π": r"\prod", "Σ": r"\sum"}[sign], below.strip("()").replace("≠", r" \ne ")
    return write.Spelled(f"{sign}_{below} {text}", rf"{latex_sign}_{{{latex_below}}} {tex}")


def _product_sign(z: Any) -> Formula | None:
    body = entry_of(z, INDEX)
    return None if body is None else _sign("Π", "i", body)


def _others(pair: Any) -> Formula | None:
    body = entry_of(pair.args[0].args[1], _OTHER)
    return None if body is None else _sign("Π", f"({_OTHER}≠i)", body)


def _vector_of_others(pair: Any, rest: Any) -> Formula | None:
    """Return the vector with these products, beside what it is multiplied by."""
    written = _others(pair)
    if not isinstance(written, write.Spelled):
        return None
    vector = write.Spelled(f"({written.text})_i", rf"\left({written.latex}\right)_i")
    return vector if rest is None else write.Infix(formula(textbook(rest)), vector, sign="⊙")


def entry_of(v: Any, i: str) -> Any:
    """Return the entry i of a vector that is made entry by entry of others; None of all else."""
    if isinstance(v, (Product, Call)) and product_of_others(v) is None and not _has_others(v):
        return at_place(v, i)
    if isinstance(v, ArraySymbol):
        return sp.Symbol(f"{v.name}_{i}", real=True)
    if isinstance(v, Filled):
        return v.args[0]
    if isinstance(v, OnesVector):
        return sp.S.One
    of = product_of_others(v)
    if of is not None:
        written, rest = _others(of[0]), sp.S.One if of[1] is None else entry_of(of[1], i)
        return None if written is None or rest is None else rest * Textbook(of[0], Shown(written), sp.Tuple())
    if isinstance(v, Scaled):
        inner = entry_of(v.args[1], i)
        return None if inner is None else v.args[0] * inner
    make = _ENTRIES.get(type(v))
    if make is None:
        return None
    first = 1 if isinstance(v, Elementwise) else 0
    parts = [entry_of(a, i) if shape_of(a) else a for a in v.args[first:-1]]
    return None if any(p is None for p in parts) else make(v, parts)


_ENTRIES: dict[type, Any] = {
    Plus: lambda v, parts: sp.Add(*parts),
    Hadamard: lambda v, parts: sp.Mul(*parts),
    ElementPower: lambda v, parts: sp.Pow(*parts),
    ArrayPower: lambda v, parts: sp.Pow(*parts),
    Quotient: lambda v, parts: parts[0] / parts[1],
    Elementwise: lambda v, parts: declaration(str(v.args[0])).function(*parts),
}


# ------------------------------------------------------------------ eigenvalues
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def indexed(letter: str, n: str, text: str = "", tex: str = "") -> write.Spelled:
    """Return a letter with an index: λ₁, v_n; perhaps with an argument behind it."""
    low = n.translate(_LOW) if n.isdigit() else f"_{n}"
    latex = {"λ": r"\lambda"}.get(letter, letter)
    return write.Spelled(f"{letter}{low}{text}", rf"{latex}_{{{n.replace('−', '-').strip('()')}}}{tex}")


def nth(k: int, size: Any) -> str:
    """Return the index of an eigenvalue as it is written: 1 for the first, n for the last."""
    return str(k + 1) if k >= 0 else str(size) if k == -1 else f"({size}−{-k - 1})"


def _of_spectrum(a: Any) -> Formula | None:
    """Return λ₁(A) for one eigenvalue, v₁ for one eigenvector."""
    inner = a.args[1]
    inner = inner.args[0] if isinstance(inner, Textbook) else inner
    if not isinstance(inner, Call):
        return None
    items, size = a.op.items, shape_of(inner)[-1]
    if isinstance(inner.op, Eigenvalues) and len(items) == 1 and isinstance(items[0], int):
        of = formula(textbook(inner.args[1]))
        return indexed("λ", nth(items[0], size), f"({Dotted().write(of)})", rf"\left({LATEX.write(of)}\right)")
    if isinstance(inner.op, Eigenvectors) and len(items) == 2 and isinstance(items[1], int):
        return indexed("v", nth(items[1], size))
    return None


def _spectral(a: Any) -> Formula | None:
    if isinstance(a.op, Eigenvalues):
        return write.Call(write.Name("λ"), [formula(textbook(a.args[1]))])
    return write.Name("V") if isinstance(a.op, Eigenvectors) else None


# ------------------------------------------------------------------ what names mean
def meanings(formulas: Iterable[Any], letters: Letters) -> list[str]:
    """Return what each function and sign in formulas means, each once."""
    stack = [e for e in formulas if isinstance(e, sp.Basic)][::-1]
    told: dict[str, None] = {}
    while stack:
        a = stack.pop()
        a = a.args[0] if isinstance(a, Textbook) else a
        told.update(dict.fromkeys(_meaning(a, letters)))
        if isinstance(a, Call) and isinstance(a.op, Slice) and _of_spectrum(a) is not None:
            continue
        pair = product_of_others(a)
        rest = a.args if pair is None else (*pair[0].args[0].args, *([] if pair[1] is None else [a.args[0]]))
        stack.extend(b for b in rest[::-1] if isinstance(b, sp.Expr))
    return list(told)


def _meaning(a: Any, letters: Letters) -> Iterator[str]:
    if function_of(a):
        yield from _of_function(function_of(a), letters)
    elif isinstance(a, Call):
        yield from map(letters.quote, _of_operation(a))
    elif isinstance(a, (ElementPower, ArrayPower)) and a.bar is None and _written(a) is None:
        yield "^⊙ raises each entry to a power"
    elif isinstance(a, (Hadamard, ElementPower, Quotient)) and product_of_others(a) is None:
        yield "⊙ multiplies entry by entry" if a.bar is None else "⊘ divides entry by entry"
    elif isinstance(a, OnesVector):
        yield "1 is the vector of ones"
    elif isinstance(a, Truth):
        yield "[…] is 1 where the condition holds, and 0 elsewhere"


def _of_function(name: str, letters: Letters) -> Iterator[str]:
    if name in _KNOWN or name == "softplus":
        return
    if name in _MEANINGS:
        yield letters.quote(_MEANINGS[name])
        return
    scalar = SCALARS[name]
    if scalar.nargs == 1:
        t = sp.Symbol(letters["t"], real=True)
        left, right = unicode_text(scalar.function(t)), unicode_text(scalar.meant(t))
        if left not in right:
            yield f"{left} = {right}"


def _of_operation(a: Call) -> Iterator[str]:
    op, shape = a.op, shape_of(a.args[1])
    if isinstance(op, Softmax) and len(shape) == 1:
        yield "softmax({u})ᵢ = exp({u}ᵢ)/Σⱼ exp({u}ⱼ)"
    elif isinstance(op, Softmax):
        yield "softmax({M})ᵢⱼ = exp({M}ᵢⱼ)/Σₖ exp({M}ᵢₖ), row by row"
    elif isinstance(op, Var) and not a.shape:
        less = f"{sized(shape)} − {op.correction:g}" if op.correction else sized(shape)
        square = "Σ ({u}ᵢ − mean({u}))²" + (f"/({less})" if op.correction else f"/{less}")
        yield f"std({{u}}) = √({square})" if isinstance(op, Std) else f"var({{u}}) = {square}"
    elif isinstance(op, MatrixExp):
        yield "exp({M}) = Σₖ {M}ᵏ/k!"
        if len(a.args) == 4:
            integral = "∫₀¹ exp(s·{M})·{E}·exp((1 − s)·{M}) ds"
            yield f"L({{M}}, {{E}}) = {integral}, the derivative of exp at {{M}} in the direction {{E}}"
    elif isinstance(op, Eigenvectors):
        yield "the columns of V are orthonormal eigenvectors, in the order of the eigenvalues"
    elif isinstance(op, Eigenvalues):
        of, last = unicode_text(textbook(a.args[1])), indexed("λ", str(shape[-1])).text
        yield f"λ({of}) has the eigenvalues λ₁ ≤ … ≤ {last} of {of}"


def at_index(symbol: Any, e: Any) -> tuple[Any, Any]:
    """Return both sides of v_i = … for a vector that has a name."""
    return sp.Symbol(f"{symbol.name}_{INDEX}", real=True), Textbook.of(e, formula(scaled_entry(e, INDEX)))


def scaled_entry(v: Any, i: str) -> Any:
    """Return an entry of a vector in which there are products of all others, as formulas write them; else None."""
    return entry_of(v, i) if len(shape_of(v)) == 1 and _has_others(v) else None


def _has_others(v: Any) -> bool:
    return any(product_of_others(a) is not None for a in sp.preorder_traversal(v))


def diagonal_entry(e: Any, i: str, diagonal: str) -> Any:
    """Return the entry i, i of a matrix made of others and of a diagonal matrix with this name."""
    if isinstance(e, (Plus, Hadamard)):
        return (sp.Add if isinstance(e, Plus) else sp.Mul)(*[diagonal_entry(a, i, diagonal) for a in e.args[:-1]])
    if isinstance(e, Scaled):
        return e.args[0] * diagonal_entry(e.args[1], i, diagonal)
    factors = list(e.args[:-1]) if isinstance(e, Product) else [e]
    front: list[Any] = []
    for end in (0, -1):
        while factors and (d := _of_diagonal(factors[end], i, diagonal)) is not None:
            front.append(d)
            factors.pop(end)
    return _times_rest(sp.Mul(*front), factors, i)


def _of_diagonal(f: Any, i: str, name: str) -> Any:
    """Return the entry i, i of a factor that is a diagonal matrix; None of others."""
    if isinstance(f, Identity):
        return sp.S.One
    if isinstance(f, ArraySymbol):
        return sp.Symbol(f"{name}_{i}{i}", real=True) if f.name == name and len(f.shape) == 2 else None
    if isinstance(f, Diag) and len(shape_of(f)) == 2:
        return entry_of(f.args[0], i)
    power = f.args[1] if isinstance(f, MatrixPower) else -1 if isinstance(f, Call) and isinstance(f.op, Inverse) else 0
    base = None if not power else _of_diagonal(f.args[0 if isinstance(f, MatrixPower) else 1], i, name)
    return None if base is None else base**power


def _times_rest(front: Any, factors: Sequence[Any], i: str) -> Any:
    """Return the entry of a product between diagonal matrices: of u·vᵀ, u_i·v_i."""
    if not factors:
        return front
    k = next((k for k, f in enumerate(factors) if isinstance(f, Transposed) and len(shape_of(f.args[0])) == 1), None)
    if k and len(shape_of(product(factors[:k]))) == 1:
        u, v = entry_of(product(factors[:k]), i), entry_of(turned(product(factors[k:])), i)
        if u is not None and v is not None:
            return front * u * v
    plain = factors[0].args[0] if isinstance(factors[0], Transposed) else factors[0]
    if len(factors) == 1 and isinstance(plain, ArraySymbol):
        return front * sp.Symbol(f"{plain.name}_{i}{i}", real=True)
    return front * at_place(product(factors), i + i)


def at_place(e: Any, places: str) -> Any:
    """Return an entry of an array that has no name: (A·x)_i."""
    written = write.Entry(write.Fenced(formula(textbook(e)), "(", ")"), tuple(map(write.Name, places)))
    return Textbook(e, Shown(written), sp.Tuple())
