"""The declaration of a scalar function: meaning, derivative, stable kernels, LaTeX, in one place.

Lowest working layer. ``declare`` returns a SymPy function class; everything else in symgrad (kernels,
derivatives of payloads, printing, tests) looks the declaration up by that class.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from symgrad.errors import ArgumentError, NotDifferentiable
from symgrad.support.frozen import frozen
from symgrad.support.lazy import cached_property

Interval = tuple[float, float]


class Slot(sp.Symbol):
    """A payload's argument. A class of its own, so that no user symbol is ever equal to it."""


MAX_ARITY = 6
X: tuple[Slot, ...] = tuple(Slot(f"x{i}", real=True) for i in range(4 * MAX_ARITY))  # every derivative adds g and y
G = Slot("g", real=True)  # cotangent
Y = Slot("y", real=True)  # output


@frozen
class Scalar:
    """One declared scalar function, by what ``declare`` is told. ``rule(*xs, y)`` lists its partial derivatives.

    Attributes:
        core: the interval on which accuracy is tested.
        hidden: formulas show the meaning instead of the name.
        shown: what formulas show of a hidden function, where the meaning is written for accuracy.
        computed: the kernel as a formula of others, see ``written``; compilers put it in place of the function.
        ordered: how many of the first arguments are integers of the payload, such as the order of a derivative.
        inline: code has the meaning in place of the function, which is there to be differentiated.
        public: where users find it, as a function of tensors, and as their method: "functions" for ``sg.name``,
            "special" for ``sg.special.name``; "ops" for an operation that a function of its own is written around.
        note: what else the docstring of a function of two arguments says.
        analytic: whether the kernel on arrays takes complex numbers, and is the same function of them; or the function
            that takes its place among them.
        library: the kernel is SciPy's; see ``library``.
        below: how many of the first arguments LaTeX writes below the name, such as the order of a Bessel function.
        letters: what documents call the arguments, in turn.
        parts: of a function of complex numbers, real and imaginary part as a formula, see ``complexes``.
    """

    name: str
    function: Any
    nargs: int
    meant: Callable[..., Any]
    rule: Callable[..., Any]
    numpy: Callable[..., Any]
    float: Callable[..., Any] | None
    latex: str
    text: str
    core: Interval = (-3.0, 3.0)
    hidden: bool = False
    shown: Callable[..., Any] | None = None
    computed: Callable[..., Any] | None = None
    ordered: int = 0
    inline: bool = False
    public: str = ""
    words: str = ""
    slope: str = ""
    note: str = ""
    analytic: Any = False
    library: bool = False
    below: int = 0
    letters: str = ""
    parts: Callable[..., Any] | None = None

    @property
    def derivative(self) -> str:
        """The derivative in words: as declared, or the text of the partial derivative."""
        if self.slope:
            return self.slope
        x, y = sp.symbols("x y")
        return str(self.partials[0].xreplace({X[0]: x, Y: y}))

    @cached_property
    def meaning(self) -> sp.Expr:
        """The textbook expression in ``X``."""
        return sp.sympify(self.meant(*X[: self.nargs]))

    def meaning_at(self, args: Sequence[Any]) -> Any:
        """Return the textbook expression in ``X``; of some functions it is known only for these whole orders."""
        if self.ordered and args[0].is_Integer:
            return sp.sympify(self.meant(*args[: self.ordered], *X[self.ordered : self.nargs]))
        return self.meaning

    @cached_property
    def partials(self) -> tuple[sp.Expr, ...]:
        """The partial derivatives in ``X`` and ``Y``."""
        derivatives = self.rule(*X[: self.nargs], Y)
        derivatives = derivatives if isinstance(derivatives, tuple) else (derivatives,)
        return tuple(
            Undeclared(self.name, self.letter(i)) if d is None else sp.sympify(d) for i, d in enumerate(derivatives)
        )

    def letter(self, i: int) -> str:
        """What documents call the i-th argument."""
        return self.letters.split()[i] if self.letters else f"argument {i + 1}"

    def spelled(self, args: Sequence[str], power: str = "") -> str:
        """The LaTeX of a call; the first ``below`` arguments are written below the name."""
        if power and "^" in self.latex:
            return f"\\left({self.spelled(args)}\\right){power}"
        name = self.latex + (f"_{{{', '.join(args[: self.below])}}}" if self.below else "")
        return f"{name}{power}\\left({', '.join(args[self.below :])}\\right)"


