"""Gradient, divergence, curl, Laplacian and Jacobian determinant of fields with steps, in several coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.expression.formula import Formula, Label, Name, Rows, Spelled, Sum
from symgrad.expression.printer import LATEX, handwritten
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.places.points import derived
from symgrad.teach.steps.lesson import FieldRule, Given, LessonStep, Note, PartialRule, distinct
from symgrad.teach.study.several.coordinates import Coordinates, check_system, coordinates, usual_names
from symgrad.teach.study.several.field import low, scalar_field, vector_field
from symgrad.teach.study.solution import Solution, shortest, write

_NABLA = {
    "gradient": ("∇{f}", r"\nabla {f}"),
    "divergence": ("∇·{f}", r"\nabla\cdot {f}"),
    "curl": ("∇×{f}", r"\nabla\times {f}"),
    "Laplacian": ("Δ{f}", r"\Delta {f}"),
    "Jacobian determinant": ("det J", r"\det J"),
}


def nabla(operator: str, letter: str) -> Formula:
    """Return what an operator makes of a field, as a sign: ∇·F."""
    text, latex = _NABLA[operator]
    return Spelled(text.format(f=letter), latex.format(f=letter))


class FieldDerivative(Solution):
    """A derivative of a field, with its steps.

    Attributes:
        operator: "gradient", "divergence", "curl", "Laplacian" or "Jacobian determinant".
        names: the coordinates, in order.
        expr: the derivative as a SymPy expression; for a vector, a list of its entries.
    """

    def __init__(self, operator: str, f: Any, wrt: Any, shapes: Any, system: str) -> None:
        super().__init__(operator, f, wrt, shapes, system)
        who = operator.lower().replace(" ", "_")
        check_system(who, system)
        make = scalar_field if operator in ("gradient", "Laplacian") else vector_field
        self.operator, self._field = operator, make(who, f, wrt, shapes)
        if wrt is None:
            usual = usual_names(system, {*self._field.names, *self._field.others})
            self._field = make(who, f, usual, shapes) if usual else self._field
        self.names = list(self._field.names)
        self._system: Coordinates = coordinates(who, system, self._field.symbols)
        self._check_size(who)
        self._partials: list[PartialRule] = []
        self.expr: Any = _COMPUTED[operator](self)

    def _check_size(self, who: str) -> None:
        many, n = len(self._field.components), len(self.names)
        if self._field.is_vector and many != n:
            raise ArgumentError(
                f"{who}: the field has {many} components, and {n} coordinates: {', '.join(self.names)}. Expected as "
                "many of both; name the coordinates, as in wrt=['x', 'y', 'z']."
            )
        if who == "curl" and n not in (2, 3):
            raise ArgumentError(f"curl: the field has {n} components. Expected 3, or 2 for a field in the plane.")
        if not n:
            raise ArgumentError(f"{who}: the formula has no names. Name the coordinates, as in wrt=['x', 'y'].")

    @property
    def formula(self) -> str:
        """The derivative as text."""
        return handwritten(write(self.expr))

    @property
    def entries(self) -> list[Any]:
        """The entries of the derivative as SymPy expressions; a number is a single entry."""
        return list(self.expr) if isinstance(self.expr, list) else [self.expr]

    # ---------------------------------------------------------------- how it is computed
    def _partial(self, e: Any, k: int, front: Any = 1, *, part: int | None = None, times: int = 1) -> Any:
        """Return ∂(front·e)/∂u_k, which is noted as a step."""
        value = e * front
        for _ in range(times):
            value = derived(value, self._field.symbols[k])
        value, name = shortest(value), self.names[k]
        left: Formula = self._field.part(*[name] * times, k=part)
        if front != 1:
            inner = write(front), Name(self._component(part))
            shown = ["·".join(handwritten(p) for p in inner), r" \, ".join(LATEX.write(p) for p in inner)]
            left = Spelled(f"∂({shown[0]})/∂{name}", rf"\frac{{\partial ({shown[1]})}}{{\partial {name}}}")
        self._partials.append(
            PartialRule(before=write(e), after=write(value), by=(name,) * times, left=left, written=(write(value),))
        )
        return value

    def _component(self, part: int | None) -> str:
        return self._field.letter if part is None else f"{self._field.letter}_{part + 1}"

    def _gradient(self) -> list[Any]:
        """Return (1/h_k)·∂f/∂u_k for each coordinate."""
        (f,) = self._field.components
        return [shortest(self._partial(f, k) / h) for k, h in enumerate(self._system.scale)]

    def _divergence(self) -> Any:
        """Return (1/H)·Σ ∂(H/h_k·F_k)/∂u_k with H = h₁·h₂·…"""
        volume = self._system.volume
        terms = [
            self._partial(F, k, volume / h, part=k)
            for k, (F, h) in enumerate(zip(self._field.components, self._system.scale, strict=True))
        ]
        return shortest(sum(terms) / volume)

    def _curl(self) -> Any:
        """Return (∂(h₃·F₃)/∂u₂ − ∂(h₂·F₂)/∂u₃)/(h₂·h₃) and so on; in the plane, the third entry."""
        h, F = self._system.scale, self._field.components

        def entry(a: int, b: int) -> Any:
            forth, back = self._partial(F[b], a, h[b], part=b), self._partial(F[a], b, h[a], part=a)
            return shortest((forth - back) / (h[a] * h[b]))

        return entry(0, 1) if len(F) == 2 else [entry(1, 2), entry(2, 0), entry(0, 1)]

    def _laplacian(self) -> Any:
        """Return (1/H)·Σ ∂(H/h_k²·∂f/∂u_k)/∂u_k."""
        (f,) = self._field.components
        volume = self._system.volume
        if self._system.name == "cartesian":
            return shortest(sum(self._partial(f, k, times=2) for k in range(len(self.names))))
        terms = []
        for k, h in enumerate(self._system.scale):
            weight, name = volume / h**2, self.names[k]
            flux = shortest(weight * derived(f, self._field.symbols[k]))
            terms.append(shortest(derived(flux, self._field.symbols[k])))
            shown, after = Spelled(*_flux(write(weight), self._field.letter, name)), write(terms[-1])
            rule = PartialRule(before=write(flux), after=after, by=(name,), left=shown, written=(after,))
            self._partials.append(rule)
        return shortest(sum(terms) / volume)

    def _determinant(self) -> Any:
        """Return det of the matrix of ∂F_i/∂u_k."""
        F = self._field.components
        rows = [[self._partial(f, k, part=i) for k in range(len(self.names))] for i, f in enumerate(F)]
        return shortest(sp.Matrix(rows).det(method="berkowitz"))

    # ---------------------------------------------------------------- what is said
    def _steps(self) -> Iterator[LessonStep]:
        f = self._field
        written = f.written if not f.is_vector else (Rows((tuple(f.written),), "", True),)
        yield Given(before=f.label(), after=written[0], written=written)
        if f.others:
            yield Note(reason=(", ".join(f.others), " is a constant" if len(f.others) == 1 else " are constants"))
        if self._system.words:
            yield Note(reason=(f"{self._system.name} coordinates: {self._system.words}",))
        sign = nabla(self.operator, f.letter)
        reason = (f"{self.operator} ", Equation((sign, self._definition())), ":")
        result = write(self.expr)
        raw = self._raw()
        yield FieldRule(
            before=written[0], after=result, operator=self.operator, reason=reason, left=sign,
            written=distinct((raw, result)) if raw is not None else (result,), substeps=tuple(self._partials),
        )  # fmt: skip

    def _definition(self) -> Formula:
        """Return how the derivative is put together of partial derivatives."""
        f, names, plain = self._field, self.names, self._system.name == "cartesian"
        if self.operator == "Jacobian determinant":
            rows = [[f.part(n, k=k) for n in names] for k in range(len(names))]
            return Rows(tuple(map(tuple, rows)))
        if not plain:
            return Spelled(*_CURVED[self.operator, len(names)])
        if self.operator == "gradient":
            return Rows((tuple(f.part(n) for n in names),), "", True)
        if self.operator == "Laplacian":
            return _sum([f.part(n, n) for n in names])
        if self.operator == "divergence":
            return _sum([f.part(n, k=k) for k, n in enumerate(names)])
        pairs = [(0, 1)] if len(names) == 2 else [(1, 2), (2, 0), (0, 1)]
        entries = [_difference(f.part(names[a], k=b), f.part(names[b], k=a)) for a, b in pairs]
        return entries[0] if len(entries) == 1 else Rows((tuple(entries),), "", True)

    def _raw(self) -> Formula | None:
        """Return the sum of the partial derivatives as they were found; None where nothing is to be added."""
        if self._system.name != "cartesian" or self.operator not in ("divergence", "Laplacian"):
            return None
        terms = [p.after for p in self._partials if p.after != write(0)]
        return _sum(terms) if len(terms) > 1 else None


def _sum(terms: Sequence[Formula]) -> Formula:
    return Sum(*terms) if len(terms) > 1 else terms[0]


def _difference(a: Label, b: Label) -> Formula:
    texts, latex = (handwritten(a), handwritten(b)), (LATEX.write(a), LATEX.write(b))
    return Spelled(" − ".join(texts), " - ".join(latex))


def _flux(weight: Formula, f: str, u: str) -> tuple[str, str]:
    """Return ∂(weight·∂f/∂u)/∂u as text and in LaTeX."""
    w, l = (handwritten(weight), LATEX.write(weight)) if handwritten(weight) != "1" else ("", "")
    text = f"∂({w}·∂{f}/∂{u})/∂{u}" if w else f"∂²{f}/∂{u}²"
    name = LATEX.write(Name(u))
    inner = rf"{l}\frac{{\partial {f}}}{{\partial {name}}}"
    return text, rf"\frac{{\partial}}{{\partial {name}}}\left({inner}\right)"


def _general(words: str, latex: str, n: int) -> tuple[str, str]:
    h = "".join(f"h{low(k + 1)}" for k in range(n))
    return words.format(h=h), latex.replace("HH", " ".join(f"h_{k + 1}" for k in range(n)))


_CURVED = {
    (operator, n): _general(words, latex, n)
    for n in (2, 3)
    for operator, words, latex in (
        ("gradient", "(1/hₖ)·∂f/∂uₖ", r"\frac{1}{h_k}\partial_k f"),
        ("divergence", "1/({h})·Σ ∂({h}/hₖ·Fₖ)/∂uₖ", r"\frac{1}{HH}\sum_k\partial_k\left(\frac{HH}{h_k}F_k\right)"),
        ("curl", "(∂(hⱼ·Fⱼ)/∂uᵢ − ∂(hᵢ·Fᵢ)/∂uⱼ)/(hᵢ·hⱼ)",
         r"\frac{1}{h_i h_j}\left(\partial_i(h_j F_j)-\partial_j(h_i F_i)\right)"),
        ("Laplacian", "1/({h})·Σ ∂({h}/hₖ²·∂f/∂uₖ)/∂uₖ",
         r"\frac{1}{HH}\sum_k\partial_k\left(\frac{HH}{h_k^2}\partial_k f\right)"),
    )
}  # fmt: skip
_COMPUTED: dict[str, Any] = {
    "gradient": FieldDerivative._gradient,
    "divergence": FieldDerivative._divergence,
    "curl": FieldDerivative._curl,
    "Laplacian": FieldDerivative._laplacian,
    "Jacobian determinant": FieldDerivative._determinant,
}


@checked
def gradient(
    f: Any, wrt: Any = None, *, shapes: Mapping[str, Any] | None = None, coordinates: str = "cartesian"
) -> FieldDerivative:
    """Return the gradient ∇f = (∂f/∂x, ∂f/∂y, …) of a scalar field, with steps.

    Args:
        f: a formula as text, or a function or tensor of symbols.
        wrt: the coordinates, in order; by default all names, alphabetically.
        shapes: the shapes of names that denote vectors, if the field is text.
        coordinates: "cartesian", "polar", "cylindrical" or "spherical"; the entries refer to their unit vectors.

    Raises:
        ArgumentError: if f is a vector, or contains names other than the coordinates.

    >>> sg.teach.gradient("x**2*y", ["x", "y"]).expr
    [2*x*y, x**2]
    """
    return FieldDerivative("gradient", f, wrt, shapes, coordinates)


@checked
def divergence(
    F: Any, wrt: Any = None, *, shapes: Mapping[str, Any] | None = None, coordinates: str = "cartesian"
) -> FieldDerivative:
    """Return the divergence ∇·F = ∂F₁/∂x + ∂F₂/∂y + … of a vector field, with steps.

    Args:
        F: the field as text, ``"[x*y, y*z, z*x]"`` or ``"x*y i + y*z j + z*x k"``, a list of its components, or a
            function or tensor of symbols.
        wrt: the coordinates, in order; by default x, y, z.
        shapes: the shapes of names that denote vectors, if the field is text.
        coordinates: "cartesian", "polar", "cylindrical" or "spherical"; F has its components along their unit vectors.

    Raises:
        ArgumentError: if F is a number, or does not have as many components as there are coordinates.

    >>> print(sg.divergence("[x**2, x*y, z]"))
    F(x, y, z) = [x², x·y, z]
      divergence ∇·F = ∂F₁/∂x + ∂F₂/∂y + ∂F₃/∂z:
        ∂F₁/∂x = 2x
        ∂F₂/∂y = x
        ∂F₃/∂z = 1
      ∇·F = 2x + x + 1 = 3x + 1
    """
    return FieldDerivative("divergence", F, wrt, shapes, coordinates)


@checked
def curl(
    F: Any, wrt: Any = None, *, shapes: Mapping[str, Any] | None = None, coordinates: str = "cartesian"
) -> FieldDerivative:
    """Return the curl ∇×F of a vector field, with steps; for a field in the plane, the number ∂F₂/∂x − ∂F₁/∂y.

    Args:
        F: the field as text, a list of its components, or a function or tensor of symbols.
        wrt: the coordinates, in order; by default x, y, z.
        shapes: the shapes of names that denote vectors, if the field is text.
        coordinates: "cartesian", "polar", "cylindrical" or "spherical"; F has its components along their unit vectors.

    Raises:
        ArgumentError: if F does not have two or three components, or not as many as there are coordinates.

    >>> sg.curl("[-y, x, 0]").expr, sg.curl("[-y, x]").expr
    ([0, 0, 2], 2)
    """
    return FieldDerivative("curl", F, wrt, shapes, coordinates)


@checked
def laplacian(
    f: Any, wrt: Any = None, *, shapes: Mapping[str, Any] | None = None, coordinates: str = "cartesian"
) -> FieldDerivative:
    """Return the Laplacian Δf = ∂²f/∂x² + ∂²f/∂y² + … of a scalar field, with steps.

    Args:
        f: a formula as text, or a function or tensor of symbols.
        wrt: the coordinates, in order; by default all names, alphabetically.
        shapes: the shapes of names that denote vectors, if the field is text.
        coordinates: "cartesian", "polar", "cylindrical" or "spherical".

    Raises:
        ArgumentError: if f is a vector.

    >>> sg.laplacian("1/norm(v)", "v", shapes={"v": 3}).expr
    0
    >>> sg.laplacian("r**2*sin(θ)", coordinates="polar").expr
    3*sin(θ)
    """
    return FieldDerivative("Laplacian", f, wrt, shapes, coordinates)


@checked
def jacobian_determinant(F: Any, wrt: Any = None, *, shapes: Mapping[str, Any] | None = None) -> FieldDerivative:
    """Return the determinant of the matrix of ∂F_i/∂x_k, with steps.

    Args:
        F: the map as text, ``"[r*cos(t), r*sin(t)]"``, a list of its components, or a function or tensor of symbols.
        wrt: the coordinates, in order; by default x, y, z, or all names alphabetically.
        shapes: the shapes of names that denote vectors, if the field is text.

    Raises:
        ArgumentError: if F does not have as many components as there are coordinates.

    >>> sg.jacobian_determinant("[r*cos(t), r*sin(t)]", ["r", "t"]).expr
    r
    """
    return FieldDerivative("Jacobian determinant", F, wrt, shapes, "cartesian")


check_methods(FieldDerivative)
