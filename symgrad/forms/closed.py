"""ClosedForm: a derivative as a formula in matrix, index and scalar notation, and as a NumPy function.

The graph of the derivative is its source; every notation reads that graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import AnyNode, Leaf, ancestors, is_outside, size_symbol
from symgrad.core.pickling import read, written
from symgrad.core.upcalls import UPCALLS
from symgrad.engine.dtypes import is_imaginary
from symgrad.engine.program import Program, recorded
from symgrad.errors import ArgumentError, FormError, SymgradError
from symgrad.expression.constants import MEANINGS
from symgrad.expression.tokens import signs
from symgrad.forms import names, verify
from symgrad.forms.arithmetic import Arithmetic
from symgrad.forms.calculus.cases import in_matrix_notation
from symgrad.forms.calculus.decimals import with_decimals_in_arrays, with_decimals_in_table
from symgrad.forms.calculus.length import length
from symgrad.forms.calculus.numbers import Short, decimals_of, finished, further, of_numbers, short_of
from symgrad.forms.canon.jacobian import NotLinear
from symgrad.forms.canonical import SMALL, Canonical, leaf_reading
from symgrad.forms.derivative import Derivative, repeated, transposed
from symgrad.forms.function import FormFunction
from symgrad.forms.named_entries import Numbered, Tabled, has_long_normal
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.indexed import At, Place
from symgrad.forms.nodes.printers import in_html, mathml
from symgrad.forms.notations import tables
from symgrad.forms.notations.index import TOO_DEEP, Reading, TooDeep, check_depth, lettered
from symgrad.forms.notations.length import weight
from symgrad.forms.notations.letters import NoMatrix
from symgrad.forms.notations.matrix import MatrixReading, written_out
from symgrad.forms.recurrences import Recurrences, recurrences
from symgrad.forms.replay import replayed, resized, substitutes
from symgrad.forms.substituted_values import read_formula
from symgrad.forms.sympy.to_sympy import to_sympy
from symgrad.forms.where import Definition, Explained, Named, WhereForm
from symgrad.ops.map import exact, show_shape
from symgrad.scalars import tidy
from symgrad.support.arguments import check_all, shown
from symgrad.support.budget import MOST, Budget
from symgrad.support.foreign import latex_in_html
from symgrad.support.lazy import cached_property
from symgrad.support.symbols import Letter, plain

ENTRIES = 4096  # of a scalar form: beyond, nobody reads it
FORMS = ("matrix", "index", "scalar", "entries", "where")
NUMBERED = 120  # operations of a formula of numbers whose parts have names given to the finished formula
BRIEF = 60  # operations of a form that is written into its function's docstring
DIRECT = 50  # operations of a higher derivative of numbers that is shortened as its graph has it, too
LONG = 80  # signs of a formula beyond which intermediates with names may be shorter
MIDDLING, PIECE = 48, 10  # signs of a formula, and of a part of it that stands there twice, that may have a name
MIDDLING_OF_ARRAYS, PIECE_OF_ARRAYS = 32, 8  # the same of arrays: books name a residual and a mean wherever they recur
WORTH = 2  # signs by which a formula of arrays, definitions included, may be longer with names than without

_KINKED = (sp.Abs, sp.sign, sp.Piecewise, sp.Max, sp.Min, sp.Heaviside, sp.floor, sp.ceiling)


def _point(x0: Any) -> Any:
    """Return the point of a series, as SymPy has it."""
    try:
        return sp.sympify(x0, strict=True)  # text would be executed
    except sp.SympifyError:
        raise ArgumentError(f"series: got the point {x0!r}. Pass a number, or SymPy's, such as sp.pi.") from None


class ClosedForm(Arithmetic):
    """A closed-form expression for an array.

    Attributes:
        shape: the sizes; for a Jacobian, output shape + input shape.
    """

    def __init__(
        self,
        root: AnyNode,
        forward: Sequence[AnyNode],
        bases: Sequence[Leaf] = (),
        check: bool = True,
        onward: Sequence[AnyNode] = (),
    ) -> None:
        super().__init__(root, forward, bases, check)
        self._onward = tuple(onward)  # the root of a first derivative, and the leaves that it was differentiated by
        self._of: Derivative | None = None  # the derivative whose answers to equations are letters here
        self._beside: frozenset[str] = frozenset()  # what no intermediate is called: names that are read beside it
        self.shape: tuple[Any, ...] = tuple(chain(*[b.shape for b in self._bases], root.shape))

    @classmethod
    def of(cls, derivative: Derivative) -> ClosedForm:
        """Return a derivative as a formula, in which the solution of equations is a symbol."""
        spelled = derivative.spelled()
        if spelled is None:
            return cls(*derivative)
        form = cls(*spelled, derivative.bases, derivative.check)
        form._of = derivative
        return form

    @property
    def _derivative(self) -> Derivative:
        """The graph, as it is differentiated again: with the answers to equations, not their letters."""
        return self._of or Derivative(self._root, self._forward, self._bases, True, self._onward)

    @cached_property
    def _called(self) -> names.Naming:
        return names.Naming([self._root], self._forward, self._bases)  # looks at the whole graph: only when asked

    @property
    def _names(self) -> dict[int, str]:
        return self._called.shown

    @property
    def _leaves(self) -> list[Leaf]:
        return self._called.leaves

    @property
    def args(self) -> tuple[str, ...]:
        """The names of the arguments of ``lambdify()``, in the order in which the function first used them.

        They are the leaves that the formula depends on: symbols, and tensors that have a name or require a gradient.
        Arrays that the function captured are in ``values`` instead. A leaf is an argument even if only its
        size is needed. Sizes that occur in no leaf follow the leaves.
        """
        return self._called.args

    @property
    def values(self) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays that the function captured, by their names in the formula.

        >>> w = sg.symbol("w", 2)
        >>> form = sg.derive(((sg.tensor([[1.0, 2.0]]) @ w) ** 2).sum(), w)
        >>> print(form, form.args, form.values)
        2*Aᵀ*A*w ('w',) {'A': array([[1., 2.]])}
        """
        return {self._names[id(leaf)]: np.array(leaf.value) for leaf in self._leaves if is_outside(leaf)}

    # -------------------------------------------------------------- notations
    @cached_property
    def expr(self) -> sp.Basic:
        """The displayed formula: that of ``matrix()``, or the entries of a small array if they are shorter.

        Its symbols have no assumptions, as in ``sp.Symbol("x")``.
        """
        return plain(self._expr)

    @property
    def _expr(self) -> sp.Basic:
        """The same, of symbols that are marked as real, and as integers."""
        return self._notation if self._table is None else self._table

    @cached_property
    def _notation(self) -> sp.Basic:
        try:
            formula, matrix = self._matrix, True
        except NoMatrix:
            formula, matrix = self._index(()), False
        if self._verify and verify.can_be_checked(self):
            verify.check(self, formula, matrix)
        return formula

    @cached_property
    def _matrix(self) -> sp.Basic:
        if self._of_numbers is not None:
            return in_matrix_notation(self._of_numbers)
        if self._canonical.bases:
            raise NoMatrix("a Jacobian")
        formula = MatrixReading(self._canonical.pool, self._names).expr(self._canonical.root)
        return with_decimals_in_arrays(formula, decimals_of(self._forward))

    @cached_property
    def _of_numbers(self) -> sp.Expr | None:
        """The formula as a person writes it, where everything in it is a number."""
        onward = None if self._further is None else finished(self._further, self._names, self._forward)
        if self._is_onward:
            return onward
        direct = None if self._short is None else finished(self._short, self._names, self._forward)
        return direct if direct is None or onward is None else min(direct, onward, key=length)

    @cached_property
    def _short(self) -> Short | None:
        root = self._canonical.root
        if self._canonical.bases or not of_numbers(root):
            return None
        return short_of(self._canonical.pool, root, self._names, self._forward)

    @cached_property
    def _further(self) -> Short | None:
        """The formula of numbers that the short formula of the first derivative has as further ones."""
        if len(self._onward) < 2 or self.shape:
            return None
        first, *leaves = self._onward
        base = ClosedForm(first, self._forward, (), False)
        known = all(self._names.get(key, name) == name for key, name in base._names.items())
        formula = base._short if known else None
        for leaf in leaves:
            formula = None if formula is None else further(formula, base._names.get(id(leaf), ""), self._forward)
        return formula

    @cached_property
    def _is_onward(self) -> bool:
        """Whether the formula comes of that one, because the graph's own would be long."""
        if self._further is None:
            return False
        if len(ancestors([self._root])) > SMALL or not of_numbers(self._canonical.root):
            return True
        return bool(self._reading.entry(self._canonical.root, ()).count_ops() > DIRECT)

    @cached_property
    def _canonical(self) -> Canonical:
        check_depth([self._root, *self._forward])
        return Canonical(self._root, self._forward, leaf_reading(self._called.inner), self._bases)

    @property
    def has_matrix(self) -> bool:
        """Whether the formula is in matrix notation."""
        try:
            return self._matrix is not None and self._table is None
        except (NoMatrix, TooDeep):
            return False

    def matrix(self) -> sp.Basic:
        """Return the formula in matrix notation, or if there is none, its entry in index notation."""
        return plain(self._notation)

    def to_sympy(self) -> Any:
        """Return the formula as a SymPy object: an Expr for a number, a MatrixExpr for an array.

        A vector is a column, a ``MatrixSymbol`` n×1; an array that is displayed by its entries is a ``Matrix``.
        ``sg.from_sympy`` is the inverse.

        Raises:
            FormError: if there is no matrix notation, or SymPy has no class for a part of it.
        """
        if self._table is not None:
            return _plain_in_sympy(to_sympy(self._table))
        try:
            return _plain_in_sympy(to_sympy(written_out(self._matrix)))
        except NoMatrix:
            raise FormError(
                "to_sympy: this form has no matrix notation. Use .index(), SymPy's Indexed and Sum, or .scalar()."
            ) from None

    def entries(self) -> sp.Basic:
        """Return the entries of the formula, ``[a, b]`` or ``[[a, b], [c, d]]``, each in a short form.

        A small array is displayed in this way if it is shorter than its matrix or index notation.

        Raises:
            FormError: if a size is symbolic, there are more than two axes, or the entries are too many or too long.

        >>> x = sg.symbol("x", 2)
        >>> form = sg.derive((x @ x) ** 2, x)
        >>> print(form, "or", form.entries())
        4*‖x‖²*x or 4*(x_0**2 + x_1**2)*[x_0, x_1]
        """
        return plain(self._entries(MOST))

    def _entries(self, most: int) -> sp.Basic:
        if len(self.shape) > 2:
            raise FormError(
                f"entries: a table has two axes at most, got {show_shape(self.shape)}. Use index() or scalar()."
            )
        self._check_sizes()
        places = self._places()
        table = tables.table([tables.simplified(e.xreplace(places)) for e in self._written_out(most)], self.shape)
        if self._verify and verify.can_be_checked(self):
            verify.check_entries(self, table)
        return with_decimals_in_table(table, decimals_of(self._forward))

    @cached_property
    def _table(self) -> sp.Basic | None:
        """The entries, where they are shorter than what else there is, or about as long as a stack of them."""
        table = self._possible_table
        if table is None:
            return None
        most = self._weight * tables.allowance(self._notation)
        return table if signs(Tabled([table], self._taken).text()) < most else None

    @cached_property
    def _possible_table(self) -> sp.Basic | None:
        """The entries of a small array, where they are not long."""
        if not self._may_be_tabled():
            return None
        try:
            return self._entries(max(tables.WORTH * self._weight, tables.FEW))
        except SymgradError:  # too long, or an operation without a formula for its entries
            return None

    @cached_property
    def _weight(self) -> int:
        """How long the formula is in matrix or index notation, or with named intermediates."""
        return min(map(weight, self._other_texts()))

    def _other_texts(self) -> list[str]:
        """Return the formula in matrix or index notation, as it is and with named intermediates."""
        return [Explained(self._notation).text(), *([self._named.text()] if self._named is not None else [])]

    def _may_be_tabled(self) -> bool:
        """Whether this is a small array that is made of small ones, by operations that pick entries."""
        if self._root in self._forward or not tables.is_small(self.shape) or not tables.picks(self._forward):
            return False
        if not all(tables.is_small(leaf.shape) for leaf in self._leaves):
            return False
        try:
            return tables.selects(self._matrix)
        except NoMatrix:
            return True
        except TooDeep:
            return False

    def index(self, *indices: str) -> sp.Expr:
        """Return the entry with the given index names, as SymPy's Indexed and Sum.

        Args:
            indices: one name per axis; by default i, j, k, ….

        Raises:
            ArgumentError: if the number of names is not the number of axes, or a name is used twice.
            FormError: if the graph is too deep to be written as one expression.
        """
        return plain(self._index(indices))

    def _index(self, indices: Sequence[str]) -> sp.Expr:
        free = self._free(indices)
        if self._of_numbers is not None:
            return lettered(self._of_numbers, self._taken)
        rest = iter(free)
        places = {id(b): list(islice(rest, len(b.shape))) for b in self._canonical.bases}
        entry = self._reading.entry(self._canonical.root, list(rest), places)
        entry = with_decimals_in_arrays(tidy(entry), decimals_of(self._forward))
        return lettered(entry, {k.name for k in free} | self._taken)

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self._canonical.pool, self._names)

    @property
    def _taken(self) -> set[str]:
        """What index letters must not be: names of leaves and sizes, and i where it is the imaginary unit."""
        return self._called.taken | ({"i"} if self._is_imaginary else set())

    @cached_property
    def _is_imaginary(self) -> bool:
        """Whether the unit may stand in the formula: it does only where there are complex numbers."""
        return any(map(is_imaginary, ancestors([self._root]))) and self._canonical.pool.imaginary

    def _free(self, indices: Sequence[str]) -> list[sp.Symbol]:
        rank = len(self.shape)
        chosen = list(indices) or list(islice(names.letters(names.FREE, self._taken), rank))
        if len(chosen) != rank or len(set(chosen)) != rank or not all(isinstance(k, str) and k for k in chosen):
            raise ArgumentError(
                f"index: got {tuple(indices)} for a form of shape {show_shape(self.shape)}. "
                f"Expected {rank} distinct names."
            )
        clash = sorted(self._called.taken & set(indices))
        if clash:
            raise ArgumentError(f"index: {clash} names a size or an array of the formula. Choose another name.")
        return [Letter(k, integer=True) for k in chosen]

    def scalar(self) -> Any:
        """Return all entries as a SymPy array, or a number as an expression.

        Raises:
            FormError: if a size is symbolic, there are too many entries, they are too long, or the graph is too deep.
        """
        flat = [plain(lettered(tidy(e), self._taken)) for e in self._written_out(MOST)]
        return flat[0] if not self.shape else sp.ImmutableDenseNDimArray(flat, self.shape)

    def _written_out(self, most: int) -> list[Any]:
        """Return every entry in terms of the entries of the leaves; raise an error for too many operations."""
        self._check_sizes()
        count = int(np.prod(self.shape, dtype=int))
        if count > ENTRIES:
            raise FormError(
                f"scalar: {count} entries are more than {ENTRIES}. Use index(), or entries of a smaller case."
            )
        try:
            array = np.asarray(self._program.run(self._symbols(), watch=Budget(most).check), dtype=object)
            return [_with_integers(exact(e)) for e in array.reshape(-1)]  # .flat has at most 32 axes
        except RecursionError as error:
            raise TooDeep(TOO_DEEP.format(n="too many", how="in a row")) from error

    def _check_sizes(self) -> None:
        if any(not isinstance(n, int) for shape in (self.shape, *(a.shape for a in self._leaves)) for n in shape):
            raise FormError(
                f"scalar: sizes must be numbers, got {show_shape(self.shape)}. Use index() with symbolic sizes."
            )

    def _symbols(self) -> list[Any]:
        """Return the entries of the leaves as symbols; the x_0 of a vector is not a number that is called x_0."""
        made: dict[int, Any] = {}
        used: set[sp.Symbol] = set()
        for leaf in sorted(self._leaves, key=lambda leaf: len(leaf.shape)):  # numbers keep their names
            name = self._names[id(leaf)]
            while used & set(np.ravel(symbols := _entries(name, leaf.shape))):
                name += "′"
            made[id(leaf)] = symbols
            used.update(np.ravel(symbols))
        return [made[id(leaf)] for leaf in self._leaves]

    def _places(self) -> dict[sp.Symbol, Any]:
        """Return what each of these symbols is in a table: the entry of an array."""
        mapping = {}
        for leaf, symbols in zip(self._leaves, self._symbols(), strict=True):
            if leaf.shape:
                base = sp.IndexedBase(sp.Symbol(self._names[id(leaf)], real=True), shape=leaf.shape)
                places = ((symbols[at], At(base, *at)) for at in np.ndindex(np.shape(symbols)))
                mapping.update({s: Place(s.name, at) for s, at in places})
        return mapping

    # -------------------------------------------------------------- named intermediates
    @cached_property
    def _loops(self) -> Recurrences | None:
        """The formula of states and their recurrences, where there are loops that can be written so."""
        loops = None if self._bases else recurrences([self._root], self._forward, lambda: self._called)
        if loops is not None and self._verify and verify.can_be_checked(self):
            verify.check_loops(self, loops)
        return loops

    @cached_property
    def _where(self) -> Named | None:
        if self._loops is not None:
            return self._loops
        return self._named if self._table is None else Tabled([self._table], {*self._taken, *self._beside})

    @cached_property
    def _named(self) -> Named | None:
        numbered = self._numbered
        if numbered is not None and (self._is_onward or _drawn(numbered.text()) <= BRIEF):
            return self._checked(numbered)
        try:
            form = WhereForm([self._root], self._forward, self._called, self._bases, self._beside)
        except NotLinear:  # a Jacobian through a named operation: only its entries can be written
            return None
        shorter = numbered is not None and _drawn(numbered.text()) <= _drawn(form.text())
        return self._checked(numbered if numbered is not None and shorter else form)

    @property
    def _numbered(self) -> Numbered | None:
        """The finished formula of numbers with names for its parts."""
        try:
            formula = self._of_numbers
        except TooDeep:
            return None
        if formula is None or formula.count_ops() > NUMBERED:
            return None
        return Numbered([formula], {*self._taken, *self._beside})

    def _checked(self, form: Named) -> Named:
        if self._verify and verify.can_be_checked(self):
            verify.check_where(self, form)
        return form

    @property
    def where(self) -> list[Definition]:
        """The named intermediates of ``body``, each after those that it uses."""
        return [] if self._where is None else [Definition(*map(plain, d)) for d in self._where.definitions]

    @property
    def body(self) -> sp.Basic:
        """The formula in terms of the intermediates that ``where`` defines."""
        return self.expr if self._where is None else plain(self._where.bodies[0])

    # -------------------------------------------------------------- copying
    def __copy__(self) -> ClosedForm:
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> ClosedForm:
        return self  # never changes

    def __reduce__(self) -> Any:
        return _restored, packed([self], [])

    # -------------------------------------------------------------- text
    def __str__(self) -> str:
        return self._shown[0]

    @property
    def _shown(self) -> tuple[str, Named | None]:
        """The text, and what names its intermediates where some have names."""
        if self._loops is not None:
            return self._loops.text(), self._loops
        if self._table is not None:
            tabled = Tabled([self._table], self._taken)
            return tabled.text(), tabled
        try:
            whole = Explained(self._expr)
            inlined = whole.text()
        except TooDeep:
            if self._where is None:
                raise
            return self._where.text(), self._where
        direct = whole if whole.definitions or whole.told else None
        normal = self._of_numbers is not None and has_long_normal(self._of_numbers)
        repeats = _repeats(inlined, MIDDLING, PIECE)
        if self._where is None or not (len(inlined) >= LONG or repeats or normal or self._recurs(inlined)):
            return inlined, direct
        named = self._where.text()
        here, there = _drawn(named), _drawn(inlined)
        shorter = (here, len(named)) < (there, len(inlined)) or (here == there and repeats)
        shorter = shorter or (normal and isinstance(self._where, Numbered))
        shorter = shorter or (self._recurs(inlined) and here <= there + WORTH)
        return (named, self._where) if shorter else (inlined, direct)

    def _recurs(self, inlined: str) -> bool:
        """Whether a formula of arrays has what the function computes in it twice, as a residual or a mean."""
        repeats = self._of_numbers is None and _repeats(inlined, MIDDLING_OF_ARRAYS, PIECE_OF_ARRAYS)
        return repeats and self._where is not None and self._where.of_values

    def __repr__(self) -> str:
        text, constants = self._summary()
        said = f", constants={constants}" if constants else ""
        return f"ClosedForm({text}, args={self.args}{said}, shape={show_shape(self.shape)})"

    def _summary(self) -> tuple[str, dict[str, str]]:
        """Return the formula where it can be written as one, without failing, and what its constants are."""
        try:
            has = self._expr.has
            return Explained(self._expr).text(), {n: MEANINGS[n] for n, c in (("i", sp.I), ("E", sp.E)) if has(c)}
        except FormError:
            return "…", {}

    def latex(self, form: str | None = None) -> str:
        """Return the formula in LaTeX, as displayed or in a given notation. Names are escaped.

        Args:
            form: "matrix", "index", "scalar", "entries", or "where" for named intermediates; by default that of
                ``expr``.

        Raises:
            ArgumentError: if the notation is unknown.
        """
        if form == "where":
            return Explained(self._expr).latex() if self._where is None else self._where.latex()
        if form is not None and form not in FORMS:
            raise ArgumentError(f"latex: form={form!r} is unknown. Expected one of {list(FORMS)}.")
        if form is None and self._loops is not None:
            return self._loops.latex()
        return Explained(self._expr if form is None else getattr(self, form)()).latex()

    def mathml(self, form: str | None = None) -> str:
        """Return the formula in MathML, as displayed or in a given notation: ``<math>`` elements for a web page.

        Args:
            form: see ``latex``.

        Raises:
            ArgumentError: if the notation is unknown.
        """
        if form == "where":
            return Explained(self._expr).mathml() if self._where is None else self._where.mathml()
        if form is not None and form not in FORMS:
            raise ArgumentError(f"mathml: form={form!r} is unknown. Expected one of {list(FORMS)}.")
        return Explained(self._expr if form is None else getattr(self, form)()).mathml()

    def _repr_html_(self) -> str:
        _, named = self._shown
        return in_html(mathml(self._expr) if named is None else named.mathml())

    def _repr_latex_(self) -> str:
        try:
            text = self.latex()
        except TooDeep:
            text = self.latex("where")
        return f"$\\displaystyle {latex_in_html(text)}$"

    # -------------------------------------------------------------- function
    @cached_property
    def _program(self) -> Program:
        return recorded([*self._bases, *self._leaves], [self._root])

    def lambdify(self, *order: Any) -> FormFunction:
        """Return a NumPy function of ``args``, which are passed by position or by name.

        Args:
            order: the positional arguments of the function, in order: names, or the tensors themselves, including some
                on which the formula does not depend. By default ``args``.

        Returns:
            A function. Sizes are taken from its arguments, or passed by name, as in ``n=3``. If an argument is omitted
            and its leaf has a value, that value is used; ``values`` are filled in.

        Raises:
            ArgumentError: if ``order`` contains something other than the function's arguments, or one of them twice.

        >>> x, y = sg.symbol("x", "n"), sg.symbol("y", "n")
        >>> f = sg.derive((x * y * y).sum(), y).lambdify(y, x)
        >>> f([1.0, 2.0], [3.0, 4.0])
        array([ 6., 16.])
        """
        parameters = self._ordered(order)
        return FormFunction(
            self._program, self._root, self._called, parameters, self._described(), (_lambdified, (self, parameters))
        )

    def __call__(self, /, *values: Any, **named: Any) -> Any:
        """Return the value of the formula, ``form.lambdify()(*values, **named)``.

        >>> sg.derive("a*x**2", "x")(x=3.0, a=2.0)
        12.0
        """
        return self._function(*values, **named)

    @cached_property
    def _function(self) -> FormFunction:
        return self.lambdify()

    def __float__(self) -> float:
        return float(self())

    def plot(self, over: Any = None, **options: Any) -> Any:
        """Plot the form and its derivative, or its contours for two variables; calls ``sg.plot(form, over, …)``.

        >>> ax = sg.derive("a*x**3", "x").plot((-1, 1), a=2.0, order=0)
        >>> ax.get_ylabel()
        'f(x)'
        """
        return UPCALLS["plot"](self, over, **options)

    def export(self, target: str, **options: Any) -> str:
        """Return the form as source that runs without symgrad: ``sg.export(form, target=target, …)``.

        Args:
            target: "numpy", "python", "c", "jax", "torch", "sympy" or "latex".
            options: keywords of ``sg.export``, such as ``path`` and ``name``, and ``dtype`` and ``test`` for C.

        >>> print(sg.derive("x**2*sin(x)", "x").export("python", name="slope").splitlines()[-1].strip())
        return ((v1 * v1) * cos(v1)) + (v1 * (sin(v1) * 2.0))
        """
        source: str = UPCALLS["export"](self, target=target, **options)
        return source

    def _replayed(self, new: dict[Any, Any], sizes: dict[Any, Any]) -> ClosedForm:
        """Return the form of the same operations on new leaves and sizes."""
        bases = [resized(b, sizes) for b in self._bases]
        new |= dict(zip(self._bases, bases, strict=True))
        first = [n for n in self._onward[:1] if not new.keys() & set(self._onward[1:])]
        root, *others = replayed([self._root, *first, *self._forward], new, sizes)
        onward = [*others[:1], *self._onward[1:]] if first else []
        return ClosedForm(root, others[len(first) :], bases, self._verify, onward)

    # -------------------------------------------------------------- substitution
    def subs(self, /, *old_and_new: Any, **values: Any) -> ClosedForm:
        """Return the form with values substituted for some of its symbols or sizes.

        Args:
            old_and_new: ``subs({"x": 2})``, ``subs("x", 2)`` or ``subs([("x", 2)])``. Pass the name of the symbol, or
                the tensor itself. New values are numbers, including SymPy's such as ``pi/3``, arrays, tensors, and
                formulas as text or from SymPy, which may contain names of the form and new names of numbers. All are
                substituted simultaneously, so ``subs(x="y", y="x")`` exchanges two.
            values: the same by name, as in ``subs(x=2)``. An array keeps its name in the formula.

        Returns:
            A form. If no symbols remain, ``float(form)`` and ``form()`` return its value.

        Raises:
            ArgumentError: if the function has no such name.
            ShapeError: if the shape of an array differs.

        >>> form = sg.derive("x**2*sin(a*x)", "x")
        >>> print(form.subs(a=2), "|", form.subs(a=2, x=sp.pi))
        2*x*(x*cos(2*x) + sin(2*x)) | 2*pi**2
        >>> print(sg.derive("x**3", "x").subs(x="t + 1"))
        3*(t + 1)**2
        """
        given = {self._name_of(old): new for old, new in [*_pairs(old_and_new), *values.items()]}
        sizes = {size_symbol(k): _size(k, given.pop(k)) for k in sorted(self._called.sizes & set(given))}
        mine = self._called.mine
        given = {name: read_formula(value, mine, mine[name].shape) for name, value in given.items()}
        new = substitutes(mine, given, sizes)
        return self._replayed(new, sizes)

    def _name_of(self, old: Any) -> str:
        known = {*self._called.mine, *self._called.sizes}
        name = self._by_leaf.get(id(getattr(old, "_node", None)), getattr(old, "name", old))
        if not isinstance(name, str) or name not in known:
            raise ArgumentError(f"subs: the function has no {name!r}. It has: {', '.join(sorted(known))}.")
        return str(name)

    @property
    def _by_leaf(self) -> dict[int, str]:
        return {id(leaf): name for name, leaf in self._called.mine.items()}

    def diff(self, *by: Any) -> ClosedForm:
        """Return the derivative of the form, with the arguments of SymPy's ``diff``; see also ``sg.derive(form, "x")``.

        Args:
            by: names, SymPy symbols or tensors, in order; a number after one of them is the order.

        >>> form = sg.derive("x**3*y", "x")
        >>> print(form.diff("x", 2), "|", form.diff(sp.Symbol("x"), "y"))
        6*y | 6*x
        """
        if not by or isinstance(by[0], int):
            raise ArgumentError(
                f"diff: got {by}. Expected what to differentiate with respect to, as in form.diff('x') or ('x', 2)."
            )
        derivative, last = self._derivative, by[0]
        for x in by:
            last = last if isinstance(x, int) else x
            for _ in range(x - 1 if isinstance(x, int) else 1):
                for target in derivative.targets("diff", last):
                    derivative = repeated(derivative, target, 1)
        return ClosedForm.of(derivative)

    def _check_series(self, formula: Any, name: Any, n: Any) -> None:
        if not isinstance(name, str) or name not in self.args:
            raise ArgumentError(f"series: the form has no symbol {name!r}. It has: {', '.join(self.args) or 'none'}.")
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 1000:
            raise ArgumentError(f"series: got the order {shown(n)}. Pass an integer from 1 to 1000.")
        if self.shape or not isinstance(formula, sp.Expr):
            raise FormError(
                f"series: the form has shape {show_shape(self.shape)}. Expected a number; take its entries."
            )

    def series(self, x: Any, x0: Any = 0, n: int = 6) -> sp.Expr:
        """Return the series in x about x0 up to terms of order n, like SymPy's ``series``: a formula with O(xⁿ).

        Args:
            x, x0: a symbol of the form, or its name; and the point: a number, ``sp.pi`` and the like, or ``sp.oo``.
            n: the order of the omitted terms, at least 1.

        Returns:
            A SymPy expression. Its ``removeO()`` is the polynomial, whose text ``sg.parse`` accepts.

        Raises:
            ArgumentError: if the form has no such letter, or the order is not an integer of at least 1.
            FormError: if the form is not a number, has a kink at the point, or SymPy finds no series there.

        >>> print(sg.derive("sin(x)*a", "a").series("x", 0, 6))
        x - x**3/6 + x**5/120 + O(x**6)
        """
        formula = self.to_sympy()
        name = getattr(x, "name", x)
        self._check_series(formula, name, n)
        point = _point(x0)
        try:
            by = next((s for s in formula.free_symbols if s.name == name), sp.Symbol(name))
            series = formula.series(by, point, n)
            kinked = formula.has(*_KINKED) and series != formula.series(by, point, n, "-")
        except (ValueError, TypeError, NotImplementedError, sp.PoleError) as error:
            raise FormError(f"series: SymPy finds no series of {self} at {name} = {x0}: {error}.") from error
        if kinked:
            raise FormError(f"series: {self} has a kink or a jump at {name} = {x0}, and no series there.")
        return series

    @property
    def T(self) -> ClosedForm:
        """The transpose of a matrix, which may be a Jacobian. Numbers and vectors stay as they are.

        Raises:
            FormError: the form has more than two axes, or is a Jacobian of complex numbers.

        >>> A, x = sg.symbol("A", ("n", "m")), sg.symbol("x", "m")
        >>> print(sg.derive(A @ x, x).T)
        Aᵀ
        """
        if len(self.shape) < 2:
            return self
        if len(self.shape) > 2 or (self._bases and is_imaginary(self._root)):
            what = f"one of shape {show_shape(self.shape)}" if len(self.shape) > 2 else "a Jacobian of complex numbers"
            raise FormError(f"T: expected a matrix, got {what}. Permute the axes of the array that the form computes.")
        start = self._derivative
        root, bases = transposed(start.root, start.bases)
        return ClosedForm.of(start._replace(root=root, bases=bases, onward=()))

    def simplify(self) -> ClosedForm:
        """Return the form itself, which is already simplified. ``sp.simplify(form.expr)`` calls SymPy's simplifier."""
        return self

    def _ordered(self, order: Sequence[Any]) -> tuple[str, ...]:
        if not order:
            return self.args
        by_leaf = self._by_leaf
        known = {*by_leaf.values(), *self._called.sizes}
        parameters = tuple(by_leaf.get(id(getattr(x, "_node", None)), x if isinstance(x, str) else None) for x in order)
        if not known.issuperset(parameters) or len(set(parameters)) < len(parameters):
            raise ArgumentError(
                f"lambdify: got the order {order}. Expected some of {sorted(known)}, each once, by name or as tensors."
            )
        return parameters  # type: ignore[return-value]

    def _described(self) -> str:
        brief = len(ancestors([self._root])) <= BRIEF and self.has_matrix
        return printers.text(self._matrix) if brief else "The closed form."


