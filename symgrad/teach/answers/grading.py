"""``sg.grade``: whether an answer is the derivative, and which mistake was made if it is not.

The verdict compares values of the answer and of the derivative, to 50 digits, at points all over the problem's domain.
The mistake is found by making every typical slip at every place, and comparing values again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import mpmath
import numpy as np

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.core.modes import enable_grad
from symgrad.errors import ArgumentError, LinAlgError, ParseError, ShapeError, SymgradError
from symgrad.expression.arguments import are_texts, vector_of
from symgrad.expression.bounds import Bounds
from symgrad.expression.cursor import label_of
from symgrad.expression.formula import Attribute, Binary, Constant, Formula, Name
from symgrad.expression.grammar import read
from symgrad.expression.instead import refused_at
from symgrad.expression.reader import SYNTAXES
from symgrad.expression.tokens import tokens
from symgrad.expression.vectors import entries_of
from symgrad.support.arguments import checked
from symgrad.teach.answers.answer import Answer, read_answer
from symgrad.teach.answers.credit import right_parts
from symgrad.teach.answers.curves import CurveProblem, answer_of, branch, curve_of, is_curve
from symgrad.teach.answers.implied_sizes import with_sizes, without_size
from symgrad.teach.answers.lines import extrema_verdict, tangent_verdict
from symgrad.teach.answers.misread import misread
from symgrad.teach.answers.places import changed_part, place_of, whole_of, wrong_part
from symgrad.teach.answers.problem import DIGITS, WAYS, Case, Problem, Whole, problem
from symgrad.teach.answers.products import with_products_of_matrices
from symgrad.teach.answers.repairs import repairs
from symgrad.teach.answers.rules import Wrong
from symgrad.teach.answers.simplicity import proved, shorter
from symgrad.teach.answers.slips import both, pairs, slips
from symgrad.teach.answers.trees import below_the_bar, in_the_exponent, parts, shown
from symgrad.teach.answers.values import function_named
from symgrad.teach.answers.vectors import components
from symgrad.teach.answers.wrong_rules import INNER

_LEAST = 1e-6  # of which floats are compared as of larger ones
_CLOSE, _SAME = 1e-9, mpmath.mpf(10) ** (5 - DIGITS)
_ProblemBy = Callable[[Sequence[str]], Problem]  # the problem of differentiating by these names in turn
MOST_SHOWN = 500  # signs of an answer in which a place is shown
MOST_ENTRIES = 400  # of a derivative that is compared in all directions


class At(NamedTuple):
    """A point at which an answer is wrong.

    Attributes:
        point: the value of each name.
        answer: the answer's value there; nan where it has none.
        derivative: the derivative's value there.
    """

    point: dict[str, Any]
    answer: Any
    derivative: Any


@dataclass(frozen=True)
class Grade:
    """The grade of an answer.

    Attributes:
        right: whether the answer is the derivative.
        simplified: for a right answer, whether it is about as short as possible; otherwise None.
        slip: None for a right answer; otherwise one of ``symgrad.teach.SLIPS``.
        hint: a sentence for the pupil, which does not reveal the answer.
        at: a point at which the answer is wrong, with both values; None if it is right or has no values.
        shorter: a shorter form of a right answer that is not simplified; otherwise None.
        proof: for a right answer, "rewriting" if it was proved by rewriting, and "values" if not.
        place: the position of the mistake in a wrong answer's text, as a start and an end index, like that of a
            ParseError; None if no part of the answer is to blame, or the answer is not text.
        credit: the share of the derivative that is right, from 0 to 1: of its terms, of the factors of a product, or of
            the components of a gradient.
        right_parts: the positions of the right parts in a wrong answer's text.
    """

    right: bool
    simplified: bool | None
    slip: str | None
    hint: str
    at: At | None = None
    shorter: str | None = None
    proof: str | None = None
    place: tuple[int, int] | None = None
    credit: float = 0.0
    right_parts: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        lines = [self.hint if self.right else f"Wrong ({self.slip}): {self.hint}"]
        if self.at is not None:
            where = _where(self.at)
            answer, derivative = _brief(self.at.answer), _brief(self.at.derivative)
            if answer != derivative:
                lines.append(f"At {where}: the answer is {answer}, the derivative {derivative}.")
        return "\n".join(lines)


@checked
def grade(
    answer: Any,
    of: str | Sequence[str],
    wrt: str | Sequence[str],
    shapes: Mapping[str, Any] | None = None,
    *,
    order: int = 1,
    syntax: str = "paper",
    ask: str = "derivative",
    at: Any = None,
) -> Grade:
    """Return whether an answer is the derivative of a formula, and which mistake explains a wrong answer.

    Args:
        answer: text such as ``"2*x*cos(x)"`` or ``"f'(x) = 2x cos x"``, a SymPy expression, or a closed form; for
            several names, a list of answers or the text of one.
        of: the formula that was to be differentiated, or a list of them for a vector; or equations, such as
            ``"x**2 + y**2 = 25"``, for dy/dx on their curve, where answers may use the equation.
        wrt: the name to differentiate with respect to; for equations, a pair such as ``("y", "x")`` for dy/dx; or
            several names, for the derivative with respect to each. With ``order=2`` and one answer, two names stand for
            a mixed derivative.
        shapes: the shapes of arrays by name, as in ``sg.parse``; all other names are numbers.
        order: 2 for the second derivative, and so on.
        syntax: the notation of the formula, as in ``sg.parse``; answers are read as people write them.
        ask: what the exercise asks for: "derivative"; "tangent", whose answers are lines such as ``"y = 6x - 9"``; or
            "extrema", such as ``"maximum at x = -1, minimum (1, -2)"``.
        at: the point of a tangent, as a number, or exactly as text: ``"pi/4"``.

    Returns:
        A ``Grade``: ``right``, ``simplified``, ``slip``, ``hint``, ``at``, ``place``.

    Raises:
        ParseError: if the answer or the formula cannot be parsed; the message says where.
        ArgumentError: if the order is not a positive integer, or the formula has no derivative at any point.

    >>> sg.grade("2*x*cos(x)", of="x**2*sin(x)", wrt="x").slip
    'product'
    >>> print(sg.grade("3*(x**2 + 1)**2", of="(x**2 + 1)**3", wrt="x").hint)
    The inner function x^2 + 1 has a derivative too: multiply by it.
    """
    if not isinstance(order, int) or isinstance(order, bool) or not 1 <= order <= 4:
        raise ArgumentError(f"grade: got order={order!r}. Expected 1, 2, 3 or 4.")
    if ask != "derivative" or at is not None:
        return _of_question(answer, of, wrt, ask, at)
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    if not names:
        raise ArgumentError("grade: wrt is empty. Expected the name to differentiate with respect to, such as 'x'.")
    if syntax not in SYNTAXES:
        raise ArgumentError(f"grade: syntax={syntax!r} is unknown. Expected one of {list(SYNTAXES)}.")
    if not shapes and is_curve(of, wrt):
        return _on_curve(answer, CurveProblem(curve_of(of, wrt), order))
    of = vector_of("grade", of) if are_texts(of) else of
    problem_by: _ProblemBy = partial(problem, of, shapes=dict(shapes or {}), syntax=syntax)
    with enable_grad():
        if isinstance(answer, str) and len(names) == 1:
            sides = _sides(answer)
            if len(sides) > 1:
                return _of_chain(answer, sides, lambda side: _read_in_ways(side, problem_by, names, order, shapes))
        verdict = _read_in_ways(answer, problem_by, names, order, shapes)
    if verdict.right and isinstance(answer, str):
        _refuse_a_doubtful_fraction(answer, problem_by(names[:1]))
    return verdict


ASKED = ("derivative", "tangent", "extrema")


def _of_question(answer: Any, of: Any, wrt: Any, ask: str, at: Any) -> Grade:
    """Grade a tangent, or extrema."""
    if ask not in ASKED or (ask == "tangent") != (at is not None):
        raise ArgumentError(f"grade: got ask={ask!r}, at={at!r}. Expected one of {list(ASKED)}, and at= for a tangent.")
    if not all(isinstance(text, str) for text in (answer, of, wrt)):
        raise ArgumentError(f"grade: for ask={ask!r}, expected the answer, the formula and one name as text.")
    verdict = extrema_verdict(answer, of, wrt) if ask == "extrema" else tangent_verdict(answer, of, wrt, at)
    right = verdict.slip is None
    return Grade(
        right, right or None, verdict.slip, verdict.hint, proof="values" if right else None, credit=verdict.credit
    )


def _read_in_ways(answer: Any, problem_by: _ProblemBy, names: Sequence[str], order: int, shapes: Any) -> Grade:
    ways = _ways(answer, problem_by, names) if isinstance(answer, str) and shapes else [problem_by]
    return _first_right([partial(_grade, answer, names, way, order) for way in ways])


_EQUALS = re.compile(r"(?<![<>=!:&])\s*&?=(?!=)")


def _sides(answer: str) -> list[_Piece]:
    """Return the sides of a chain of equations a = b = c, without what names it, as in f'(x) =."""
    label = label_of(answer)
    start = label.end() if label is not None else 0
    sides: list[_Piece] = []
    if re.search(r"\bwhere\b", answer):  # its equals signs name parts
        return sides
    for match in _EQUALS.finditer(answer, start):
        if all(
            answer[start : match.start()].count(a) == answer[start : match.start()].count(b) for a, b in ("()", "{}")
        ):
            sides.append(_Piece(answer[start : match.start()], start))
            start = match.end()
    last = _Piece(answer[start:], start)
    name = label_of(f"{last.answer} =")
    return sides if name is not None and name.end() > len(last.answer) else [*sides, last]


