"""Names in generated source: identifiers made of what users call things, and text that no comment can end early.

Imports nothing of symgrad.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Collection, Iterable

LONGEST = 40  # characters of an identifier
_C = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile "
    "while main bool _Bool _Complex _Imaginary complex imaginary I NULL EOF INFINITY NAN HUGE_VAL errno assert "
    "stdin stdout stderr true false "
)
_LIBRARY = (
    "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh erf erfc exp exp2 expm1 fabs floor fmax "
    "fmin fmod hypot lgamma log log10 log1p log2 pow sin sinh sqrt tan tanh trunc malloc free calloc realloc "
    "abs labs div j0 j1 jn y0 y1 yn gamma signgam system exit abort single nested "
    "cbrt fdim fma frexp ilogb ldexp llrint llround logb lrint lround modf nan nearbyint nextafter nexttoward "
    "remainder remquo rint scalbln scalbn tgamma atexit atof atoi atol atoll bsearch getenv ldiv llabs lldiv mblen "
    "mbstowcs mbtowc qsort rand random select srand strtod strtof strtol strtold strtoll strtoul strtoull wcstombs "
    "wctomb "
)
_MODULES = "np numpy jnp jax torch sympy math symgrad ctypes "
RESERVED = {
    *f"{_C} {_LIBRARY} {_MODULES} self result work".split(), *keyword.kwlist, *keyword.softkwlist, *dir(builtins),
}  # fmt: skip
_OF_FLOATS = {f"{name}{kind}" for name in _LIBRARY.split() for kind in "fl"}  # sinf, expl, …
_MINTED = re.compile(r"[vctis]\d+|sg_.*")  # what the writers call values, sizes and helpers


def identifier(name: str, taken: Collection[str] = ()) -> str:
    """Return an ASCII identifier that reads like the name and is none of ``taken``.

    >>> identifier("θ"), identifier("*/ system('x')"), identifier("class")
    ('theta', 'system_x', 'class_')
    """
    text = "".join(_plain(c) for c in unicodedata.normalize("NFKD", name[: 4 * LONGEST]))
    text = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", text)).strip("_")[:LONGEST].rstrip("_")
    text = text or "x"
    if text[0].isdigit():
        text = f"x_{text}"
    if text in RESERVED or text in _OF_FLOATS or _MINTED.fullmatch(text):
        text = f"{text}_"
    found, count = text, 2
    while found in taken:
        found, count = f"{text.rstrip('_')}_{count}", count + 1
    return found


def _plain(c: str) -> str:
    """Write a Greek letter by its English name."""
    if c.isascii() or unicodedata.combining(c):
        return c if c.isascii() else ""
    words = unicodedata.name(c, "").split()
    return words[-1].lower() if words[:1] == ["GREEK"] and "LETTER" in words else "_"


def identifiers(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return distinct identifiers, in order."""
    used = set(taken)
    found = []
    for name in names:
        found.append(identifier(name, used))
        used.add(found[-1])
    return found


def comment(text: str) -> str:
    """Return one line that ends no comment, docstring, script or document, whatever it says.

    >>> comment("a */ b" + chr(10) + "c")
    'a * / b c'
    """
    kept = "".join(c if c.isprintable() else " " for c in text)
    kept = kept.replace("\\", "/").replace('"', "'").replace("???", "? ? ?").replace("??", "? ?")
    for sign in ("*/", "/*", "</", "'''", "<!"):
        kept = kept.replace(sign, " ".join(sign))
    return " ".join(kept.split())