def _size(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer, sp.Integer)) or value < 0:
        raise ArgumentError(f"subs: the size {name!r} must be a nonnegative integer. Got {value!r}.")
    return int(value)


def _pairs(given: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return what SymPy's subs takes as pairs of old and new."""
    if len(given) == 2:
        return [(given[0], given[1])]
    if len(given) == 1:
        pairs = list(given[0].items()) if isinstance(given[0], Mapping) else given[0]
        if isinstance(pairs, (list, tuple)) and all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
            return [(old, new) for old, new in pairs]
    if not given:
        return []
    raise ArgumentError(f"subs: got {given}. Expected subs(x=2), subs({{'x': 2}}), subs('x', 2) or subs([('x', 2)]).")


def _repeats(text: str, least: int, size: int) -> bool:
    """Whether a formula is not short, and a piece of this size stands in it twice."""
    pieces = [text[k : k + size] for k in range(len(text) - size + 1)]
    return len(text) >= least and len(set(pieces)) < len(pieces)


def _drawn(text: str) -> int:
    """Return how many names, numbers and signs a formula has, without those that part the definitions behind where."""
    return signs(text) - text.count(";")


def _lambdified(form: ClosedForm, order: tuple[str, ...]) -> FormFunction:
    return form.lambdify(*order)


def packed(forms: Sequence[ClosedForm], others: Sequence[AnyNode]) -> tuple[Any, Any]:
    """Return forms, and other nodes of their graph, as they are pickled."""
    nodes = [n for f in forms for n in (f._root, *f._bases, *f._onward, *f._forward)]
    return written([*nodes, *others]), [(len(f._bases), len(f._onward), len(f._forward), f._verify) for f in forms]


def unpacked(graph: Any, kinds: Any) -> tuple[list[ClosedForm], list[AnyNode]]:
    """Return the forms that were pickled."""
    nodes: list[Any] = read(graph)
    forms = []
    for bases, onward, forward, check in kinds:
        middle, end = 1 + bases + onward, 1 + bases + onward + forward
        forms.append(ClosedForm(nodes[0], nodes[middle:end], nodes[1 : 1 + bases], check, nodes[1 + bases : middle]))
        del nodes[:end]
    return forms, nodes


def _restored(graph: Any, kinds: Any) -> ClosedForm:
    return unpacked(graph, kinds)[0][0]


def _with_integers(e: sp.Expr) -> sp.Expr:
    """Return a formula without floats such as 2.0, which products of arrays leave."""
    return e.xreplace({f: sp.Integer(int(f)) for f in _floats(e) if float(f).is_integer() and abs(f) < 2**53})


def _floats(e: sp.Expr) -> set[sp.Float]:
    """Return the floats in a formula; a part that occurs in several places is examined once."""
    seen, ahead, floats = {e}, [e], set()
    while ahead:
        part = ahead.pop()
        if isinstance(part, sp.Float):
            floats.add(part)
        new = set(part.args) - seen
        seen |= new
        ahead += new
    return floats


def _plain_in_sympy(e: Any) -> Any:
    """Return an expression of SymPy's own classes with plain symbols."""
    symbols = e.atoms(sp.Symbol)
    return e.xreplace({s: plain(s) for s in symbols})


def _entries(name: str, shape: tuple[int, ...]) -> Any:
    """Return symbols for the entries of an array: W_02, or W_10_2 where an index has two digits."""
    if not shape:
        return sp.Symbol(name, real=True)
    join = "" if max(shape) <= 10 else "_"
    out = np.empty(shape, dtype=object)
    for idx in np.ndindex(*shape):
        out[idx] = sp.Symbol(f"{name}_{join.join(map(str, idx))}", real=True)
    return out


check_all(globals(), ["ClosedForm"])