def _of_chain(answer: str, sides: Sequence[_Piece], graded: Callable[[str], Grade]) -> Grade:
    """Grade a chain of equations: each side must be the derivative; what is said is of the first one that is not."""
    for k, side in enumerate(sides):
        try:
            grade = side.placed(graded(side.answer))
        except ParseError as error:
            raise _about(answer, error) from error.__cause__
        if grade.right:
            continue
        if k == 0:
            return grade
        end = len(side.answer.rstrip())
        begin = len(side.answer) - len(side.answer.lstrip())
        place = grade.place or (side.start + begin, side.start + end) if side.start is not None else None
        said = "" if grade.slip == "other" else f" {grade.hint}"
        hint = f"Right up to {sides[k - 1].answer.strip()}; the step to {side.answer.strip()} changes its value.{said}"
        done = tuple((s.start or 0, (s.start or 0) + len(s.answer)) for s in sides[:k])
        return replace(grade, hint=hint, place=place, credit=k / len(sides), right_parts=done)
    return grade


def _refuse_a_doubtful_fraction(answer: str, of: Problem) -> None:
    """Refuse 1/2x where it is right as (1/2)*x: another pupil means 1/(2*x) by it."""
    try:
        doubts = read(answer, "paper", of.ranks, answer=True).two_ways
    except ParseError:  # several answers in one text
        return
    for (start, end), said in doubts:
        if re.search(r"; write \(\S+/\S+\)\*\S+ or ", said) and " " not in answer[start:end]:
            raise refused_at(answer, start, said, end)


