"""The arguments of each command. Nothing of the package is imported here: ``--help`` and completion start at once."""

from __future__ import annotations

import argparse

MARKS = ("symmetric", "positive", "onehot", "simplex")
FORMS = ("text", "matrix", "index", "scalar", "entries", "where")
WHAT = ("value_and_grad", "value", "grad", "jacobian", "hessian")
ADJOINTS = ("formula", "number")
PLOTS = (".png", ".svg", ".pdf", ".html")
PICTURES = (".svg", ".html", ".dot", ".mmd")
PORT = 8000

# The keys of tables that are costly to import; a test compares them.
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
    parser: argparse.ArgumentParser, such: str = 'such as "sum((X @ w - y)**2)"', *, values: bool = True
) -> None:
    """Declare the arguments that a formula needs; ``--at`` where values do something."""
    parser.add_argument("formula", help=f"{such}; - reads it from standard input")
    add_pairs(
        parser, "--wrt", "NAME[,NAME]", "differentiate with respect to these names; a scalar if no shape is given"
    )
    add_pairs(
        parser,
        "--shape",
        "NAME=SIZES",
        "declare names: X=n,d is a matrix, y=3 a vector, a= a number, X=n,d w=d two; sizes are numbers or names",
    )
    parser.add_argument(
        "--syntax",
        choices=SYNTAXES,
        default="paper",
        help="matlab: x'*A*x, .*, norm(x)^2, A(1,2); default paper, as 2x sin x",
    )
    if values:
        add_pairs(parser, "--at", "NAME=VALUE", "give names values: x=2.5 or w=[[1,2],[3,4]]")
    else:
        parser.set_defaults(at=[])
    add_pairs(parser, "--assume", "NAME=MARK", f"{', '.join(MARKS)}; such as A=symmetric")


def add_pairs(parser: argparse.ArgumentParser, option: str, metavar: str, help: str) -> None:
    """Declare an option that may be given more than once."""
    parser.add_argument(option, action="append", default=[], metavar=metavar, help=help)


