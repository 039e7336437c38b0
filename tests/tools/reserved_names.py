"""symgrad/exports/reserved_c.txt: ``python tests/tools/reserved_names.py`` adds those of this machine's headers.

Its first paragraph is what no name in C may be: the macros of the standard headers in every version of C and C++, with
and without GNU's extensions, and what the headers of ISO C declare. The second is what, beside that, no function that
a linker sees may be called: what the headers declare with extensions, and what the C library holds.
"""

from __future__ import annotations

import re
import subprocess
import textwrap
from collections.abc import Sequence
from pathlib import Path

FILE = Path(__file__).parents[2] / "symgrad" / "exports" / "reserved_c.txt"
HEADERS = (
    *("assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math"),
    *("setjmp", "signal", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib"),
    *("stdnoreturn", "string", "tgmath", "threads", "time", "uchar", "wchar", "wctype"),
)
NOT_IN_CPP = ("stdatomic", "stdnoreturn", "tgmath", "threads")
STRICT = (("c", "c99"), ("c", "c11"), ("c", "c2x"), ("c++", "c++11"), ("c++", "c++20"))
EXTENDED = (("c", "gnu99"), ("c", "gnu17"), ("c", "gnu2x"), ("c++", "gnu++20"))
INCLUDED = ("math", "stdlib")  # by what is exported


def macros(language: str, version: str) -> set[str]:
    """The macros that are defined behind all headers."""
    headers = [h for h in HEADERS if language == "c" or h not in NOT_IN_CPP]
    text = _preprocessed(language, version, headers, "-dM")
    return {m for m in re.findall(r"^#define (\w+)", text, re.MULTILINE) if m[0] != "_"}


def declared(version: str, headers: Sequence[str]) -> set[str]:
    """The functions, types and enumerators of headers, without the members of structures."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "", _preprocessed("c", version, headers, "-P"))
    found = set(re.findall(r"\b[A-Za-z]\w*", " ".join(re.findall(r"enum[^{;]*\{([^}]*)\}", text))))
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", " ", text)
    return found | set(re.findall(r"\b[A-Za-z]\w*", text))


def _preprocessed(language: str, version: str, headers: Sequence[str], flag: str) -> str:
    extended = ["-D_GNU_SOURCE"] if version.startswith("gnu") else []
    source = "".join(f"#include <{h}.h>\n" for h in headers)
    command = ["gcc", "-E", flag, f"-std={version}", *extended, "-x", language, "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def exported_by_the_library() -> set[str]:
    """What a program that is linked with libc and libm could hide from them."""
    found: set[str] = set()
    for name in ("libc.so.6", "libm.so.6"):
        place = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
        table = subprocess.run(["nm", "-D", "--defined-only", place.strip()], capture_output=True, text=True).stdout
        found |= {line.split()[-1].split("@")[0] for line in table.splitlines()}
    return {name for name in found if name[:1].isalpha()}


def everywhere() -> set[str]:
    """What nothing may be called."""
    found = {name for mode in (*STRICT, *EXTENDED) for name in macros(*mode)}
    for language, version in STRICT:
        found |= declared(version, HEADERS) if language == "c" else set()
    return found.union(*(declared(v, INCLUDED) for language, v in EXTENDED if language == "c"))


def linked() -> set[str]:
    """What no function may be called."""
    found = exported_by_the_library()
    return found.union(*(declared(v, HEADERS) for language, v in EXTENDED if language == "c"))


def main() -> None:
    """Add what is new."""
    old = FILE.read_text(encoding="utf-8").split("\n\n") if FILE.exists() else ["", ""]
    first = {*old[0].split(), *everywhere()}
    second = {*old[1].split(), *linked()} - first
    FILE.write_text(
        "\n\n".join(textwrap.fill(" ".join(sorted(s)), 118) for s in (first, second)) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