def _on_curve(answer: Any, curve: CurveProblem) -> Grade:
    """Return the grade of dy/dx on a curve; an answer that holds on one branch only is right, and that is said."""
    e = answer_of(answer, curve.curve)
    unknown = sorted({s.name for s in e.free_symbols} - {*curve.curve.names})
    if unknown:
        known = ", ".join(curve.curve.names)
        return _wrong(
            "other", f"The answer has {', '.join(unknown)}, which the problem does not contain. Its names: {known}."
        )
    agrees = curve.agreement(e)
    if agrees.all():
        short = e.count_ops() <= 2 + 1.5 * curve.form.count_ops()
        return Grade(
            True, bool(short), None, "Right." if short else "Right, and it can be written shorter.", proof="values",
            credit=1.0,
        )  # fmt: skip
    where = branch(curve, agrees)
    if where is not None:
        return Grade(True, True, None, f"Right on the branch where {where}.", proof="values", credit=1.0)
    k = int(np.flatnonzero(~agrees)[0])
    at = At(curve.points[k], curve.value(e, curve.points[k]), curve.truth[k])
    for slip, hint, wrong in curve.slips():
        far = np.abs([curve.value(wrong, p) - curve.value(e, p) for p in curve.points])
        if np.all(far <= _CLOSE * (1 + np.abs(curve.truth))):
            return _wrong(slip, hint, at)
    return _wrong("other", "This is not the slope of the curve. Differentiate both sides, and solve.", at)


def _ways(answer: str, problem_by: _ProblemBy, names: Sequence[str]) -> list[_ProblemBy]:
    """Return the ways of reading an answer with arrays that differ: its signs as Python's, as MATLAB's, as paper's.

    Beside Python's signs a star multiplies entries, and the hint says so; elsewhere it may be the product of matrices.
    """
    signs = {t.text for t in tokens(answer, True)}
    ways = ("signs", "python") if signs & {"**", "@", "//", "!=", "."} else WAYS
    powers = (False, True) if "^" in signs and "**" not in signs else (False,)
    found: dict[Any, _ProblemBy] = {}
    for raised, way in product(powers, ways):
        by = partial(_read_as, problem_by, way, raised)
        try:
            key = read_answer(answer, by(names[:1])).tree
        except ParseError:
            key = None
        found.setdefault(key, by)
    return list(found.values())


def _read_as(problem_by: _ProblemBy, way: str, powers: bool, path: Sequence[str]) -> Problem:
    found = problem_by(path).read_as(way)
    return found.with_powers() if powers else found


def _first_right(readings: Iterable[Callable[[], Grade]]) -> Grade:
    """Return the grade of the first reading that is right; else that of the answer as it stands.

    If it is not a formula, has a wrong shape, or no slip explains it, the grade is that of the next reading
    that has one.
    """
    kept: Grade | ParseError | None = None
    for graded in readings:
        try:
            grade = graded()
        except ParseError as error:
            kept = kept or error
            continue
        if grade.right:
            return grade
        if not isinstance(kept, Grade) or _tells_more(grade, kept):
            kept = grade
    if isinstance(kept, ParseError):
        raise kept
    assert kept is not None  # there is an answer
    return kept


def _tells_more(grade: Grade, kept: Grade) -> bool:
    if (grade.at is None) != (kept.at is None):
        return kept.at is None
    return kept.slip == "other" != grade.slip


def _grade(answer: Any, names: Sequence[str], problem_by: _ProblemBy, order: int) -> Grade:
    if len(names) == 1:
        return _Grading(problem_by([names[0]] * order)).of(answer)
    pieces = _pieces(answer, problem_by(names))
    if pieces is None and order == len(names):
        return _Grading(problem_by(names)).of(answer)
    if pieces is None or len(pieces) != len(names):
        got = "one" if pieces is None else str(len(pieces))
        return _wrong(
            "other", f"There are {len(names)} derivatives, with respect to {', '.join(names)}; the answer has {got}."
        )
    return _of_each(pieces, names, problem_by, order)


class _Piece(NamedTuple):
    """One of several answers, and where its text begins; None where it is not part of a string."""

    answer: Any
    start: int | None

    def placed(self, grade: Grade, outer: int | None = 0) -> Grade:
        """Return the grade with its place in the whole text."""
        if self.start is None or outer is None or grade.place is None:
            return replace(grade, place=None, right_parts=())
        by = self.start + outer
        done = tuple((a + by, b + by) for a, b in grade.right_parts)
        return replace(grade, place=(grade.place[0] + by, grade.place[1] + by), right_parts=done)


