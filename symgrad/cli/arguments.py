"""The arguments of each command. Nothing of the package is imported here: ``--help`` and completion start at once."""

from __future__ import annotations

import argparse

FORMS = ("text", "matrix", "index", "scalar", "entries", "where")
WHAT = ("value_and_grad", "value", "grad", "jacobian", "hessian", "sparse_jacobian", "sparse_hessian")
ADJOINTS = ("formula", "number")
PLOTS = (".png", ".svg", ".pdf", ".html")
PICTURES = (".svg", ".html", ".dot", ".mmd")
PORT = 8000

# The keys of tables that are costly to import; a test compares them.
MARKS = (
    "symmetric", "positive_definite", "diagonal", "lower", "upper", "orthogonal", "skew", "positive", "onehot",
    "simplex",
)  # fmt: skip
STRUCTURED = ("ignore", "project", "free")
STYLES = ("calculus", "matrix", "backprop")
SYNTAXES = ("python", "matlab", "paper")
SHEETS = ("html", "latex", "moodle", "pdf", "stack")
TARGETS = ("c", "jax", "latex", "numpy", "python", "sympy", "torch")
TOPICS = (
    "polynomials", "roots", "reciprocals", "product", "quotient", "chain", "nested-chain", "product-and-chain",
    "quotient-and-chain", "trig", "exp-log", "powers", "logarithmic", "inverse", "hyperbolic", "absolute-value",
    "parameters", "second-derivative", "third-derivative", "partial", "mixed-partial", "gradient", "implicit",
    "linear", "quadratic", "norms", "elementwise", "softmax", "least-squares", "likelihood", "trace", "logdet",
    "inverse-matrix",
)  # fmt: skip


def add_formula(
    parser: argparse.ArgumentParser, such: str = 'such as "sum((X @ w - y)**2)"', at: str = "give names values"
) -> None:
    """Declare the arguments that a formula needs."""
    parser.add_argument("formula", help=f"{such}; - reads it from standard input")
    add_pairs(
        parser, "--wrt", "NAME[,NAME]", "differentiate with respect to these names; a scalar if no shape is given"
    )
    add_pairs(
        parser,
        "--shape",
        "NAME=SIZES",
        "the shape of a name: X=n,d for a matrix, y=3 for a vector, a= for a number; sizes are numbers or names",
    )
    parser.add_argument(
        "--syntax",
        choices=SYNTAXES,
        default="paper",
        help="how the formula is written: paper as in 2x sin x, matlab as in x'*A*x and A(1,2); default paper",
    )
    add_pairs(parser, "--at", "NAME=VALUE", f"{at}: x=2.5 or w=[[1,2],[3,4]]")
    add_pairs(parser, "--assume", "NAME=MARK", f"a property of a name, such as A=symmetric: {', '.join(MARKS)}")


def add_pairs(parser: argparse.ArgumentParser, option: str, metavar: str, help: str) -> None:
    """Declare an option that may be given more than once."""
    parser.add_argument(option, action="append", default=[], metavar=metavar, help=help)


