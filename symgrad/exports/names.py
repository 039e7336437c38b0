"""Names in generated source: identifiers made of what users call things. Text is written by ``foreign``.

What a language has taken is data: Python knows its own words, C's are in ``reserved_c.txt``, which
``tests/tools/reserved_names.py`` makes of the headers.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

LONGEST = 40  # characters of an identifier
PYTHON, C = "python", "c"
_MODULES = "np numpy jnp jax lax special torch sympy math cmath functools itertools symgrad ctypes self cls result work"
_PYTHON = frozenset({*_MODULES.split(), *keyword.kwlist, *keyword.softkwlist, *dir(builtins)})
_C_KEYWORDS = (
    "alignas alignof auto bool break case char const constexpr continue default do double else enum extern false float "
    "for goto if inline int long nullptr register restrict return short signed sizeof static static_assert struct "
    "switch thread_local true typedef typeof typeof_unqual union unsigned void volatile while asm fortran complex "
    "imaginary noreturn main linux unix i386 near far "
)
_CPP_KEYWORDS = (
    "and and_eq atomic_cancel atomic_commit atomic_noexcept bitand bitor catch char8_t char16_t char32_t class compl "
    "concept consteval constinit const_cast co_await co_return co_yield contract_assert decltype delete dynamic_cast "
    "explicit export final friend import module mutable namespace new noexcept not not_eq operator or or_eq override "
    "post pre private protected public reflexpr reinterpret_cast requires static_cast std synchronized template this "
    "throw try typeid typename using virtual wchar_t xor xor_eq "
)
_WINDOWS = "BOOL CALLBACK CONST FALSE FAR IN NEAR OPTIONAL OUT PASCAL TRUE VOID huge hyper interface pascal small "
_OURS = "status work result self abort single nested div"  # in the functions' own text
_MINTED = re.compile(r"[vctis]\d+|step\d+")  # what the writers call values, sizes and bodies of loops
_OURS_BY_PREFIX = re.compile(r"(?:sg|symgrad)_", re.IGNORECASE)  # helpers and guards in C
# What ISO C keeps for later versions of its library, and POSIX for its headers: of functions that a linker sees.
_LATER = re.compile(
    r"(?:wcs|wmem|cr_|atomic_|memory_order_|cnd_|mtx_|thrd_|tss_|stdc_)[a-z].*|.*_t|E[A-Z0-9].*"
    r"|(?:FE|FP|LC|SIG|TIME|ATOMIC|MATH|DBL|FLT|LDBL|DEC|PRI|SCN|INT|UINT)_?[A-Z0-9].*|(?:PRI|SCN)[a-z].*"
)


@cache
def _reserved_in_c() -> tuple[frozenset[str], frozenset[str]]:
    """Return what no name in C may be, and what beside that no function may be called.

    Python's keywords are among them, since C is translated from lines of Python.
    """
    text = Path(__file__).with_name("reserved_c.txt").read_text(encoding="utf-8")
    everywhere, linked = (part.split() for part in text.split("\n\n"))
    return frozenset(
        {*everywhere, *keyword.kwlist, *f"{_C_KEYWORDS}{_CPP_KEYWORDS}{_WINDOWS}{_OURS}".split()}
    ), frozenset(linked)


def _is_reserved(text: str, language: str) -> bool:
    words = _PYTHON if language == PYTHON else _reserved_in_c()[0]
    return text in words or _MINTED.fullmatch(text) is not None


def identifier(name: str, taken: Collection[str] = (), language: str = PYTHON) -> str:
    """Return an ASCII identifier that reads like the name, means nothing in the language, and is none of ``taken``.

    >>> identifier("θ"), identifier("*/ system('x')"), identifier("class"), identifier("RAND_MAX", language="c")
    ('theta', 'system_x', 'class_', 'RAND_MAX_')
    """
    text = "".join(_plain(c) for c in unicodedata.normalize("NFKD", name[: 4 * LONGEST]))
    text = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", text)).strip("_")[:LONGEST].rstrip("_")
    text = text or "x"
    if text[0].isdigit() or _OURS_BY_PREFIX.match(text):
        text = f"x_{text}"
    if _is_reserved(text, language):
        text = f"{text}_"
    candidate, count = text, 2
    while candidate in taken or _is_reserved(candidate, language):
        candidate, count = f"{text.rstrip('_')}_{count}", count + 1
    return candidate


def function_name(name: str, taken: Collection[str] = (), language: str = PYTHON) -> str:
    """Return an identifier for a function; in C it also hides nothing of what a program is linked with.

    >>> function_name("write"), function_name("write", language="c"), function_name("E1", language="c")
    ('write', 'write_', 'f_E1')
    """
    word = identifier(name, taken, language)
    if language != C:
        return word
    if _LATER.fullmatch(word):
        return identifier(f"f_{word}", taken, language)
    return f"{word}_" if word in _reserved_in_c()[1] else word


def _plain(c: str) -> str:
    """Write a Greek letter by its English name."""
    if c.isascii() or unicodedata.combining(c):
        return c if c.isascii() else ""
    words = unicodedata.name(c, "").split()
    return words[-1].lower() if words[:1] == ["GREEK"] and "LETTER" in words else "_"


def identifiers(names: Iterable[str], taken: Iterable[str] = (), language: str = PYTHON) -> list[str]:
    """Return distinct identifiers, in order."""
    used = set(taken)
    words = []
    for name in names:
        words.append(identifier(name, used, language))
        used.add(words[-1])
    return words