def _of_each(pieces: Sequence[_Piece], names: Sequence[str], problem_by: _ProblemBy, order: int) -> Grade:
    """Grade the derivative by each name; what is said is of the first one that is wrong."""
    grades: list[tuple[str, Grade]] = []
    for name, piece in zip(names, pieces):
        if order == 1:
            grades.append((f"With respect to {name}: ", piece.placed(_Grading(problem_by([name])).of(piece.answer))))
            continue
        inner = _pieces(piece.answer, problem_by(names)) or []
        if order != 2 or len(inner) != len(names):
            raise ArgumentError("grade: for several names, order=2 requires a matrix of answers, [[…, …], […, …]].")
        for other, entry in zip(names, inner):
            graded = _Grading(problem_by([name, other])).of(entry.answer)
            grades.append((f"With respect to {name} and {other}: ", entry.placed(graded, piece.start)))
    share = sum(grade.credit for _, grade in grades) / len(grades)
    for label, grade in grades:
        if not grade.right:
            return replace(grade, hint=label + grade.hint, credit=share)
    for label, grade in grades:
        if not grade.simplified:
            return replace(grade, hint=label + grade.hint)
    return grades[0][1]


def _pieces(answer: Any, problem: Problem) -> list[_Piece] | None:
    """The parts of a list of answers, or None where there is one answer."""
    if isinstance(answer, (list, tuple)):
        return [_Piece(one, None) for one in answer]
    if not isinstance(answer, str):
        return None
    vector = None if problem.has_arrays else components(answer, list(dict.fromkeys(problem.path)), problem.ranks)
    if vector is not None:
        return [_Piece(part.text, part.start) for part in vector]
    try:
        tree = problem.read(answer).tree
    except ParseError as error:
        raise _about(answer, error) from error.__cause__
    entries = entries_of(tree)
    return None if entries is None else [_Piece(answer[slice(*e.span)], e.span[0]) for e in entries]


def _wrong(slip: str, hint: str, at: At | None = None) -> Grade:
    return Grade(False, None, slip, hint, at)


