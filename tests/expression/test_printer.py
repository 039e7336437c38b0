"""One walk writes formulas in text, on a blackboard, in LaTeX and in MathML."""

import xml.dom.minidom
from fractions import Fraction

import pytest

from symgrad.expression.formula import (
    Call,
    Cases,
    Compare,
    Entry,
    EntryPower,
    Fenced,
    Infix,
    Label,
    Letter,
    Name,
    Number,
    Otherwise,
    Over,
    Power,
    Product,
    Quotient,
    Raised,
    Rows,
    Scaled,
    Sum,
)  # fmt: skip
from symgrad.expression.printer import BOARD, HALF, LATEX, MATHML, TEXT

x, y, n, A, i = map(Name, "xynAi")
ZERO, ONE, TWO, MINUS = (Number(Fraction(k)) for k in (0, 1, 2, -1))
WRITTEN = [
    (Sum(Product(MINUS, x), y), "-x + y", "−x + y", "-x + y"),
    (Sum(y, Quotient(Product(MINUS, x), Power(y, TWO))), "y - x/y**2", "y − x/y²", r"y - \frac{x}{y^{2}}"),
    (Product(TWO, Sum(x, y)), "2*(x + y)", "2·(x + y)", r"2 \left(x + y\right)"),
    (
        Power(Quotient(x, TWO), n), "(x/2)**n", "(x/2)ⁿ", r"\left(\frac{x}{2}\right)^{n}",
    ),
    (Power(Number(Fraction(2, 3)), x), "(2/3)**x", "(2/3)ˣ", r"\left(\frac{2}{3}\right)^{x}"),
    (Power(Call(Name("sin"), [x]), TWO), "sin(x)**2", "sin²(x)", r"\sin^{2}\left(x\right)"),
    (
        Power(Call(Name("erfinv"), [x]), TWO), "erfinv(x)**2", "erfinv²(x)",
        r"\left(\operatorname{erf}^{-1}\left(x\right)\right)^{2}",
    ),
    (Power(Letter("e"), Product(MINUS, x)), "exp(-x)", "exp(−x)", "e^{-x}"),
    (Power(x, HALF), "sqrt(x)", "√x", r"\sqrt{x}"),
    (Infix(Raised(A, "ᵀ"), A, x, sign="@"), "Aᵀ*A*x", "Aᵀ·A·x", r"A^{\top} A x"),
    (Scaled(Quotient(TWO, n), Infix(A, x, sign="@")), "2*A*x/n", "2·A·x/n", r"\frac{2}{n} A x"),
    (Raised(Raised(A, "⁻¹"), "ᵀ"), "A⁻ᵀ", "A⁻ᵀ", r"A^{-\top}"),
    (EntryPower(x, TWO), "x^⊙2", "x^⊙2", r"x^{\odot 2}"),
    (Fenced(A, "‖", "‖", "F"), "‖A‖_F", "‖A‖_F", r"\left\lVert A \right\rVert_F"),
    (Entry(A, (i, ZERO)), "A_i0", "A_i0", "A_{i0}"),
    (Entry(x, (Sum(i, ONE),)), "x[i + 1]", "x[i + 1]", "x_{i + 1}"),
    (Over("Sum", Entry(x, (i,)), ((i, ZERO, n),), whole=True), "Sum_i x_i", "Sum_i x_i", r"\sum_{i=0}^{n} x_{i}"),
    (Over("Sum", Entry(x, (i,)), ((i, ONE, n),)), "Sum_{i=1..n} x_i", "Sum_{i=1..n} x_i", r"\sum_{i=1}^{n} x_{i}"),
    (
        Call(Name("log"), [Fenced(Call(Name("det"), [A]), "|", "|")]),
        "log|det(A)|", "log|det(A)|", r"\log\left|\det\left(A\right)\right|",
    ),
    (
        Cases(x, Compare(x, ">", ZERO), ZERO, Otherwise()),
        "{x if x > 0; 0 otherwise}", "{ x for x > 0;  0 otherwise }",
        r"\begin{cases} x & \text{if } x > 0 \\ 0 & \text{otherwise} \end{cases}",
    ),
    (
        Rows(((x, y), (ONE, TWO))), "[[x, y], [1, 2]]", "[[x, y], [1, 2]]",
        r"\begin{bmatrix} x & y \\ 1 & 2 \end{bmatrix}",
    ),
    (Rows(((x,), (y,)), vector=True), "[x, y]", "[x, y]", r"\begin{bmatrix} x \\ y \end{bmatrix}"),
    (
        Label("f", ("x", "x", "y")), "∂³f/∂x²∂y", "∂³f/∂x²∂y",
        r"\frac{\partial ^{3}f}{\partial x^{2}\partial y}",
    ),
    (Label("f", 1, ("x",)), "f′(x)", "f′(x)", r"f'\left(x\right)"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "text", "board", "latex"), WRITTEN, ids=[row[1] for row in WRITTEN])
def test_formula_is_written_in_each_alphabet(formula, text, board, latex):
    assert (TEXT.write(formula), BOARD.write(formula), LATEX.write(formula)) == (text, board, latex)
    xml.dom.minidom.parseString(f"<math>{MATHML.write(formula)}</math>")
