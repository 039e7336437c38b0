"""Functions of several variables and vector fields, as a calculus class meets them."""

SCALARS = [
    "x**2*y", "x*y*z", "exp(x*y)", "sin(x)*cos(y)", "log(x**2 + y**2 + 1)", "x/(1 + y**2)", "sqrt(1 + x**2 + y**2)",
    "x**3 - 3*x*y**2", "1/sqrt(x**2 + y**2 + z**2)", "x*exp(-x**2 - y**2)", "atan(y/x)", "x**y", "z*sin(x*y)",
    "(x - y)/(x + y)", "exp(x)*sin(y)", "x*y + y*z + z*x", "log(x**2 + y**2)", "tanh(x + 2*y)", "cosh(x)*cos(y)",
    "x**2*y**3*z**4", "sin(x + y + z)", "1/(x*y)", "sqrt(x*y)", "exp(-x)*log(y)",
]  # fmt: skip

VECTORS = [
    "[x*y, y*z, z*x]", "[x, y, z]", "[-y, x, 0]", "[x**2, y**2, z**2]", "[y*z, z*x, x*y]", "[sin(y), cos(z), exp(x)]",
    "[x*y**2, y*z**2, z*x**2]", "[exp(x)*cos(y), -exp(x)*sin(y), z]", "[x/(x**2+y**2+z**2), y/(x**2+y**2+z**2), 1]",
    "[z, x, y]", "[x*y*z, x + y + z, 1]", "[log(x*y), y/z, sqrt(x)]", "[x - y, y - z, z - x]", "[2*x*y, x**2 + z, y]",
    "[-y/(x**2 + y**2), x/(x**2 + y**2), 0]", "[cosh(x), sinh(y), x*z]", "[x**y, y**z, 1]", "[0, 0, x*y*z**2]",
    "[-y, x]", "[x*y, x - y]", "[x**2 - y**2, 2*x*y]", "[exp(x), x*sin(y)]",
]  # fmt: skip

_QUADRATIC = [
    f"{a}*x**2 + {b}*x*y + {c}*y**2 + {d}*x - y"
    for a, b, c, d in (
        (1, 1, 1, 0), (1, 3, 1, 1), (-1, 1, -2, 2), (2, -1, 1, 0), (1, 0, -1, 3), (-3, 2, -1, 1), (1, 5, 2, -1),
        (4, 1, 3, 2), (-1, 0, -1, 0), (0, 1, 0, 1), (2, 2, 1, -4), (1, -4, 1, 1), (5, 3, 1, 0), (-2, 3, 1, 1),
    )
]  # fmt: skip
_CUBIC = [
    f"x**3 + {a}*y**3 + {b}*x*y + {c}*x"
    for a in (1, -1, 2) for b in (-3, 1, 6) for c in (0, -3, 1)
]  # fmt: skip
_BELLS = [
    f"({p})*exp(-x**2 - {k}*y**2)"
    for p in ("x", "y", "x*y", "x + y", "x**2 + y**2", "x**2 - y**2", "1", "x - 2*y") for k in (1, 2)
]  # fmt: skip
_OTHERS = [
    "x**4 + y**4 - 4*x*y + 1", "x**4 + y**4", "x**3 - 3*x*y**2", "(y - x**2)*(y - 2*x**2)", "(x**2 + y**2)**2",
    "x*y + 8/x + 8/y", "1/x + 1/y + x*y", "x**2*y + x*y**2 + y**2 - 3*y", "(x**2 - 1)**2 + y**2",
    "exp(x) + x**2 + y**2",
    "log(x**2 + y**2 + 1)", "x**2 + y**2*(1 - x)**3", "sin(x)*sin(y)", "sin(x) + cos(y)", "exp(x)*cos(y)", "y*sin(x)",
    "x*log(y) - x", "x**2 + y**2 + z**2 - x*y + 3*z", "x*y*z", "x**3 + y**2 + z**2 - 3*x", "x**2 + x*y + y*z + z**2",
    "(x + y)**2", "(x**2 + y**2 - 1)**2", "x**4 - 2*x**2 + y**3 - 3*y", "x**5 - 5*x*y**3 + y**2 - x",
    "exp(-x**2)*(x + y**2)", "x**2*y**2", "x**4 - y**4", "-x**4 - y**6", "x**2 - y**3", "x**6 + y**2",
    "x**2 + y**4 - z**2",
    "x/(1 + x**2 + y**2)", "(x + y)/(1 + x**2 + y**2)", "x**2 + 4*y**2 - 2*x + 8*y", "4 + x**3 + y**3 - 3*x*y",
    "2*x**3 + x*y**2 + 5*x**2 + y**2", "x*y*(1 - x - y)", "x**2 + y**2 + 2/(x*y)", "cos(x)*cos(y)", "x**2 + sin(y)",
    "x**4 + y**4 - x**2 - y**2", "y**2 - 2*y*cos(x)", "x**3 - 12*x*y + 8*y**3", "exp(4*y - x**2 - y**2)",
    "x*y - x**2*y - x*y**2", "(x**2 + y**2)*exp(-x)", "x**2 + y**2 + x**2*y + 4", "x**2*exp(y) + y**2",
    "1 - x**2 - y**2",
    "sqrt(1 + x**2 + y**2)", "x - y", "x**2 - y", "atan(x) + y**2", "tanh(x*y)", "cosh(x) + y**2",
]  # fmt: skip
SURFACES = [*_QUADRATIC, *_CUBIC, *_BELLS, *_OTHERS]