SCALARS: dict[str, Scalar] = {}
BY_FUNCTION: dict[Any, Scalar] = {}


class Undeclared(sp.Dummy):
    """Stands for a partial derivative that is not declared: there is none, or none that is computed."""

    def __new__(cls, function: str, letter: str) -> Undeclared:
        symbol: Undeclared = super().__new__(cls, f"{function} {letter}", real=True)
        return symbol

    def refusal(self) -> NotDifferentiable:
        """What is said where it is requested."""
        function, letter = self.name.split()
        return NotDifferentiable(
            f"{function}: no derivative with respect to {letter} is declared. Pass {letter} as a number, or detached, "
            f"{letter}.detach()."
        )


class _Declaring(sp.FunctionClass):
    """SymPy's class of function classes, told how many arguments each takes: to find out takes SymPy long."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        if "nargs" in namespace:
            cls._nargs = (namespace["nargs"],)
        else:
            super().__init__(name, bases, namespace)


class Atom(sp.Function, metaclass=_Declaring):
    """Base of the scalar functions that SymPy lacks; each keeps its meaning and its derivative."""

    is_real = True
    declared: Scalar

    def __init_subclass__(cls) -> None:
        """What SymPy assumes of a class it works out anew for each; these are all as their base."""

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        """Return the declared derivative, so that SymPy's own ``diff`` agrees with symgrad."""
        partial = self.declared.partials[argindex - 1]
        return partial.xreplace({**dict(zip(X, self.args, strict=False)), Y: self})

    def _eval_rewrite(self, rule: Any, args: Any, **hints: Any) -> sp.Expr:
        return self.declared.meant(*args)

    def _eval_evalf(self, prec: int) -> Any:
        return self.declared.meant(*self.args)._eval_evalf(prec)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return self.declared.spelled([printer._print(a) for a in self.args], power)


def declare(
    name: str,
    meaning: Any,
    derivative: Callable[..., Any],
    words: str = "",
    slope: str = "",
    *,
    numpy: Callable[..., Any],
    float: Callable[..., float] | None = None,
    nargs: int = 0,
    latex: str = "",
    text: str = "",
    public: str | None = None,
    **options: Any,
) -> Any:
    """Declare a scalar function and return its SymPy class, to build payloads with.

    Args:
        name: PyTorch's name, also the name that formulas print.
        meaning: the SymPy class it is, or a function of SymPy expressions giving its textbook meaning.
        derivative: ``(x, y) -> dy/dx``, or ``(x0, …, y) -> tuple`` of partials; may use the output y. A partial that
            is None is refused where it is requested.
        words: the first line of the docstring of a function that users call.
        slope: the derivative in words, for the docstring; default the text of the one declared.
        numpy: stable kernel on arrays, keeping float32.
        float: the same on Python floats; may raise ValueError, OverflowError or ZeroDivisionError,
            whereupon the array kernel is asked. None: the array kernel is used.
        nargs: number of arguments, default those of the derivative but for y.
        latex: how LaTeX writes the function; default an upright name.
        text: how matrix notation writes it in text, default ``name``.
        public: where users find it, by default among the functions if there are words for it.
        options: further attributes of ``Scalar``.

    Raises:
        ArgumentError: if the name is already declared.
    """
    if name in SCALARS:
        raise ArgumentError(f"declare: {name!r} is already declared, as {SCALARS[name].meaning}. Choose another name.")
    nargs = nargs or derivative.__code__.co_argcount - 1
    own = not (isinstance(meaning, type) and issubclass(meaning, sp.Basic))
    function = _new_class(name, nargs, options.get("library", False)) if own else meaning
    options |= {"words": words, "slope": slope, "public": ("functions" if words else "") if public is None else public}
    latex = latex or f"\\operatorname{{{name}}}"
    scalar = Scalar(name, function, nargs, meaning, derivative, numpy, float, latex, text or name, **options)
    if own:
        function.declared = scalar
        function._imp_ = staticmethod(numpy)  # SymPy's lambdify looks for it
    SCALARS[name] = BY_FUNCTION[function] = scalar
    return function


def _new_class(name: str, nargs: int, library: bool) -> Any:
    # Unpickling looks for the module's name of it, which is another where Python has one of its own: round_.
    place = f"{name}_" if hasattr(builtins, name) else name
    module = "symgrad.scalars.library" if library else "symgrad.scalars"
    return type(name, (Atom,), {"nargs": nargs, "__module__": module, "__qualname__": place})