class _Grading:
    """One answer's way to its grade: read, shapes, values, slip."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def of(self, answer: Any) -> Grade:
        """Return the grade.

        Raises:
            ParseError: if the answer is not a formula; the message says where, in the answer as it was written.
        """
        case = self.problem.cases()[0]
        try:
            with np.errstate(all="ignore"):  # an answer may have no value at a point
                return self._of(answer, case)
        except ParseError as error:
            raise _about(answer, error) from error.__cause__

    def _of(self, answer: Any, case: Case) -> Grade:
        problem = self.problem
        read = self._sized(read_answer(answer, problem), case)
        unknown = problem.unknown(read.tree) if read.tree is not None else []
        if unknown:
            return replace(_wrong("other", self._unknown(unknown)), place=self._place_of_name(unknown, read, answer))
        barred = self._with_bars(answer, case)
        if barred is not None:
            return self._right(barred)
        said = self._shape_is_wrong(case, read)
        if said is not None:
            return self._placed(self._of_wrong_shape(read, said), case, read, answer)
        different = self._difference_of(read)
        if different is None:
            return self._right(read)
        return self._placed(self._explained(case, read, different), case, read, answer)

    # -------------------------------------------------------------- the place
    def _placed(self, grade: Grade, case: Case, read: Answer, answer: Any) -> Grade:
        """The grade with the place of the slip: of the part that differs, else, of a slip with a name, of the whole."""
        tree = read.tree
        if tree is None or not isinstance(answer, str):
            return grade
        part = self._misspelled(case, read)
        repair = None if part is not None else wrong_part(case, tree, _agree)
        part = part or (repair.part if repair is not None else self._failing(case, read))
        if part is not None:
            place = place_of(part, tree, answer, sign=repair is not None and repair.is_sign)
        else:
            place = None if grade.slip == "other" else whole_of(answer)
        parts, share = right_parts(case, tree, _agree)
        places = tuple(p for p in (place_of(part, tree, answer) for part in parts) if p is not None)
        return replace(grade, place=place, credit=share, right_parts=places)

    def _misspelled(self, case: Case, read: Answer) -> Formula | None:
        """The part of an answer that lacks brackets, or its one number that is rounded."""
        tree = read.tree
        assert tree is not None  # narrows the type
        meant = next(self._meant(case, read), None)
        if meant is not None:
            return changed_part(tree, meant)
        decimals = [p for p in parts(tree) if isinstance(p, Constant) and type(p.value) is float]
        return decimals[0] if len(decimals) == 1 and self._rounded(case, read, self._floats_of(case, read)) else None

    def _failing(self, case: Case, read: Answer) -> Formula | None:
        """The part of an answer whose shapes do not fit."""
        tree = read.tree
        assert tree is not None  # narrows the type
        values = case.values(case.leaves(case.points[0]), Bounds(), read.text)
        try:
            values.tensor(tree)
        except SymgradError:
            part: Formula | None = _innermost(values)
            return part
        return None

    def _place_of_name(self, unknown: Sequence[str], read: Answer, answer: Any) -> tuple[int, int] | None:
        tree = read.tree
        assert tree is not None  # narrows the type
        first = next((p for p in parts(tree) if isinstance(p, Name) and p.id in unknown), None)
        return None if first is None else place_of(first, tree, answer)

    def _with_bars(self, answer: Any, case: Case) -> Answer | None:
        """The answer, right where |x| of a vector is its norm, or |X| of a matrix its determinant; else None."""
        if not isinstance(answer, str) or "|" not in answer or not self.problem.has_arrays:
            return None
        for name in ("norm", "det"):
            try:
                read = self._sized(read_answer(answer, self.problem, name), case)
                if self._shape_is_wrong(case, read) is None and self._difference_of(read) is None:
                    return read
            except SymgradError:  # a determinant of a vector
                continue
        return None

    def _difference_of(self, read: Answer) -> Any:
        return next(filter(None, (self._difference(c, read) for c in self.problem.cases())), None)

    def _unknown(self, unknown: list[str]) -> str:
        names = [n for n in self.problem.names if len(n) == 1] or list(self.problem.names)
        known = ", ".join([*self.problem.names, *self.problem.letters])
        meant = f" Is {names[0]} meant?" if len(self.problem.names) == 1 else ""
        if any(u.rstrip("0123456789") in self.problem.names for u in unknown):
            meant = " Write ^ for a power, as in x^2, and a number before a name, as in 2x."
        if "E" in unknown and self.problem.has_arrays:
            meant = " The identity is written I."
        return f"The answer has {', '.join(unknown)}, which the problem does not contain. Its names: {known}.{meant}"

    # -------------------------------------------------------------- shapes
    def _sized(self, read: Answer, case: Case) -> Answer:
        """The answer with sizes for I and ``ones``, such that it has the derivative's shape."""
        ranks = {} if read.tree is None else without_size(read.tree, self.problem.known)
        if read.tree is None or not ranks or not self.problem.has_arrays:
            return read
        values = case.values(case.leaves(case.points[0]), Bounds(), read.text)

        def fits(tree: Formula) -> bool:
            try:
                return tuple(values.tensor(tree).shape) == case.shape
            except SymgradError:
                return False

        sizes = {str(n): 0 for s in self.problem.names.values() for n in s if str(n).isidentifier() or str(n).isdigit()}
        return replace(read, tree=with_sizes(read.tree, ranks, sizes, fits))

    def _shape_is_wrong(self, case: Case, read: Answer) -> str | None:
        """Return what is wrong with the answer's shape.

        Raises:
            ParseError: if the answer contains something that is not allowed in formulas.
        """
        if read.tree is None:
            return None
        expected = case.shape
        values = case.values(case.leaves(case.points[0]), Bounds(), read.text)
        try:
            got = tuple(values.tensor(read.tree).shape)
        except ParseError as error:
            if not isinstance(error.__cause__, (ShapeError, LinAlgError)):
                raise
            return self._do_not_fit(case, values)
        if got == expected or (not got and self._is_zero(read.tree)):
            return None
        by = ", ".join(self.problem.path)
        return (
            f"The shape cannot be right: the derivative with respect to {by} has the shape "
            f"{self._named(case, expected)}, the answer {self._named(case, got)}."
        )

    def _is_zero(self, tree: Formula) -> bool:
        return isinstance(tree, Constant) and tree.value == 0

    def _do_not_fit(self, case: Case, values: Any) -> str:
        node = _innermost(values)
        if not isinstance(node, Binary):
            return f"The shapes do not fit at {shown(node)}."
        shapes = [getattr(values.of(side), "shape", ()) for side in (node.left, node.right)]
        left, right = (f"{shown(side)} {self._named(case, s)}" for side, s in zip((node.left, node.right), shapes))
        sign = "@" if node.op == "@" else "this operation"
        return f"The shapes do not fit: {left} and {right} cannot be the two sides of {sign}."

    def _named(self, case: Case, shape: Sequence[int]) -> str:
        """A shape with the names of its sizes."""
        letters = {v: k for k, v in case.sizes.items()}
        return f"[{', '.join(letters.get(n, str(n)) for n in shape)}]" if shape else "of a number"

    def _of_wrong_shape(self, read: Answer, said: str) -> Grade:
        """Look for a slip that explains the shape: a repair, a part's own derivative, and all sizes made equal."""
        tree = read.tree
        assert tree is not None  # narrows the type: an answer without a tree has no shape that is known here
        number = self._number_for_all(read)
        if number is not None:
            return _wrong("other", f"{said} {number}")
        if self._lacks_products(tree):
            return _wrong("other", f"{said} The product of matrices is written @; * multiplies entries.")
        for equal in (False, True) if self.problem.letters else (False,):
            try:
                case = self.problem.cases(equal)[0]
            except (ArgumentError, ParseError):  # the problem has no meaning where all sizes are equal
                break
            explanation = self._best(case, case.truth, self._repairs(case, tree))
            if explanation is None:
                explanation = self._adjoint(case, read) or self._repaired_and_more(case, tree)
            if explanation is None and equal:
                mine = self._floats_of(case, read)
                if mine.shape == case.truth.shape:
                    if _agree(mine, case.truth):
                        return _wrong("transpose", f"{said} It would be right if all sizes were equal.")
                    explanation = self._best(case, mine, slips(case))
            if explanation is not None:
                return _wrong(explanation.slip, f"{said} {explanation.hint}")
        return _wrong("other", said)

    def _number_for_all(self, read: Answer) -> str | None:
        """What to write for a number that stands in every entry of the derivative, or on its diagonal."""
        case = self.problem.cases()[0]
        mine = self._floats_of(case, read)
        truth: Any = case.truth
        if mine.shape != truth.shape[:1] or truth.ndim < 2:
            return None
        sizes = self._named(case, case.shape).strip("[]")
        spread = mine.reshape(-1, *[1] * (truth.ndim - 1))
        text = read.text if read.tree is None else shown(read.tree)
        front = "" if _agree(mine, np.ones(mine.shape)) else f"{text}*"
        if _agree(np.broadcast_to(spread, truth.shape), truth):
            return f"{text} stands in each of its entries: write {front}ones({sizes})."
        if truth.ndim == 3 and truth.shape[1] == truth.shape[2] and _agree(spread * np.eye(truth.shape[1]), truth):
            return f"{text} stands on its diagonal: write {front}eye({sizes.partition(',')[0]})."
        return None

    def _lacks_products(self, tree: Formula) -> bool:
        """Whether the answer is right with ``@`` for ``*``."""
        repaired = Answer("", with_products_of_matrices(tree, self.problem.ranks))
        return all(self._different_floats(case, repaired) is None for case in self.problem.cases())

    def _adjoint(self, case: Case, read: Answer) -> Wrong | None:
        """Whether the answer is the derivative by an inner function instead, or as if that one were the variable."""
        if len(self.problem.path) > 1:
            return None
        mine = self._floats_of(case, read)
        name = self.problem.path[0]
        for part in parts(self.problem.tree):
            if isinstance(part, (Name, Constant, Attribute)) or part is self.problem.tree:
                continue
            if name not in {n.id for n in parts(part) if isinstance(n, Name)}:
                continue
            try:
                by_part = case.floats([partial(case.by_part, part=part)], case.points)[0]
            except SymgradError:
                continue
            if by_part.shape == mine.shape and _agree(by_part, mine):
                return Wrong(None, "chain", 40, INNER.format(v=shown(part)))
        return None

    # -------------------------------------------------------------- values
    def _function(self, case: Case, read: Answer) -> Callable[[Mapping[str, Any]], Any]:
        if read.function is not None:
            return read.function
        tree = read.tree
        assert tree is not None  # narrows the type: an answer is a tree or a function
        return lambda leaves: _like(case.values(leaves, text=read.text).tensor(tree), case.shape)

    def _floats_of(self, case: Case, read: Answer) -> Any:
        if read.floats:
            f = read.function
            assert f is not None  # narrows the type
            return np.stack([np.asarray(f(p)) for p in case.points])
        tree = read.tree
        try:
            if tree is None:
                return case.floats([self._function(case, read)], case.points)[0]
            return case.floats([lambda leaves: case.values(leaves, text=read.text).tensor(tree)], case.points)[0]
        except SymgradError:
            return np.full((len(case.points), 0), np.nan)

    def _difference(self, case: Case, read: Answer) -> At | None:
        """Return a point at which the answer and the derivative differ; None where there is none."""
        if read.floats or self.problem.is_rounded:
            return self._different_floats(case, read)
        try:
            f = self._function(case, read)
            answer = case.exactly(f)
            for p in (*case.points, *case.suspects(f, read.tree)):
                truth, mine = case.exact_truth(p), answer(p)
                if mine.shape != truth.shape or not all(map(_same, truth.flat, mine.flat)):
                    return At(_point(p), _float(mine), _float(truth))
        except (Unsuitable, SymgradError):
            return self._different_floats(case, read)
        return None

    def _different_floats(self, case: Case, read: Answer) -> At | None:
        mine = self._floats_of(case, read)
        for k, p in enumerate(case.points):
            truth = case.truth[k]
            least = max(1.0, np.max(np.abs(truth), initial=0.0)) if self.problem.is_rounded else _LEAST
            if mine[k].shape != truth.shape or not _agree(mine[k], truth, least):
                return At(_point(p), _float(mine[k]), _float(truth))
        return None

    # -------------------------------------------------------------- right
    def _right(self, read: Answer) -> Grade:
        simpler = shorter(self.problem, read)
        proof = "rewriting" if proved(self.problem, read) else "values"
        note = " A derivative has no constant + C." if read.constant else ""
        note += " A derivative is written without dx." if read.differential else ""
        if simpler is None:
            return Grade(True, True, None, f"Right.{note}", proof=proof, credit=1.0)
        said = f"Right.{note} {simpler.reason}"
        return Grade(True, False, None, said, shorter=simpler.text, proof=proof, credit=1.0)

    # -------------------------------------------------------------- wrong
    def _explained(self, case: Case, read: Answer, at: At) -> Grade:
        meant = next(self._meant(case, read), None)
        if meant is not None:
            return _wrong("other", f"Brackets are missing: {shown(meant)} would be right.", at)
        mine = self._floats_of(case, read)
        if mine.shape == case.truth.shape and _agree(mine, case.truth):
            return _wrong("other", _hardly(at), at)
        if self._rounded(case, read, mine):
            hint = "The numbers are rounded: write fractions and roots, such as 1/3, as they are."
            return _wrong("other", hint, at)
        candidates = list(slips(case))
        if read.tree is not None and self.problem.has_arrays:
            explanation = self._best(case, case.truth, self._repairs(case, read.tree))
            slip = self._best(case, mine, candidates)
            explanation = min(filter(None, (explanation, slip)), key=lambda w: w.weight, default=None)
        else:
            explanation = self._best(case, mine, candidates)
        ratio = self._ratio(case, mine)
        if ratio is not None and (explanation is None or ratio.weight < explanation.weight):
            explanation = self._with_a_sign(case, mine, candidates) or ratio if ratio.slip == "constant" else ratio
        said = self._recognised(case, read, mine) if explanation is None else None
        if explanation is None and said is None:
            explanation = self._of_two(case, read, mine, candidates)
        if explanation is None:
            return _wrong("other", said or self._other(case, mine, at), at)
        return _wrong(explanation.slip, explanation.hint, at)

    def _meant(self, case: Case, read: Answer) -> Iterator[Formula]:
        """Yield right formulas that the answer would be with brackets: 1/(2x) for 1/2x, and e^(2x) for e^2x."""
        if read.tree is None or self.problem.has_arrays:
            return
        for regrouped in (below_the_bar, in_the_exponent):
            tree = regrouped(read.tree)
            if tree != read.tree and self._difference(case, Answer(read.text, tree)) is None:
                yield tree

    def _of_two(self, case: Case, read: Answer, mine: Any, single: list[Wrong]) -> Wrong | None:
        """Return two slips that explain the answer together: one with a wrong sign or factor, or any two."""
        if mine.shape != case.truth.shape or not np.isfinite(mine).all():
            return None
        if read.tree is not None and self.problem.has_arrays:
            explanation = self._repaired_and_more(case, read.tree)
            if explanation is not None:
                return explanation
        for c, other in _FACTORS if self.problem.has_arrays else _FACTORS[:1]:
            explanation = self._best(case, mine / c, single)
            if explanation is not None:
                return both(explanation, other, None)
        return self._best(case, mine, list(pairs(case)))

    def _with_a_sign(self, case: Case, mine: Any, single: list[Wrong]) -> Wrong | None:
        """Return a slip that explains the answer beside a wrong sign: of the chain rule or the power rule."""
        if self.problem.has_arrays:
            return None
        telling = [w for w in single if w.slip in ("chain", "power", "quotient-square")]
        explanation = self._best(case, -mine, telling)
        return None if explanation is None else both(explanation, _FACTORS[0][1], None)

    def _repaired_and_more(self, case: Case, tree: Formula) -> Wrong | None:
        """Return a repair that makes the derivative of an answer but for its sign or a factor 2."""
        changed = list(self._repairs(case, tree))
        for c, other in _FACTORS:
            explanation = self._best(case, case.truth * c, changed)
            if explanation is not None:
                return both(explanation, other, None)
        return None

    def _rounded(self, case: Case, read: Answer, mine: Any) -> bool:
        """Whether the answer is right as far as its decimals go."""
        if read.tree is None or mine.shape != case.truth.shape:
            return False
        decimals = [n.value for n in parts(read.tree) if isinstance(n, Constant) and type(n.value) is float]
        if not decimals or not np.isfinite(mine).all():
            return False
        error = sum(0.5 * 10.0 ** -len(f"{v:f}".rstrip("0").partition(".")[2]) / abs(v) for v in decimals if v)
        far = np.abs(mine - case.truth)
        return bool(np.all(far <= 1.5 * min(error, 0.1) * np.abs(case.truth)))

    def _repairs(self, case: Case, tree: Formula) -> Iterator[Wrong]:
        values = case.values(case.leaves(case.points[0]))

        def matrix(part: Formula) -> Any:
            try:
                value = values.of(part)
            except SymgradError:
                return None
            return np.asarray(value) if len(getattr(value, "shape", ())) == 2 else None

        for w in repairs(tree, matrix):
            yield replace(w, tree=Whole(w.tree))

    def _best(self, case: Case, mine: Any, candidates: Iterator[Wrong] | list[Wrong]) -> Wrong | None:
        """Return the most telling of the candidates that have these values."""
        if mine.shape[1:] != case.truth.shape[1:] or case.truth[0].size > MOST_ENTRIES:
            return None
        ordered = sorted(candidates, key=lambda w: w.weight)
        for k in range(0, len(ordered), 40):
            some = ordered[k : k + 40]
            for w, values in zip(some, case.of_trees([w.tree for w in some])):
                if values is not None and values.shape == mine.shape and _agree_where_defined(values, mine):
                    return w
        return None

    def _ratio(self, case: Case, mine: Any) -> Wrong | None:
        """Whether the answer is a number times the derivative."""
        if mine.shape != case.truth.shape:
            return None
        with np.errstate(all="ignore"):
            ratios = (mine / case.truth)[(case.truth != 0) | (mine != 0)]
        if not ratios.size or not np.isfinite(ratios).all() or not ratios.all():
            return None
        c = float(ratios.flat[0])
        if not np.allclose(ratios, c, rtol=_CLOSE, atol=0) or math.isclose(c, 1, rel_tol=_CLOSE):
            return None
        whole = shown(self.problem.tree)
        if math.isclose(c, -1, rel_tol=_CLOSE):
            return Wrong(None, "sign", 58, "Check the sign of the whole answer.")
        if self.problem.has_arrays and any(math.isclose(c, two, rel_tol=_CLOSE) for two in (2, 0.5)):
            return Wrong(None, "factor-2", 50, f"Check the factor 2 in the derivative of {whole}.")
        for sign, factor in product(_FACTORS[:1], _FACTORS[1:]) if self.problem.has_arrays else ():
            if math.isclose(c, sign[0] * factor[0], rel_tol=_CLOSE):
                return both(sign[1], factor[1], None)
        hint = f"The answer is a constant times the derivative of {whole}: check its factors."
        return Wrong(None, "constant", 75, hint)

    def _recognised(self, case: Case, read: Answer, mine: Any) -> str | None:
        """What an answer is instead of the derivative: the function itself, another derivative, an integral."""
        problem = self.problem
        if mine.shape == case.truth.shape:
            value = case.floats([case.value], case.points)[0]
            if value.shape == mine.shape and _agree(value, mine):
                return "This is the function itself, and not its derivative."
            if read.tree is not None and not problem.has_arrays:
                back = case.floats([lambda leaves: case.derived(leaves, problem.path[:1], read.tree)], case.points)[0]
                if _agree(back, value):
                    return "This is an antiderivative: differentiate instead of integrating."
            for lower in range(1, len(problem.path)):
                earlier = case.floats([partial(case.derived, path=problem.path[:lower])], case.points)[0]
                if earlier.shape == mine.shape and _agree(earlier, mine):
                    return f"This is the derivative of order {lower}: differentiate once more."
            more = (*problem.path, problem.path[-1])
            later = case.floats([lambda leaves: case.derived(leaves, more)], case.points)[0]
            if later.shape == mine.shape and _agree(later, mine):
                return "This is differentiated once too often."
            for name, s in problem.names.items():
                if not s and name not in problem.path:
                    by = case.floats([partial(case.derived, path=(name,))], case.points)[0]
                    if by.shape == mine.shape and _agree(by, mine):
                        wrt = problem.path[0]
                        return f"This is the derivative with respect to {name}; differentiate with respect to {wrt}."
        return None

    def _other(self, case: Case, mine: Any, at: At) -> str:
        """What can be said of an answer of no known slip."""
        if not np.isfinite(np.asarray(at.answer, float)).all():
            right = all(_agree(m, t) for m, t in zip(mine, case.truth) if np.isfinite(m).all())
            where = _where(at)
            if right and any(np.isfinite(m).all() for m in mine):
                return f"Right where it is defined; but at {where} the derivative has a value, and the answer has none."
            return f"At {where} the answer has no value, and the derivative has one."
        if self._is_off_by_a_factor(case, mine):
            return "Every entry is off by the same factor, which is not a constant: a number such as a norm is missing."
        return "This is not the derivative. Go from the outside in, and name the rule of each step."

    def _is_off_by_a_factor(self, case: Case, mine: Any) -> bool:
        """Whether an array is the derivative times a number that is another one at each point."""
        if mine.shape != case.truth.shape or mine[0].size < 2:
            return False
        with np.errstate(all="ignore"):
            ratios = (mine / case.truth).reshape(len(mine), -1)
        return bool(np.isfinite(ratios).all() and np.allclose(ratios, ratios[:, :1], rtol=_CLOSE, atol=0))


