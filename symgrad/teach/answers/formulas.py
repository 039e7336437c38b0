"""A formula's tree as LaTeX, in the order in which it was written: a problem is not rewritten before it is solved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgrad.expression.formula import Attribute, Binary, Call, Constant, Formula, Name, Unary
from symgrad.expression.formula import text as text_of
from symgrad.support.foreign import latex_name

_LOW, _SUM, _PRODUCT, _POWER, _ATOM = range(5)
_FUNCTIONS = {"sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "exp", "log", "det"}
_RAISED = _FUNCTIONS - {"exp", "det"}  # sin²(x), but (exp(x))²
_KEEPING = {"exp", "log", "sin", "cos", "softmax", "log_softmax", "inv"}  # functions that keep the number of axes
_SPELLED = {
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
    "log": r"\ln",
    "logdet": r"\ln\det",
    "trace": r"\operatorname{tr}",
}


def latex(tree: Formula, ranks: Mapping[str, int]) -> str:
    """Return LaTeX of a formula of numbers, names, arithmetic, and functions; ``ranks`` are the axes of the names."""
    return _Writer(ranks).text(tree)


class _Writer:
    """Writes nodes; each rule returns the text, and how strongly it holds together."""

    def __init__(self, ranks: Mapping[str, int]) -> None:
        self.ranks = ranks

    def text(self, node: Formula) -> str:
        """The text of a node."""
        return self._written(node)[0]

    def _written(self, node: Any) -> tuple[str, int]:
        rule = getattr(self, f"_{type(node).__name__.lower()}", None)
        return rule(node) if rule is not None else (rf"\mathrm{{{text_of(node)}}}", _ATOM)

    def _within(self, node: Formula, least: int) -> str:
        text, strength = self._written(node)
        return text if strength >= least else rf"\left({text}\right)"

    def _rank(self, node: Formula) -> int:
        """The number of axes of a part of a product."""
        if isinstance(node, Name):
            return self.ranks.get(node.id, 0)
        if isinstance(node, Binary) and node.op == "@":
            return max(0, self._rank(node.left) + self._rank(node.right) - 2)
        if isinstance(node, (Binary, Unary, Attribute)):
            return max(self._rank(c) for c in node.operands)
        if isinstance(node, Call) and text_of(node.func) in _KEEPING:
            return self._rank(node.args[0])
        return 0

    def _binary(self, node: Binary) -> tuple[str, int]:
        if node.op == "/":
            return rf"\frac{{{self.text(node.left)}}}{{{self.text(node.right)}}}", _PRODUCT
        if node.op == "**":
            return self._power(node), _POWER
        if node.op == "@":
            return self._product(node), _PRODUCT
        if node.op == "*":
            matrices = any(isinstance(p, Binary) and p.op == "@" for p in (node.left, node.right))
            least = _POWER if matrices else _PRODUCT
            left, right = self._within(node.left, _PRODUCT), self._within(node.right, least)
            dot = r" \cdot " if right[0].isdigit() else r" \, "
            return f"{left}{dot}{right}", _PRODUCT
        sign = "+" if node.op == "+" else "-"
        right = self._within(node.right, _PRODUCT if sign == "-" else _SUM)
        return f"{self._within(node.left, _SUM)} {sign} {right}", _SUM

    def _product(self, node: Binary) -> str:
        """A product of matrices; a vector on the left of something is transposed."""
        left, right = self._within(node.left, _PRODUCT), self._within(node.right, _PRODUCT)
        inner = isinstance(node.left, Binary) and node.left.op in ("@", "*")
        if self._rank(node.left) == 1 and not inner:
            left = rf"{self._within(node.left, _ATOM)}^{{\top}}"
        elif inner and isinstance(node.left, Binary) and node.left.op == "*":
            last = node.left.right
            if self._rank(last) == 1:
                left = rf"{self._within(node.left.left, _PRODUCT)} \, {self._within(last, _ATOM)}^{{\top}}"
        return rf"{left} {right}"

    def _power(self, node: Binary) -> str:
        base, exponent = node.left, self.text(node.right)
        if isinstance(base, Call) and isinstance(base.func, Name) and base.func.id in _RAISED:
            return f"{_called(base.func.id)}^{{{exponent}}}{self._arguments(base)}"
        return f"{self._within(base, _ATOM)}^{{{exponent}}}"

    def _unary(self, node: Unary) -> tuple[str, int]:
        constant = isinstance(node.operand, Constant)
        return f"-{self._within(node.operand, _PRODUCT)}", _PRODUCT if constant else _SUM

    def _call(self, node: Call) -> tuple[str, int]:
        name = text_of(node.func)
        if name == "sqrt":
            return rf"\sqrt{{{self.text(node.args[0])}}}", _ATOM
        if name == "inv":
            return rf"{self._within(node.args[0], _ATOM)}^{{-1}}", _ATOM
        if name == "sum" and isinstance(node.args[0], Binary) and _is_square(node.args[0]):
            return rf"\left\lVert {self.text(node.args[0].left)} \right\rVert^{{2}}", _ATOM
        return f"{_called(name)}{self._arguments(node)}", _ATOM

    def _arguments(self, node: Call) -> str:
        """The arguments in brackets; the axis of a function of a vector goes without saying."""
        args = [a for k, a in enumerate(node.args) if k == 0 or not isinstance(a, Constant)]
        return rf"\left({', '.join(map(self.text, args))}\right)"

    def _attribute(self, node: Attribute) -> tuple[str, int]:
        return rf"{self._within(node.value, _ATOM)}^{{\top}}", _ATOM

    def _name(self, node: Name) -> tuple[str, int]:
        return (r"\pi" if node.id == "pi" else latex_name(node.id)), _ATOM

    def _constant(self, node: Constant) -> tuple[str, int]:
        return str(node.value), _ATOM


def _is_square(node: Binary) -> bool:
    return node.op == "**" and isinstance(node.right, Constant) and node.right.value == 2


def _called(name: str) -> str:
    if name in _SPELLED:
        return _SPELLED[name]
    upright = name.replace("_", r"\,")
    return rf"\{name}" if name in _FUNCTIONS else rf"\operatorname{{{upright}}}"
