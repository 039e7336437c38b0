"""SciPy's special functions of tensors, by SciPy's names and with its arguments; ``sg.special`` has them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from symgrad.engine.record import TensorBase, apply, as_tensor
from symgrad.errors import ArgumentTypeError
from symgrad.functions.elementwise_factory import returned
from symgrad.ops.elementwise import library
from symgrad.ops.elementwise.declared import UNARY
from symgrad.ops.elementwise.library import LIBRARY, complex_result
from symgrad.ops.map import ADD, MUL, SUB
from symgrad.ops.reductions import softmax as softmaxes
from symgrad.scalars import SCALARS
from symgrad.scalars.library import COMPLEX, NAMES, TUPLES
from symgrad.support.arguments import checked
from symgrad.tensors.ufuncs import function_of

Function = Callable[..., Any]
_NOTE = """
    Args:
        {0}: tensors, arrays or numbers, broadcast against each other.

    Returns:
        A tensor of the broadcast shape{1}. The documentation lists its derivatives, under SciPy's functions.

    Raises:
        MissingExtra: if SciPy is not installed.
    """
_SEVERAL = {
    "airy": "The Airy functions Ai, Ai', Bi and Bi'.",
    "airye": "The Airy functions Ai, Ai', Bi and Bi', scaled by exp(±2/3 x√x).",
    "sici": "The sine and cosine integrals Si and Ci.",
    "shichi": "The hyperbolic sine and cosine integrals Shi and Chi.",
    "fresnel": "The Fresnel integrals S and C.",
    "ellipj": "Jacobi's elliptic functions sn, cn, dn and the amplitude, of u and the parameter m.",
    "itj0y0": "The integrals of J₀ and Y₀ from 0 to x.",
    "iti0k0": "The integrals of I₀ and K₀ from 0 to x.",
    "it2j0y0": "∫ (1 - J₀(t))/t dt from 0 to x, and ∫ Y₀(t)/t dt from x to ∞.",
    "it2i0k0": "∫ (I₀(t) - 1)/t dt from 0 to x, and ∫ K₀(t)/t dt from x to ∞.",
    "itairy": "The integrals of Ai and Bi from 0 to x, and from 0 to -x.",
    "pbdv": "The parabolic cylinder function D_v(x) and its derivative.",
    "pbvv": "The parabolic cylinder function V_v(x) and its derivative.",
    "pbwa": "The parabolic cylinder function W(a, x) and its derivative.",
}
_COMPLEX = {
    "hankel1": "The Hankel function of the first kind, J_v(z) + i Y_v(z)",
    "hankel1e": "exp(-iz) hankel1(v, z)",
    "hankel2": "The Hankel function of the second kind, J_v(z) - i Y_v(z)",
    "hankel2e": "exp(iz) hankel2(v, z)",
    "wofz": "Faddeeva's function exp(-z²) erfc(-iz)",
}


def _operands(given: tuple[Any, ...]) -> list[Any]:
    """Arrays as tensors; a number takes the dtype of what stands beside it."""
    operands = [a if isinstance(a, (TensorBase, int, float)) else as_tensor(a) for a in given]
    if not any(isinstance(a, TensorBase) for a in operands):
        operands[-1] = as_tensor(operands[-1])
    return operands


@cache
def _signature(letters: tuple[str, ...], returns: str = "Any") -> inspect.Signature:
    """One for all functions of the same arguments: to make it takes longer than to make the function."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(w, kind, annotation="Any") for w in letters], return_annotation=returns)


def _named(call: Function, name: str, letters: list[str], words: str, returns: str = "Any") -> Function:
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{returned(words)}\n{_NOTE.format(', '.join(letters), ' for each' if returns != 'Any' else '')}"
    call.__signature__ = _signature(tuple(letters), returns)  # type: ignore[attr-defined]
    return call


def _given(name: str, letters: list[str], args: tuple[Any, ...], words: dict[str, Any]) -> list[Any]:
    """The arguments in turn, of which some may come by their names, a first one called x as PyTorch's ``input`` too."""
    if letters[0] == "x" and "input" in words:
        words["x"] = words.pop("input")
    try:
        return _operands(_signature(tuple(letters)).bind(*args, **words).args)
    except TypeError as error:
        raise ArgumentTypeError(f"{name}(): {error}. It takes {', '.join(letters)}.") from None


