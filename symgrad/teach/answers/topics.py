"""Topics of exercises: what is differentiated, with respect to what, and the patterns of each level."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

from symgrad.teach.answers import patterns

LEVELS = (1, 2, 3)
_CHOICE = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True)
class Task:
    """What is to be differentiated, by what, how often."""

    of: str
    wrt: str | tuple[str, ...] = "x"
    shapes: Mapping[str, Any] = field(default_factory=dict)
    order: int = 1


@dataclass(frozen=True)
class Topic:
    """Patterns for each level, with the variable, the shapes and the order that they have in common."""

    text: str
    wrt: str | tuple[str, ...] = "x"
    shapes: Mapping[str, Any] = field(default_factory=dict)
    order: int = 1

    def patterns(self, level: int) -> list[str]:
        """Return the patterns of a level, with their choices."""
        return _levels(self.text)[level]

    def kinds(self, level: int) -> int:
        """Return of how many kinds the tasks of a level are."""
        return len({re.sub(r"\{\w\}|\d+", "", text) for p in self.patterns(level) for text in texts(p)})

    def tasks(self, level: int, random: Random) -> Iterator[Task]:
        """Yield tasks of a level: one of each pattern in turn, as unlike each other as the patterns are."""
        by_pattern = [random.sample(all_texts, len(all_texts)) for all_texts in map(texts, self.patterns(level))]
        random.shuffle(by_pattern)
        for round_ in itertools.count():
            for alternatives in by_pattern:
                if round_ < len(alternatives):
                    yield self._task(alternatives[round_], random)
            if round_ >= max(map(len, by_pattern)):  # all that there is, with other numbers
                for alternatives in by_pattern:
                    yield self._task(random.choice(alternatives), random)

    def _task(self, text: str, random: Random) -> Task:
        wrt, _, formula = text.rpartition(": ")
        a, b, c = random.sample(range(2, 10), 3)
        n, m = sorted(random.sample(range(2, 7), 2))
        filled = formula.format(a=a, b=b, c=c, m=m, n=n)
        used = {name: s for name, s in self.shapes.items() if name in re.findall(r"\w+", filled)}
        return Task(filled, wrt or self.wrt, used, self.order)


def kind_of(task: Task) -> str:
    """Return a task's formula without its numbers: two of one kind are alike."""
    return re.sub(r"\d+", "", task.of)


@lru_cache(maxsize=64)
def _levels(text: str) -> dict[int, list[str]]:
    """Read the patterns of a topic: a level begins with its number, and patterns are separated by semicolons."""
    parts = re.split(r"^([123]): ", text, flags=re.MULTILINE)[1:]
    return {
        int(level): [" ".join(p.split()) for p in body.split(";") if p.strip()]
        for level, body in zip(parts[::2], parts[1::2], strict=True)
    }


def texts(pattern: str) -> list[str]:
    """Return all texts of a pattern, one for each choice.

    >>> texts("[sin|cos]({a}*x)")
    ['sin({a}*x)', 'cos({a}*x)']
    """
    pieces = _CHOICE.split(pattern)
    choices = [piece.split("|") if k % 2 else [piece] for k, piece in enumerate(pieces)]
    return list(dict.fromkeys(" ".join("".join(chosen).split()) for chosen in itertools.product(*choices)))


def _topics() -> dict[str, Topic]:
    vector = {"x": "n", "a": "n", "b": "n", "y": "n", "A": ("n", "n")}
    data = {"X": ("n", "d"), "w": "d", "y": "n", "lam": (), "S": ("n", "n"), "v": "d"}
    square = {**dict.fromkeys("XABS", ("n", "n")), **dict.fromkeys("ab", "n")}
    topics = {
        **{name: Topic(text) for name, text in patterns.NUMBERS.items()},
        **{name: Topic(text) for name, text in patterns.PLANE.items()},
        **{name: Topic(text, ("x", "y"), order=2) for name, text in patterns.MIXED.items()},
        **{name: Topic(text, ("x", "y")) for name, text in patterns.GRADIENT.items()},
        **{name: Topic(text) for name, text in patterns.CURVES.items()},
        **{name: Topic(text, shapes=vector) for name, text in patterns.VECTORS.items()},
        **{name: Topic(text, "w", data) for name, text in patterns.REGRESSION.items()},
        **{name: Topic(text, "X", square) for name, text in patterns.MATRICES.items()},
    }
    orders = {"second-derivative": 2, "third-derivative": 3}
    return {name: Topic(t.text, t.wrt, t.shapes, orders.get(name, t.order)) for name, t in topics.items()}


TOPICS: dict[str, Topic] = _topics()
