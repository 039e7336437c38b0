"""An independent reader of formulas in text: it knows the notation of ``docs/notation.md`` and nothing of the printers.

A formula is split into tokens and parsed by precedence; ``reader_matrices`` and ``reader_entries`` compute it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from reader_entries import Entries
from reader_functions import ALONG
from reader_matrices import Matrices
from reader_trees import Precedence, Tree, Unreadable, rebuilt, split, tree

# ------------------------------------------------------------------ tokens
_TOKENS = re.compile(
    r"\s*(\d+\.(?!\.)\d*(?:e[+-]?\d+)?|\d+(?:e[+-]?\d+)?|‹[^›]*›(?:[^\Wᵀ⁰¹²³⁴⁵⁶⁷⁸⁹]|′)*|[^\W\dᵀ⁰¹²³⁴⁵⁶⁷⁸⁹_](?:[^\Wᵀ⁰¹²³⁴⁵⁶⁷⁸⁹]|′)*|⁻¹(?![⁰¹²³⁴⁵⁶⁷⁸⁹])|⁻ᵀ|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\*\*|\^⊙"
    r"|\.\.|>=|<=|_(?=\{)|_[^\Wᵀ⁰¹²³⁴⁵⁶⁷⁸⁹]+|.)"
)


_RAISED = dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True))
_WHOLE = ("call", "brackets", "⁻¹", "⁻ᵀ", "ᵀ", "⁺")


class Parser(Precedence):
    """Formulas in text: below ``⊗`` come ``*`` and ``/``; a sign; powers; what stands behind an atom, as ``ᵀ``."""

    relations: ClassVar = {">": ">", "<": "<", "≥": ">=", "≤": "<=", ">=": ">=", "<=": "<=", "=": "=", "≠": "!="}
    joins: ClassVar = {"and": "&", "or": "|", "&": "&", "|": "|"}
    signs: ClassVar = {k: k for k in "+-⊙⊘⊗×*/"}

    def __init__(self, text: str) -> None:
        super().__init__(split(_TOKENS, text))

    def product(self) -> Tree:
        """Read factors of a product; a sign in front is that of all of it."""
        if self.next == "-":
            self.take()
            return tree("negative", self.product())
        return self.left(self.signed, "*", "/")

    def signed(self) -> Tree:
        """Read a sign, and what it belongs to."""
        if self.next == "-":
            self.take()
            return tree("negative", self.signed())
        if self.next == "~":
            self.take()
            return tree("not", self.signed())
        return self.power()

    def power(self) -> Tree:
        """Read a power; the exponent may have a sign."""
        base = self.behind(self.atom())
        while self.next in ("**", "^⊙"):
            kind = self.take()
            base = tree(kind, base, self.exponent(kind))
        return base

    def exponent(self, kind: str) -> Tree:
        """Read an exponent: ``a**b**c`` is ``a**(b**c)``."""
        return self.signed() if kind == "**" else self.behind(self.atom())

    def behind(self, found: Tree) -> Tree:
        """Read what stands behind an atom."""
        while True:
            if self.next in ("ᵀ", "⁻¹", "⁻ᵀ", "⁺", "²"):
                found = tree(self.take(), found)
            elif self.next and set(self.next) <= set(_RAISED):
                power = int("".join(_RAISED[c] for c in self.take()))
                found = tree("**", found, tree("number", power))
            elif self.next == "[" and (found.kind in _WHOLE or found.kind == "name"):
                found = tree("part", found, *self.places())
            elif self.next.startswith("_") and found.kind in _WHOLE:
                found = tree("entry", found, *[self.letter(c) for c in self.take()[1:]])
            else:
                return found

    def letter(self, c: str) -> Tree:
        """Return an index of one letter or digit."""
        return tree("number", int(c)) if c.isdigit() else tree("name", c)

    def places(self) -> list[Any]:
        """Read the inside of brackets that select entries."""
        self.take("[")
        found = [self.place()]
        while self.next == ",":
            self.take()
            found.append(self.place())
        self.take("]")
        return found

    def place(self) -> Any:
        """Read one place: a formula, a slice or a list."""
        if self.next == "[":
            return tree("list", *self.places())
        ends: list[Any] = [None]
        while self.next not in (",", "]"):
            if self.next == ":":
                self.take()
                ends.append(None)
            else:
                ends[-1] = self.sum()
        return ends[0] if len(ends) == 1 else tree("slice", *ends, *[None] * (3 - len(ends)))

    def atom(self) -> Tree:
        """Read a number, a name, a call, or something in brackets."""
        token = self.take()
        if token == "(":
            found = self.relation()
            self.take(")")
            return tree("brackets", found)
        if token == "‖":
            return self.norm()
        if token == "[":
            return self.bracket()
        if token == "{":
            return self.cases()
        if token[:1].isdigit():
            return tree("number", float(token) if re.search(r"[.e]", token) else int(token))
        if token in ("Sum_", "Prod_") or re.match(r"(Sum|Prod)_\w", token):
            return self.over(token)
        if token == "log" and self.next == "|":
            self.take()
            inside = self.sum()
            self.take("|")
            return tree("call", "log", tree("call", "abs", inside))
        if token and (token[0].isalpha() or token[0] == "‹"):
            return self.call(token) if self.next == "(" else tree("name", token)
        raise Unreadable(f"unexpected {token!r} {self.rest()}")

    def norm(self) -> Tree:
        """Read ``‖a‖``, ``‖A‖_F``, ``‖a‖_3`` or ``‖a‖_∞``."""
        inside = self.sum()
        self.take("‖")
        if not self.next.startswith("_"):
            return tree("norm", inside, None)
        order = self.take()[1:]
        if not order and self.next == "∞":
            self.take("∞")
            order = "oo"
        elif not order:
            self.take("(")
            order = "".join(iter(self.take, ")"))
        return tree("norm", inside, "F" if order == "F" else Parser(order).whole())

    def bracket(self) -> Tree:
        """Read ``[x > 0]``, ``[x, y]`` or ``[x; y]``."""
        first = self.relation()
        if self.next == "]":
            self.take()
            return tree("truth" if first.kind in ("relation", "logic", "not") else "beside", first)
        parts, sign = [first], self.next
        while self.next != "]":
            self.take(sign if sign in (",", ";") else "]")
            parts.append(self.relation())
        self.take()
        return tree("beside" if sign == "," else "above", *parts)

    def cases(self) -> Tree:
        """Read ``{a if c; b otherwise}``."""
        value = self.relation()
        if self.take("if", "otherwise") == "otherwise":
            self.take("}")
            return value
        condition = self.relation()
        if self.take(";", "}") == "}":
            return tree("call", "where", condition, value, tree("name", "nan"))
        return tree("call", "where", condition, value, self.cases())

    def over(self, token: str) -> Tree:
        """Read Σ or Π: the product that follows is under it."""
        kind, letters = token.split("_", 1)
        limits: list[Any] = []
        if letters:
            names = [letters] if self.next != "," else self._several(letters)
            singles = [k for name in names for k in (name if len(names) == 1 and not name[1:].isdigit() else [name])]
            limits = [(k, None, None) for k in singles]
        else:
            self.take("{")
            while not limits or self.next == ",":
                if limits:
                    self.take(",")
                name, _ = self.take(), self.take("=")
                low, _ = self.sum(), self.take("..")
                limits.append((name, low, self.sum()))
            self.take("}")
        return tree(kind, self.product(), *limits)

    def _several(self, first: str) -> list[str]:
        found = [first]
        while self.next == ",":
            self.take()
            found.append(self.take())
        return found

    def call(self, name: str) -> Tree:
        """Read the arguments of a function: formulas, lists of places, words, and words with a value."""
        self.take("(")
        given: list[Any] = []
        named: dict[str, Any] = {}
        while self.next != ")":
            if given or named:
                self.take(",")
            if self.next == "(" and name == "Piecewise":
                self.take()
                value = self.relation()
                self.take(",")
                given.append((value, self.relation()))
                self.take(")")
            elif self.next == "[" and name in ("scatter", "put", "reshape") and given:
                given.append(tree("places", *self.places()))
            elif self.tokens[self.at + 1] == "=" and self.next in ("axis", "rtol", "atol"):
                word, _ = self.take(), self.take()
                named[word] = self.sum()
            else:
                given.append(self.relation())
        self.take(")")
        return tree("call", name, *given, *([named] if named else []))


def with_ones(e: Tree) -> Tree:
    """Return a formula in which each 1 that is a factor, is transposed or has an axis is the column of ones."""
    is_array = e.kind in ("*", "ᵀ") or (e.kind == "call" and e.parts[0] in (*ALONG, "diag"))
    return Tree(e.kind, tuple(map(_ones, e.parts))) if is_array else e


def _ones(e: Any) -> Any:
    one = isinstance(e, Tree) and e.kind == "number" and isinstance(e.parts[0], int) and e.parts[0] == 1
    return tree("ones") if one else e


def definitions(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a formula, and the names behind ``where`` with what they are, each before those that use it."""
    body, _, where = text.partition(" where ")
    pairs = [d.split(" = ", 1) for d in re.split(r"; (?![^{}]*\})", where)] if where else []
    return body, [(name, e) for name, e in reversed(pairs)]