def add_derive(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad derive``."""
    add_formula(p)
    p.add_argument("--form", choices=FORMS, default="text", help="the notation; default text, the shortest")
    p.add_argument("--order", type=int, default=1, metavar="N", help="the order, 2 for the Hessian; default 1")
    p.add_argument(
        "--structure",
        choices=STRUCTURED,
        help="how the gradient respects a property of the matrix in --assume; default ignore",
    )
    shown = p.add_mutually_exclusive_group()
    shown.add_argument("--latex", action="store_true", help="print LaTeX")
    shown.add_argument("--json", action="store_true", help="print text, LaTeX and intermediates as JSON")


def add_check(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad check``."""
    add_formula(p, 'such as "sum((X @ w - y)**2)"; or a function of arrays, as module:function')
    p.add_argument("--seed", type=int, default=0, help="seed of the random inputs; default 0")
    p.add_argument("--positive", action="store_true", help="draw inputs between 0.5 and 1.5 instead of around 0")
    p.add_argument("--rtol", type=float, default=1e-6, help="relative tolerance; default 1e-6")
    p.add_argument("--digits", type=int, help="also compute the gradient to this many digits, and give errors in ulps")


def add_explain(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad explain``."""
    add_formula(p)
    p.add_argument("--style", choices=STYLES, help="the kind of steps; default calculus for few numbers")
    p.add_argument(
        "--order", type=int, default=1, metavar="N", help="the order; 2 shows the second derivative too; default 1"
    )
    shown = p.add_mutually_exclusive_group()
    shown.add_argument("--latex", action="store_true", help="print LaTeX")
    shown.add_argument("--html", action="store_true", help="print HTML")


def add_export(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad export``."""
    add_formula(p, at="call the program of --test with these values")
    p.add_argument("--target", required=True, choices=TARGETS, help="the language or library of the code")
    p.add_argument(
        "--what",
        choices=WHAT,
        metavar="WHAT",
        help=f"what to compute: {', '.join(WHAT)}; default value_and_grad, or jacobian if the formula is an array",
    )
    p.add_argument("--name", help="the name of the function; default expression")
    p.add_argument("--static", action="store_true", help="write C that allocates no memory; sizes must be numbers")
    p.add_argument("--dtype", choices=("float64", "float32"), default="float64", help="C's precision; default float64")
    p.add_argument("--test", action="store_true", help="also write a test program, next to the C file")
    p.add_argument("--cmake", action="store_true", help="also write a CMakeLists.txt, next to the C file")
    p.add_argument("-o", "--output", metavar="FILE", help="write to this file; for C, also a header next to it")


def add_report(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad report``."""
    add_formula(p)
    p.add_argument(
        "-o", "--output", metavar="FILE", default="report.html", help="write to this file; default report.html"
    )


def add_ops(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad ops``."""
    p.add_argument("word", nargs="?", default="", help="list operations whose name contains this; default all")
    p.add_argument("--functions", action="store_true", help="list public functions with their aliases instead")
    p.add_argument("--json", action="store_true", help="print JSON")


def add_grade(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad grade``."""
    p.add_argument("answer", help='such as "2*x*cos(x)"; - reads it from standard input')
    p.add_argument("--of", required=True, metavar="FORMULA", help='the differentiated formula, such as "x**2*sin(x)"')
    add_pairs(p, "--wrt", "NAME[,NAME]", "differentiate the formula with respect to these names")
    add_pairs(p, "--shape", "NAME=SIZES", "the shapes of arrays, as X=n,d w=d; other names are numbers")
    p.add_argument("--order", type=int, default=1, metavar="N", help="the order of the derivative; default 1")
    p.add_argument("--syntax", choices=SYNTAXES, default="paper", help="syntax of the formula; default paper")
    p.add_argument("--json", action="store_true", help="print the grade as JSON")


def add_exercises(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad exercises``."""
    p.add_argument("topic", help=f"one of {', '.join(TOPICS)}")
    p.add_argument("--level", type=int, default=1, help="1, 2 or 3; default 1")
    p.add_argument("--seed", type=int, default=0, help="another seed gives other problems; default 0")
    p.add_argument("--count", type=int, default=5, metavar="N", help="number of problems; default 5")
    p.add_argument("--solutions", action="store_true", help="print the solutions too")
    p.add_argument("--steps", action="store_true", help="print the steps to each solution")
    p.add_argument("--latex", action="store_true", help="print LaTeX")


def add_sheet(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad sheet``."""
    p.add_argument("topics", nargs="+", metavar="topic", help=f"some of {', '.join(TOPICS)}")
    p.add_argument("--level", type=int, default=1, help="1, 2 or 3; default 1")
    p.add_argument("--seed", type=int, default=0, help="another seed gives another sheet; default 0")
    p.add_argument("--count", type=int, default=10, metavar="N", help="number of exercises; default 10")
    p.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write to this .html, .tex, .pdf or .xml file; default: print the problems",
    )
    p.add_argument("--format", choices=SHEETS, help="the file's format, if its name does not determine it")


def add_graph(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad graph``."""
    add_formula(p)
    p.add_argument("--adjoints", choices=ADJOINTS, help="label each arrow with what the backward pass sends along it")
    p.add_argument(
        "-o", "--output", metavar="FILE", help=f"write to this {', '.join(PICTURES)} file; default: print Mermaid"
    )


def add_study(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad study``."""
    p.add_argument("formula", help='a formula in one variable, such as "x**3 - 3*x"; - reads it from standard input')
    p.add_argument("--wrt", metavar="NAME", help="the name of the variable")
    p.add_argument("--latex", action="store_true", help="print LaTeX")
    p.add_argument("--html", action="store_true", help="print HTML")


def add_table(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad table``."""
    add_formula(p)
    add_over(p, "-2:2:5")
    p.add_argument("--html", action="store_true", help="print HTML")


def add_over(p: argparse.ArgumentParser, default: str) -> None:
    """Declare the points at which the variable is evaluated."""
    p.add_argument(
        "--over",
        default=default,
        metavar="POINTS",
        help=f"the points, as 0,1,2.5 or first:last:count, optionally with the name, as x=0:2:5; default {default}",
    )


def add_plot(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad plot``."""
    add_formula(p)
    p.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="RANGE",
        help="the range, as low:high; for two variables x=-2:2 y=-1:3; default -3:3",
    )
    p.add_argument("--order", type=int, default=1, metavar="N", help="number of derivatives to draw; default 1")
    p.add_argument(
        "--tangent", metavar="POINT", help="draw the tangent there, as 1.5; for two variables the gradient, as 1,2"
    )
    p.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="plot.png",
        help=f"write to this {', '.join(PLOTS)} file; default plot.png",
    )


def add_serve(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad serve``."""
    p.add_argument("--port", type=int, default=PORT, metavar="N", help=f"the port, or 0 for a free one; default {PORT}")
    p.add_argument("--open", action="store_true", help="open the page in a browser")
    p.add_argument(
        "--host", default="127.0.0.1", help="0.0.0.0 accepts other machines, and needs --token; default 127.0.0.1"
    )
    p.add_argument(
        "--token",
        nargs="?",
        const="",
        metavar="WORD",
        help="a secret that requests must contain; random if WORD is omitted",
    )
    p.add_argument(
        "--workers", type=int, metavar="N", help="number of worker processes; default one for each processor"
    )