def _hardly(at: At) -> str:
    """What is wrong with an answer that is right at the points at which slips are looked for."""
    if _agree(np.asarray(at.answer), np.asarray(at.derivative)):
        return "The answer is off by very little: look for a small missing term, or a rounded number."
    return f"Right at some points only: look at {_where(at)}, and at the cases around it."


def _where(at: At) -> str:
    return ", ".join(f"{name} = {_brief(v)}" for name, v in at.point.items())


def _innermost(values: Any) -> Any:
    """The part that has no value, while those within it have: of a + b + c, which is read in one go, perhaps a + b."""
    node = values.failed
    while isinstance(node, Binary):
        try:
            values.of(node.left)
        except SymgradError:
            node = node.left
        else:
            break
    return node


_FACTORS = (
    (-1.0, Wrong(None, "sign", 58, "Check the sign of the whole answer.")),
    (2.0, Wrong(None, "factor-2", 50, "There is a factor 2 too many.")),
    (0.5, Wrong(None, "factor-2", 50, "A factor 2 is missing.")),
)  # what an answer with another slip may have been multiplied by


def _about(answer: Any, error: ParseError) -> ParseError:
    """The error about an answer as a pupil has written it."""
    if not isinstance(answer, str) or len(answer) > MOST_SHOWN or not answer.strip():
        return error
    return misread(answer, error, lambda name: function_named(name) is not None)