def _one(name: str) -> Function:
    s, op = SCALARS[name], LIBRARY[name]
    letters = s.letters.split()

    def call(*args: Any, **words: Any) -> Any:
        return apply(op, _given(name, letters, args, words))

    return _named(call, name, letters, s.words)


def _tuple(name: str) -> Function:
    parts = TUPLES[name]
    letters = SCALARS[parts[0]].letters.split()
    words = _SEVERAL.get(name, f"SciPy's {name}, a function and its derivative.")

    def call(*args: Any, **given: Any) -> Any:
        operands = _given(name, letters, args, given)
        return tuple(apply(LIBRARY[part], operands) for part in parts)

    return _named(call, name, letters, words, "tuple[Any, ...]")


def _complex(name: str) -> Function:
    letters = SCALARS[name].letters.split()

    def call(*args: Any, **words: Any) -> Any:
        return complex_result(name, *_given(name, letters, args, words))

    return _named(call, name, letters, f"{_COMPLEX[name]}. The result is complex, even for real z.")


FOUND: dict[str, Function] = {name: _one(name) for name in NAMES} | {name: _tuple(name) for name in TUPLES}
FOUND |= {name: _complex(name) for name in COMPLEX}


# ------------------------------------------------------------------ what is not a universal function of SciPy's
@checked
def lambertw(z: Any, k: int = 0) -> Any:
    """Return Lambert's W, the solution w of w eʷ = z: real for z ≥ -1/e on the branches k = 0 and -1, otherwise nan.

    Derivative: e⁻ʷ/(1 + w).

    Args:
        z: a tensor, array or number.
        k: the branch.

    Returns:
        A tensor shaped like z, with real numbers, whereas SciPy's are complex.
    """
    return apply(LIBRARY["lambertw"], (z if isinstance(z, TensorBase) else as_tensor(z), int(k)))


