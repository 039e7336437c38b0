"""What people call functions, and the words that are said without brackets, as in ``sin x`` and ``ln 2x``."""

from __future__ import annotations

ALIASES = {
    "tg": "tan", "ctg": "cot", "cotg": "cot", "cotan": "cot", "cosec": "csc", "sen": "sin", "arctg": "atan",
    "arcctg": "acot", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "sh": "sinh", "ch": "cosh", "th": "tanh", "cth": "coth", "arsinh": "asinh", "arcosh": "acosh",
    "artanh": "atanh", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "ln": "log", "lg": "log10",
    "lb": "log2", "log_2": "log2", "log2": "log2", "log_10": "log10", "log10": "log10",
    "log_e": "log",
    "sgn": "sign", "Abs": "abs", "Max": "maximum", "Min": "minimum", "tr": "trace", "absolute": "abs",
    "fabs": "abs", "power": "pow", "σ": "sigmoid", "Tr": "trace",
}  # fmt: skip
INVERSE = {
    "sin": "asin", "cos": "acos", "tan": "atan", "sinh": "asinh", "cosh": "acosh", "tanh": "atanh", "erf": "erfinv",
    "erfc": "erfcinv", "Φ": "ndtri",
}  # fmt: skip
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "omicron": "ο",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ",
    "omega": "ω",
}  # fmt: skip
LETTERS = {"lambda": "λ", "π": "pi"}  # words that Python keeps for itself, and letters for constants
RAISED = dict(zip("-0123456789abcdefghijklmnoprstuvwxyz", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
GLUED = (
    "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "sin", "cos", "tan", "cot", "sec", "csc", "tg", "ln", "log",
)  # fmt: skip
SPOKEN = {
    *ALIASES, *ALIASES.values(), *INVERSE, *INVERSE.values(), "sec", "csc", "cot", "sech", "csch", "coth", "exp", "log",
    "sqrt", "det", "logdet", "cbrt", "conj", "asec", "acsc", "acot",
} - {
    "maximum", "minimum", "Max", "Min", "th", "ch", "sh", "σ", "sigmoid", "erf", "erfc", "erfinv", "erfcinv", "Φ",
    "ndtri", "pow", "power",
}  # fmt: skip
NEVER_NAMES = ("sin", "cos", "tan", "exp", "log", "ln", "sqrt", "sum")  # while gamma, beta, std often are


def in_greek(name: str) -> str:
    """Return the letter that a name spells, with its index: α of alpha, Σ1 of Sigma_1; any other name as it is.

    >>> in_greek("alpha"), in_greek("Sigma_1"), in_greek("α_1"), in_greek("x_1")
    ('α', 'Σ1', 'α1', 'x_1')
    """
    stem = name.rstrip("0123456789")
    word = stem.removesuffix("_")
    letter = GREEK.get(word) or (
        GREEK[word.lower()].upper() if word.title() == word and word.lower() in GREEK else word
    )
    return letter + name[len(stem) :] if letter.lower() in GREEK.values() else name
