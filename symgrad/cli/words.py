"""The words of a command line as they may be written: ``--shape X=n,d w=d``, ``--at x=2,y=3``, ``-x**2``.

They become the words that ``argparse`` reads, which takes one value an option and everything behind - for an option.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

PAIRED = ("--shape", "--at", "--assume", "--over")  # options of NAME=VALUE, of which several may follow
_PAIR = re.compile(r"\s*[^\W\d]\w*\s*=(?!=)")
_NEXT = re.compile(r"[\s,;]+(?=[^\W\d]\w*\s*=(?!=))")


def as_argparse(words: Sequence[str]) -> list[str]:
    """Return the words, each pair with its option, and a formula that begins with - behind a space.

    >>> as_argparse(["derive", "-x*w", "--shape", "x=n,d", "w=d", "--at", "a=1,b=2"])
    ['derive', ' -x*w', '--shape', 'x=n,d', '--shape', 'w=d', '--at', 'a=1', '--at', 'b=2']
    """
    return list(_written(words))


def named(text: str) -> tuple[str, str]:
    """Split ``name=text`` into the name and the text; without an equals sign there is no name.

    >>> named("x=-2:2"), named("-2:2")
    (('x', '-2:2'), ('', '-2:2'))
    """
    name, equals, value = text.partition("=")
    return (name.strip(), value.strip()) if equals else ("", text.strip())


def _written(words: Sequence[str]) -> Iterator[str]:
    option = ""
    for k, word in enumerate(words):
        name, equals, value = word.partition("=")
        if word == "--":
            yield from words[k:]
            return
        if word in PAIRED:
            option = word
            if not (k + 1 < len(words) and _PAIR.match(words[k + 1]) is not None):
                yield word
        elif equals and name in PAIRED:
            option = name
            yield from _each(option, value)
        elif option and _PAIR.match(word):
            yield from _each(option, word)
        else:
            option = ""
            yield f" {word}" if _is_formula(word) else word


def _each(option: str, text: str) -> Iterator[str]:
    for pair in _NEXT.split(text):
        yield option
        yield pair


def _is_formula(word: str) -> bool:
    """Whether a word that begins with - is not an option: those of one letter are -h and -o, also as -oFILE."""
    return re.match(r"-[^-]", word) is not None and not re.fullmatch(r"-h|-o(\S*\.(?!m?T\b)[a-z]+)?", word)