def _spherical(name: str, letter: str) -> Function:
    def call(n: Any, z: Any) -> Any:
        return apply(LIBRARY[name], _operands((n, z)))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Return the spherical Bessel function {letter}_n(z) of integer order n.

    Derivative: {letter}_(n-1)(z) - (n + 1)/z {letter}_n(z).

    Args:
        n: the order, an integer or an array of integers.
        z: a tensor, array or number, broadcast against n.

    Returns:
        A tensor of the broadcast shape.
    """
    return checked(call)


@checked
def spherical_bessel_j0(x: Any) -> Any:
    """Return the spherical Bessel function j₀(x) = sin(x)/x.

    Derivative: -j₁(x).

    Args:
        x: a tensor, array or number.

    Returns:
        A tensor shaped like x.
    """
    return apply(LIBRARY["spherical_jn"], (0, x if isinstance(x, TensorBase) else as_tensor(x)))


@checked
def factorial(n: Any) -> Any:
    """Return n! = Γ(n + 1) for real n.

    Derivative: n! ψ(n + 1).

    Args:
        n: a tensor, array or number.

    Returns:
        A tensor shaped like n.
    """
    return apply(LIBRARY["gamma"], (ADD(n if isinstance(n, TensorBase) else as_tensor(n), 1.0),))


@checked
def softmax(input: Any, dim: Any = None, *, axis: Any = None, dtype: Any = None) -> Any:
    """Return exp x / Σ exp x along one or several axes, by default all, as in SciPy.

    Derivative: y_i (δ_ij - y_j).

    Args:
        input: x, a tensor, array or number.
        dim, axis: the axis, or a tuple of axes.
        dtype: dtype to convert to first.

    Returns:
        A tensor shaped like x.
    """
    along = dim if axis is None else axis
    if isinstance(along, int):
        return softmaxes.softmax(as_tensor(input), along, dtype=dtype)
    return UNARY["exp"](log_softmax(input, along, dtype=dtype))


@checked
def log_softmax(input: Any, dim: Any = None, *, axis: Any = None, dtype: Any = None) -> Any:
    """Return x - log Σ exp x along one or several axes, by default all, as in SciPy.

    Derivative: δ_ij - softmax(x)_j.

    Args:
        input: x, a tensor, array or number.
        dim, axis: the axis, or a tuple of axes.
        dtype: dtype to convert to first.

    Returns:
        A tensor shaped like x.
    """
    along = dim if axis is None else axis
    x = as_tensor(input) if dtype is None else as_tensor(input).to(dtype)
    if isinstance(along, int):
        return softmaxes.log_softmax(x, along)
    return SUB(x, softmaxes.logsumexp(x, along, True))


@checked
def kelvin(x: Any) -> Any:
    """Return Kelvin's functions as complex numbers: ber x + i bei x, ker x + i kei x, and their derivatives.

    Args:
        x: a tensor, array or number.

    Returns:
        A tuple of four complex tensors shaped like x.
    """
    return library.kelvin(x if isinstance(x, TensorBase) else as_tensor(x))


@checked
def cbrt(x: Any) -> Any:
    """Return the cube root of x, also for negative x.

    Derivative: 1/(3 y²).

    Args:
        x: a tensor, array or number.

    Returns:
        A tensor shaped like x.
    """
    cube_root: Function = function_of("cbrt")  # type: ignore[assignment]
    return cube_root(x)


def _again(name: str, of: str) -> Function:
    """Return a function under another name."""
    op = UNARY.get(of) or LIBRARY[of]

    def call(x: Any) -> Any:
        return apply(op, (x if isinstance(x, TensorBase) else as_tensor(x),))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"An alias of ``symgrad.{of}``." if of in UNARY else "Return the Airy function Ai(x)."
    return checked(call)


# torch.special's names of SciPy's functions, whose polynomials take x first.
_TORCHS = {
    "bessel_y0": "y0", "bessel_y1": "y1", "modified_bessel_i0": "i0", "modified_bessel_i1": "i1",
    "modified_bessel_k0": "k0", "modified_bessel_k1": "k1", "scaled_modified_bessel_k0": "k0e",
    "scaled_modified_bessel_k1": "k1e", "airy_ai": "ai",
}  # fmt: skip
_POLYNOMIALS = {
    "chebyshev_polynomial_t": "eval_chebyt", "chebyshev_polynomial_u": "eval_chebyu",
    "shifted_chebyshev_polynomial_t": "eval_sh_chebyt", "shifted_chebyshev_polynomial_u": "eval_sh_chebyu",
    "hermite_polynomial_h": "eval_hermite", "hermite_polynomial_he": "eval_hermitenorm",
    "laguerre_polynomial_l": "eval_laguerre", "legendre_polynomial_p": "eval_legendre",
}  # fmt: skip


def _polynomial(name: str, values: Function, words: str) -> Function:
    def call(input: Any, n: Any) -> Any:
        return values(n, input)

    return checked(_named(call, name, ["input", "n"], words))


def _third_and_fourth(sign: float, shifted: bool) -> Function:
    """V_n = U_n - U_{n-1} and W_n = U_n + U_{n-1}, where U_{n-1} = x U_n - T_{n+1}. Source: DLMF 18.9.3 to 18.9.10."""
    t, u = FOUND["eval_chebyt"], FOUND["eval_chebyu"]

    def values(n: Any, x: Any) -> Any:
        at = SUB(MUL(2.0, as_tensor(x)), 1.0) if shifted else as_tensor(x)
        here = u(n, at)
        return ADD(here, MUL(sign, SUB(MUL(at, here), t(ADD(as_tensor(n), 1), at))))

    return values


FOUND |= {name: FOUND.get(own) or _again(name, own) for name, own in _TORCHS.items()}
FOUND |= {name: _polynomial(name, FOUND[own], SCALARS[own].words) for name, own in _POLYNOMIALS.items()}
FOUND |= {
    f"{prefix}chebyshev_polynomial_{letter}": _polynomial(
        f"{prefix}chebyshev_polynomial_{letter}", _third_and_fourth(sign, bool(prefix)),
        f"{'The shifted' if prefix else 'The'} Chebyshev polynomial of the {kind} kind, {letter.upper()}_n.",
    )
    for prefix in ("", "shifted_") for letter, sign, kind in (("v", -1.0, "third"), ("w", 1.0, "fourth"))
}  # fmt: skip
FOUND |= {
    "cbrt": cbrt,
    "lambertw": lambertw,
    "factorial": factorial,
    "spherical_jn": _spherical("spherical_jn", "j"),
    "spherical_yn": _spherical("spherical_yn", "y"),
    "spherical_in": _spherical("spherical_in", "i"),
    "spherical_kn": _spherical("spherical_kn", "k"),
    "kelvin": kelvin,
    "softmax": softmax,
    "log_softmax": log_softmax,
    "log_expit": _again("log_expit", "logsigmoid"),
    "round": _again("round", "round"),
    "softplus": _again("softplus", "softplus"),
    "jn": FOUND["jv"],
    "spherical_bessel_j0": spherical_bessel_j0,
}