def matrix_value(
    text: str, shape: Sequence[int], arrays: Mapping[str, Any], sizes: Any = None, parser: type[Parser] = Parser
) -> Any:
    """Return the value of a formula in matrix notation, with or without names behind ``where``."""

    def read(e: str) -> Tree:
        return rebuilt(parser(e).whole(), with_ones)  # type: ignore[no-any-return]

    body, defined = definitions(text)
    return Matrices(arrays, sizes).evaluated(read(body), [(name, read(e)) for name, e in defined], shape)


def index_value(
    text: str,
    indices: Sequence[str],
    shape: Sequence[int],
    arrays: Any,
    sizes: Any = None,
    parser: type[Parser] = Parser,
) -> Any:
    """Return the array whose entry the text is, with or without names behind ``where``, as ``r_i``."""
    body, defined = definitions(text)
    reading = Entries(arrays, sizes)
    for name, e in defined:
        head, _, places = name.replace("[", "_").rstrip("]").partition("_")
        reading.define(head, [k.strip() for k in (places.split(",") if "," in places else places)], parser(e).whole())
    return reading.array(parser(body).whole(), indices, shape)


def scalar_value(text: str, arrays: Mapping[str, Any]) -> Any:
    """Return the array of entries written out: the entries of arrays are names such as ``W_01``."""
    env = {}
    for name, a in arrays.items():
        a = np.asarray(a)
        join = "" if max(a.shape, default=0) <= 10 else "_"
        for at in np.ndindex(*a.shape):
            env[f"{name}_{join.join(map(str, at))}" if at else name] = a[at]
    with np.errstate(all="ignore"):
        return _entries(Parser(text).whole(), env)


def _entries(e: Tree, env: Mapping[str, Any]) -> Any:
    """Return the value of rows in square brackets, or of one entry."""
    return np.array([_entries(p, env) for p in e.parts]) if e.kind == "beside" else float(Entries({}).value(e, env))