def add_derive(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad derive``."""
    add_formula(p)
    p.add_argument("--form", choices=FORMS, default="text", help="the notation; default the shortest")
    p.add_argument("--order", type=int, default=1, metavar="N", help="2 for the Hessian; default 1")
    shown = p.add_mutually_exclusive_group()
    shown.add_argument("--latex", action="store_true", help="print LaTeX")
    shown.add_argument("--json", action="store_true", help="print text, LaTeX and intermediates as JSON")


def add_check(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad check``."""
    add_formula(p, 'such as "sum((X @ w - y)**2)"; or a function of arrays, as module:function')
    p.add_argument("--seed", type=int, default=0, help="of the random inputs; default 0")
    p.add_argument("--positive", action="store_true", help="draw inputs between 0.5 and 1.5, not around 0")
    p.add_argument("--rtol", type=float, default=1e-6, help="tolerance; default 1e-6")
    p.add_argument("--digits", type=int, help="also compute the gradient to this many digits, and give errors in ulps")


def add_explain(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad explain``."""
    add_formula(p)
    p.add_argument("--style", choices=STYLES, help="how; default calculus for few numbers")
    p.add_argument("--order", type=int, default=1, metavar="N", help="2 goes on to the second derivative; default 1")
    shown = p.add_mutually_exclusive_group()
    shown.add_argument("--latex", action="store_true", help="print LaTeX")
    shown.add_argument("--html", action="store_true", help="print HTML")


def add_export(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad export``."""
    add_formula(p, values=False)
    p.add_argument("--target", required=True, choices=TARGETS, help="the language")
    p.add_argument("--what", choices=WHAT, help="default value_and_grad, of an array its jacobian")
    p.add_argument("--name", help="of the function in the source")
    p.add_argument("--static", action="store_true", help="C without memory allocation; sizes must be numbers")
    p.add_argument("-o", "--output", metavar="FILE", help="write to this file; C has its header beside it")


def add_report(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad report``."""
    add_formula(p)
    p.add_argument("-o", "--output", metavar="FILE", default="report.html", help="default report.html")


def add_ops(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad ops``."""
    p.add_argument("word", nargs="?", default="", help="a part of the name; default all")
    p.add_argument("--functions", action="store_true", help="list public functions with their other names")
    p.add_argument("--json", action="store_true", help="print JSON")


def add_grade(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad grade``."""
    p.add_argument("answer", help='such as "2*x*cos(x)"; - reads it from standard input')
    p.add_argument("--of", required=True, metavar="FORMULA", help='what was differentiated, such as "x**2*sin(x)"')
    add_pairs(p, "--wrt", "NAME[,NAME]", "by which names")
    add_pairs(p, "--shape", "NAME=SIZES", "of arrays, as X=n,d w=d; other names are numbers")
    p.add_argument("--order", type=int, default=1, metavar="N", help="2 for the second derivative; default 1")
    p.add_argument("--syntax", choices=SYNTAXES, default="paper", help="of the formula; default paper")
    p.add_argument("--json", action="store_true", help="print the grade as JSON")


def add_exercises(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad exercises``."""
    p.add_argument("topic", help=f"one of {', '.join(TOPICS)}")
    p.add_argument("--level", type=int, default=1, help="1, 2 or 3; default 1")
    p.add_argument("--seed", type=int, default=0, help="for others of the same kind; default 0")
    p.add_argument("--count", type=int, default=5, metavar="N", help="how many; default 5")
    p.add_argument("--solutions", action="store_true", help="print the solutions too")
    p.add_argument("--steps", action="store_true", help="print the way to each solution")
    p.add_argument("--latex", action="store_true", help="print LaTeX")


def add_sheet(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad sheet``."""
    p.add_argument("topics", nargs="+", metavar="topic", help=f"some of {', '.join(TOPICS)}")
    p.add_argument("--level", type=int, default=1, help="1, 2 or 3; default 1")
    p.add_argument("--seed", type=int, default=0, help="for another sheet; default 0")
    p.add_argument("--count", type=int, default=10, metavar="N", help="how many exercises; default 10")
    p.add_argument("-o", "--output", metavar="FILE", help=".html, .tex, .pdf or .xml; default prints the problems")
    p.add_argument("--format", choices=SHEETS, help="of the file, if its name does not tell")


def add_graph(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad graph``."""
    add_formula(p)
    p.add_argument("--adjoints", choices=ADJOINTS, help="show what comes back along each arrow")
    p.add_argument(
        "-o", "--output", metavar="FILE", help=f"write {', '.join(PICTURES)}, as the name ends; default prints Mermaid"
    )


def add_study(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad study``."""
    p.add_argument("formula", help='a formula of one number, such as "x**3 - 3*x"; - reads it from standard input')
    p.add_argument("--wrt", metavar="NAME", help="the name of that number")
    p.add_argument("--latex", action="store_true", help="print LaTeX")
    p.add_argument("--html", action="store_true", help="print HTML")


def add_table(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad table``."""
    add_formula(p)
    add_over(p, "-2:2:5")
    p.add_argument("--html", action="store_true", help="print HTML")


def add_over(p: argparse.ArgumentParser, default: str) -> None:
    """Declare the points of the one variable."""
    p.add_argument(
        "--over",
        default=default,
        metavar="POINTS",
        help=f"0,1,2.5 or first:last:count, with or without the name in front, as x=0:2:5; default {default}",
    )


def add_plot(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad plot``."""
    add_formula(p)
    p.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="RANGE",
        help="low:high, or by name, as in x=-2:2 y=-1:3 for two; default -3:3",
    )
    p.add_argument("--order", type=int, default=1, metavar="N", help="how many derivatives are drawn; default 1")
    p.add_argument("--tangent", metavar="POINT", help="draw a tangent at 1.5; for two numbers the gradient at 1,2")
    p.add_argument("-o", "--output", metavar="FILE", default="plot.png", help=f"{', '.join(PLOTS)}; default plot.png")


def add_serve(p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad serve``."""
    p.add_argument("--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 for one that is free")
    p.add_argument("--open", action="store_true", help="open the page in a browser")
    p.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for other machines too, which needs --token")
    p.add_argument(
        "--token", nargs="?", const="", metavar="WORD", help="what requests must carry; without a word one is made up"
    )
    p.add_argument("--workers", type=int, metavar="N", help="processes that compute; default one for each processor")
