"""An independent reader of formulas in LaTeX: it gives the parts that ``reader_text`` computes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from reader_entries import Entries
from reader_matrices import Matrices
from reader_trees import Precedence, Tree, Unreadable, rebuilt, split, tree

_TOKENS = re.compile(r"\s*(\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|.)", re.DOTALL)
_SPACE = ("\\quad", "\\:", "\\,", "\\displaystyle", "\\!", "~")
_FUNCTIONS = {
    "\\exp": "exp", "\\log": "log", "\\sin": "sin", "\\cos": "cos", "\\tan": "tan", "\\tanh": "tanh", "\\det": "det",
    "\\sinh": "sinh", "\\cosh": "cosh", "\\max": "max", "\\min": "min", "\\sigma": "σ", "\\psi": "digamma",
    "\\Phi": "Φ", "\\varphi": "φ", "\\arctan": "atan", "\\arcsin": "asin", "\\arccos": "acos", "\\bmod": "remainder",
}  # fmt: skip
_NAMES = {"softmax": "softmax", "Abs": "abs", "erf": "erf", "atan": "atan", "logsumexp": "logsumexp", "tr": "tr"}
_ENDS = ("", ")", "]", "}", "\\right", "&", "\\\\", ",", "\\end", ";", "\\rvert")


def plain(name: str) -> str:
    """Return a name by which users' names and their LaTeX are the same: W_1 and W1, α and alpha."""
    name = name.replace("_", "").replace("\\", "").replace("'", "′").replace("{", "").replace("}", "")
    head = name[:1]
    if head and unicodedata.name(head, "").startswith("GREEK"):
        word = unicodedata.name(head).split()[-1].lower().replace("lamda", "lambda")
        return (word if head.islower() else word.capitalize()) + name[1:]
    return name