def _like(y: Any, shape: tuple[int, ...]) -> Any:
    """The answer 0 stands for zeros of any shape."""
    return y if tuple(y.shape) == shape or y.shape != () else y.expand(shape) if shape else y


def _same(a: Any, b: Any) -> bool:
    """Whether two numbers of many digits are equal."""
    if not (mpmath.isfinite(a) and mpmath.isfinite(b)):
        return False
    with mpmath.workdps(DIGITS + 10):
        return bool(abs(a - b) <= _SAME * max(abs(a), abs(b), mpmath.mpf(10) ** -10))


def _agree(a: Any, b: Any, least: float = _LEAST) -> bool:
    """Whether floats agree, to what is left of their digits; those below ``least`` have fewer."""
    with np.errstate(all="ignore"):
        top = np.maximum(np.maximum(np.abs(a), np.abs(b)), least)
        return bool(np.isfinite(a).all() and np.isfinite(b).all() and np.all(np.abs(a - b) <= _CLOSE * top))


def _agree_where_defined(a: Any, b: Any) -> bool:
    """Whether floats at many points agree, and have no values at the same few: 1/(1 - x²) has none at 1."""
    defined = np.isfinite(a)
    if defined.all() or not np.array_equal(defined, np.isfinite(b)) or 2 * defined.sum() < defined.size:
        return _agree(a, b)
    return _agree(a[defined], b[defined])


def _float(x: Any) -> Any:
    with np.errstate(all="ignore"):
        numbers = np.asarray(np.vectorize(float, otypes=[float])(x))
    return float(numbers) if not numbers.shape else numbers


def _point(p: dict[str, Any]) -> dict[str, Any]:
    return {name: v if np.ndim(v) else int(v) if float(v).is_integer() else float(v) for name, v in p.items()}


def _brief(v: Any) -> str:
    if not np.ndim(v):
        return f"{v:.6g}"
    return np.array2string(np.asarray(v), precision=6, separator=", ", threshold=20).replace("\n", "")