class Parser(Precedence):
    """Formulas in LaTeX: a product is written without a sign."""

    relations: ClassVar = {
        "<": "<", ">": ">", "=": "=", "\\leq": "<=", "\\geq": ">=", "\\neq": "!=", "\\ne": "!=", "\\le": "<=",
        "\\ge": ">=",
    }  # fmt: skip
    joins: ClassVar = {"\\wedge": "&", "\\vee": "|"}
    signs: ClassVar = {"+": "+", "-": "-", "\\odot": "⊙", "\\oslash": "⊘", "\\otimes": "⊗", "\\times": "×"}

    def __init__(self, text: str, arrays: Mapping[str, Any], entries: bool) -> None:
        super().__init__([t for t in split(_TOKENS, text) if t not in _SPACE])
        self.entries = entries
        self.arrays = {k: len(getattr(v, "shape", ())) for k, v in arrays.items()}

    def product(self) -> Tree:
        """Read factors beside each other; a sign in front is that of all of them."""
        if self.next == "-":
            self.take()
            return tree("negative", self.product())
        found = self.power()
        while not any(self.next in ends for ends in (_ENDS, self.relations, self.joins, self.signs)):
            if self.next in ("\\cdot", "\\bmod"):
                kind = self.take()
                right = self.power()
                found = tree("call", "remainder", found, right) if kind == "\\bmod" else tree("*", found, right)
                continue
            found = tree("*", found, self.power())
        return found

    def power(self) -> Tree:
        """Read an atom with what stands above and below it."""
        found = self.atom()
        while self.next in ("^", "_"):
            found = self.above(found) if self.take() == "^" else self.below(found)
        return found

    def above(self, base: Tree) -> Tree:
        """Read a superscript."""
        inside = self.group_tokens()
        said = "".join(inside)
        if said in ("\\top", "-1", "-\\top", "+") and not self.is_number(base):
            return tree({"\\top": "ᵀ", "-1": "⁻¹", "-\\top": "⁻ᵀ", "+": "⁺"}[said], base)
        if inside[0] == "\\odot":
            return tree("^⊙", base, self.inner(inside[1:]))
        return tree("**", base, self.inner(inside))

    def is_number(self, base: Tree) -> bool:
        """Whether a base is a number for certain: where the superscript -1 is a power."""
        return self.entries and not (base.kind in ("call", "brackets", "name") and self.is_whole(base))

    def is_whole(self, base: Tree) -> bool:
        """Whether this stands inside square brackets with an entry behind: a whole array."""
        return self.depth > 0

    depth = 0

    def below(self, base: Tree) -> Tree:
        """Read a subscript."""
        inside = self.group_tokens()
        if inside == ["\\times"]:
            return tree("call", "skew", base)
        return tree("entry", base, *self.letters(inside))

    def letters(self, inside: Sequence[str]) -> list[Any]:
        """Return the places of an entry: signs one by one, or formulas between commas."""
        if all(len(t) == 1 or t.isdigit() for t in inside) and not {",", "_", "+", "-"} & set(inside):
            signs = "".join(inside)
            return [tree("number", int(c)) if c.isdigit() else tree("name", c) for c in signs]
        parts: list[list[str]] = [[]]
        for t in inside:
            if t == ",":
                parts.append([])
            else:
                parts[-1].append(t)
        return [self.inner(p) for p in parts]

    def group_tokens(self) -> list[str]:
        """Return the tokens of what follows: one, or those between braces."""
        if self.next != "{":
            return [self.take()]
        self.take()
        found, open_ = [], 1
        while True:
            token = self.take()
            open_ += (token == "{") - (token == "}")
            if not open_:
                return found
            found.append(token)

    def inner(self, inside: Sequence[str]) -> Tree:
        """Read tokens as a formula."""
        here = self.tokens, self.at
        self.tokens, self.at = [*inside, ""], 0
        found = self.whole()
        self.tokens, self.at = here
        return found

    def group(self) -> Tree:
        """Read what is in braces."""
        self.take("{")
        found = self.relation()
        self.take("}")
        return found

    # -------------------------------------------------------------- atoms
    def atom(self) -> Tree:
        """Read an atom."""
        token = self.take()
        if token[:1].isdigit():
            return tree("number", float(token) if "." in token else int(token))
        if token == "{":
            self.at -= 1
            if self.entries and re.match(r"\{ \S+ _ \{ \d+ \} \} _", " ".join(self.tokens[self.at : self.at + 8])):
                name = "".join(self.group_tokens())  # x_0 is an array's name
                return tree("name", self.known(name) or plain(name))
            return tree("brackets", self.group())
        if token == "\\frac":
            top = self.group()
            return tree("brackets", tree("/", top, self.group()))
        if token == "\\sqrt":
            return tree("call", "sqrt", self.group())
        if token == "\\overline":
            return tree("call", "mean", self.group())
        if token == "\\mathbf":
            self.group_tokens()
            return tree("ones")
        if token == "\\left":
            return self.delimited(self.take())
        if token in ("\\sum", "\\prod"):
            return self.over("Sum" if token == "\\sum" else "Prod")
        if token == "\\begin":
            return self.cases() if self.tokens[self.at : self.at + 3] == ["{", "c", "a"] else self.table()
        if token == "\\operatorname":
            return self.call("".join(self.group_tokens()))
        if token == "\\log" and self.next == "\\det":
            self.take()
            return self.call("logdet")
        if token == "(":
            inside = self.relation()
            self.take(")")
            return tree("brackets", inside)
        if (
            token in _FUNCTIONS
            and (self.is_call() or token not in ("\\sigma", "\\psi", "\\Phi", "\\varphi"))
            and not (self.known(token))
        ):
            return self.call(_FUNCTIONS[token])
        if token == "e" and self.next == "^" and "e" not in self.arrays:
            self.take()
            return tree("call", "exp" if self.entries else "e^", self.inner(self.group_tokens()))
        return self.name(token)

    def is_call(self) -> bool:
        """Whether arguments follow, a power of the function between them."""
        here = self.at
        if self.next == "^":
            self.take()
            self.group_tokens()
        at, self.at = self.at + (self.next == "{"), here
        return self.tokens[at : at + 2] == ["\\left", "("]

    def name(self, token: str) -> Tree:
        """Read a name with its index, or an entry."""
        if token == "\\mathrm" and self.tokens[self.at - 2] != "_":
            token = "".join(self.group_tokens()).replace("\\_", "_")
        elif token in ("\\pi", "\\infty"):
            return tree("name", "pi" if token == "\\pi" else "oo")
        elif token == "\\tilde":
            return tree("name", "zoo" if self.group_tokens() else "")
        elif not (token[0].isalpha() or token[0] == "\\"):
            raise Unreadable(f"unexpected {token!r} {self.rest()}")
        while self.next == "'":
            token += self.take()
        if token == "\\delta" and self.entries and self.next == "_":
            self.take()
            return tree("delta", *self.letters(self.group_tokens()))
        if self.next == "_" and not (self.entries and self.arrays.get(self.known(token) or "")):
            self.take()
            whole = token + "".join(self.group_tokens())
            return tree("name", self.known(whole) or plain(whole))
        return tree("name", self.known(token) or token)

    def known(self, token: str) -> str | None:
        """Return the user's or the formula's name that is written so."""
        return next((k for k in self.arrays if plain(k) == plain(token)), None)

    def delimited(self, sign: str) -> Tree:
        """Read what is between \\left and \\right."""
        if sign == "\\lVert":
            inside = self.relation()
            self.closed("\\rVert")
            order: Any = None
            if self.next == "_":
                self.take()
                below = self.group_tokens()
                order = "F" if below == ["F"] else self.inner(below)
            return tree("norm", inside, order)
        if sign in ("|", "\\lvert"):
            inside = self.relation()
            self.closed("|" if sign == "|" else "\\rvert")
            return tree("call", "abs", inside)
        if sign == "[":
            return self.squared()
        inside = self.relation()
        self.closed(")")
        return tree("brackets", inside)

    def closed(self, sign: str) -> None:
        """Take \\right and its sign."""
        self.take("\\right")
        self.take(sign)

    def squared(self) -> Tree:
        """Read [x > 0], or the brackets around a whole array of which an entry follows."""
        self.depth += 1
        inside = self.relation()
        self.depth -= 1
        self.closed("]")
        return tree("truth", inside) if inside.kind in ("relation", "logic") else tree("brackets", inside)

    def call(self, name: str) -> Tree:
        """Read a function with a power, and its arguments."""
        power = None
        if self.next == "^":
            self.take()
            power = self.inner(self.group_tokens())
        braces = self.next == "{" and self.take() == "{"
        self.take("\\left")
        closing = {"(": ")", "|": "|"}[self.take()]
        given = [self.relation()]
        named = {}
        while self.next == ",":
            self.take()
            part = self.relation()
            if part.kind == "relation" and part.parts[1] == tree("name", "axis"):
                named["axis"] = part.parts[2]
            else:
                given.append(part)
        self.closed(closing)
        if braces:
            self.take("}")
        given = [tree("name", a.parts[0]) if a.kind == "name" else a for a in given]
        found = tree("call", _NAMES.get(name, name), *given, *([named] if named else []))
        return found if power is None else tree("**", found, power)

    def over(self, kind: str) -> Tree:
        """Read Σ with its limits, and the product that follows."""
        self.take("_")
        below = self.group_tokens()
        if below[0] == "\\substack":
            limits = [self.between(row) for row in self.rows(below[2:-1])]
        else:
            self.take("^")
            at = below.index("=")
            limits = [(self.index_name(below[:at]), self.inner(below[at + 1 :]), self.inner(self.group_tokens()))]
        return tree(kind, self.product(), *limits)

    def index_name(self, written: Sequence[str]) -> str:
        """Return an index with its number: k or k1."""
        return plain("".join(written))

    def rows(self, inside: Sequence[str]) -> list[list[str]]:
        """Split at line ends."""
        found: list[list[str]] = [[]]
        for t in inside:
            if t == "\\\\":
                found.append([])
            else:
                found[-1].append(t)
        return found

    def between(self, row: Sequence[str]) -> tuple[str, Tree, Tree]:
        """Read a ≤ k ≤ b."""
        first, second = (k for k, t in enumerate(row) if t == "\\leq")
        return self.index_name(row[first + 1 : second]), self.inner(row[:first]), self.inner(row[second + 1 :])

    def table(self) -> Tree:
        """Read an array written out, row by row."""
        self.group_tokens()
        rows: list[list[Tree]] = [[self.relation()]]
        while self.next != "\\end":
            if self.take("&", "\\\\") == "&":
                rows[-1].append(self.relation())
            else:
                rows.append([self.relation()])
        self.take()
        self.group_tokens()
        return tree("beside", *[tree("beside", *row) for row in rows])

    def cases(self) -> Tree:
        """Read a case distinction."""
        self.group_tokens()
        found: list[Any] = []
        while self.next != "\\end":
            value = self.relation()
            self.take("&")
            if self.next == "\\text" and self.tokens[self.at + 2 : self.at + 11] == list("otherwise"):
                self.take()
                self.group_tokens()
                condition = tree("name", "True")
            else:
                if self.next == "\\text":
                    self.take()
                    self.group_tokens()
                condition = self.relation()
            found.append((value, condition))
            if self.next == "\\\\":
                self.take()
        self.take()
        self.group_tokens()
        if self.entries:
            return tree("call", "Piecewise", *found)
        result = found[-1][0]
        for value, condition in reversed(found[:-1]):
            result = tree("call", "where", condition, value, result)
        return result


def matrix_value(text: str, shape: Sequence[int], arrays: Mapping[str, Any], sizes: Any = None) -> Any:
    """Return the value of LaTeX in matrix notation, with definitions behind ``\\quad``."""
    body, *defined = text.split(r",\quad ")
    known = {**(sizes or {}), **arrays}
    pairs = []
    for d in reversed(defined):
        name, e = d.split(" = ", 1)
        pairs.append((name, Parser(e, known, False).whole()))
        known[name] = None
    return Matrices(arrays, sizes).evaluated(Parser(body, known, False).whole(), pairs, shape)


def index_value(text: str, indices: Sequence[str], shape: Sequence[int], arrays: Any, sizes: Any = None) -> Any:
    """Return the array whose entry the LaTeX is, with definitions of entries behind ``\\quad``."""
    body, *defined = text.split(r",\quad ")
    reading, known = Entries(arrays, sizes), {**(sizes or {}), **arrays}
    for name, e in [d.split(" = ", 1) for d in reversed(defined)]:
        entry = re.fullmatch(r"(.+)_\{([a-z](?:[a-z]|, |\d)*)\}", name)
        head, places = entry.groups() if entry else (name, "")
        letters = [k.strip() for k in (places.split(",") if "," in places else places)]
        found = plain(head)
        reading.define(found, letters, rebuilt(Parser(e, known, True).whole(), with_places))
        known[found] = reading.arrays[found]
    return reading.array(rebuilt(Parser(body, known, True).whole(), with_places), indices, shape)


def with_places(e: Tree) -> Tree:
    """Return an entry of a named array as the reader of text has it: a place in it."""
    if e.kind == "delta":
        return tree("part", tree("name", "δ"), *e.parts)
    if e.kind != "entry":
        return e
    base = e.parts[0]
    while base.kind == "brackets" and base.parts[0].kind in ("name", "brackets"):
        base = base.parts[0]
    return tree("part" if base.kind == "name" else "entry", base, *e.parts[1:])
