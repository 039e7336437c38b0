"""What goes beside a file of C on request: a program that tests it, and a CMakeLists.txt that builds both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symgrad.compiler.loops.errors import ExportError
from symgrad.core.promotion import is_complex, is_floating
from symgrad.engine.program import Spec
from symgrad.exports.request import Request
from symgrad.exports.targets.c import LARGE, Options, outputs, plain
from symgrad.exports.targets.target import Source
from symgrad.exports.translate import FLOAT, Translator

TOLERANCES = {False: 1e-9, True: 1e-3}  # of double and float, of a result's largest entry
_DIFFERS = """\
/* Whether numbers differ by more than TOLERANCE of the largest that is expected. */
static int differs(const char *name, const {real} *result, const {real} *expected, long n)
{{
    double scale = 0.0;
    for (long i = 0; i < n; i++) {{
        const double size = fabs((double)expected[i]);
        if (isfinite(size) && size > scale) {{
            scale = size;
        }}
    }}
    for (long i = 0; i < n; i++) {{
        const double a = (double)result[i], b = (double)expected[i];
        const int is_near = isfinite(a) && isfinite(b) && fabs(a - b) <= TOLERANCE * scale;
        if (!is_near && a != b && !(isnan(a) && isnan(b))) {{
            printf("%s[%ld] is %.17g, expected %.17g\\n", name, i, a, b);
            return 1;
        }}
    }}
    return 0;
}}"""


def with_cmake(source: Source, place: Path, name: str) -> Source:
    """Return a source with a CMakeLists.txt beside it, which makes a static library of its files, and runs its test."""
    test = _test_file(place)
    files = [place.name, *[f for f in source.beside if f.endswith(".c") and f != test]]
    folders = dict.fromkeys(f"/{f.rpartition('/')[0]}" for f in source.beside if "/" in f and f.endswith(".h"))
    include = "".join(f' "${{CMAKE_CURRENT_SOURCE_DIR}}{f}"' for f in ["", *folders])
    lines = [
        "# Written by symgrad.", "cmake_minimum_required(VERSION 3.10)", f"project({name} C)",
        f"add_library({name}_c STATIC {' '.join(f'[==[{f}]==]' for f in files)})",
        f"set_target_properties({name}_c PROPERTIES C_STANDARD 99)",
        f"target_include_directories({name}_c PUBLIC{include})", "if(UNIX)",
        f"  target_link_libraries({name}_c PUBLIC m)", "endif()",
    ]  # fmt: skip
    if test in source.beside:
        lines += [
            "enable_testing()", f"add_executable({name}_test [==[{test}]==])",
            f"set_target_properties({name}_test PROPERTIES C_STANDARD 99)",
            f"target_link_libraries({name}_test {name}_c)", f"add_test(NAME {name}_test COMMAND {name}_test)",
        ]  # fmt: skip
    return source._replace(beside={**source.beside, "CMakeLists.txt": "\n".join(lines) + "\n"})


def with_test(source: Source, place: Path, requests: Sequence[Request], options: Options) -> Source:
    """Return a source with a program beside it that compares its functions with symgrad's results."""
    tests = [_Test(r, options) for r in requests]
    if sum(a.size for t in tests for a in (*t.inputs, *t.expected)) > LARGE:
        raise ExportError(f"export: test=True writes at most {LARGE} numbers. Give smaller example arguments.")
    tolerance = f"#ifndef TOLERANCE\n#define TOLERANCE {TOLERANCES[options.real == FLOAT]}\n#endif"
    head = (
        f'/* Written by symgrad. */\n#include <math.h>\n#include <stdio.h>\n#include "{place.with_suffix(".h").name}"'
    )
    main = ["int main(void)", "{", "    int failures = 0;", *[x for t in tests for x in t.lines()]]
    main += ['    puts(failures ? "FAILED" : "passed");', "    return failures ? 1 : 0;", "}"]
    parts = [head, tolerance, _DIFFERS.format(real=options.real), *[t.text for t in tests], "\n".join(main)]
    text = Source("\n\n".join(parts) + "\n")
    beside = {**source.beside, _test_file(place): (plain(text) if options.ascii else text).text}
    return source._replace(beside=beside)


def _test_file(place: Path) -> str:
    return f"{place.stem}_test.c"


class _Test:
    """One function with arguments, and what it returns of them."""

    def __init__(self, r: Request, options: Options) -> None:
        if r.sizes:
            raise ExportError(
                f"export: test=True needs a number for each size. Got the names {sorted(r.sizes.values())}; give "
                "example arguments."
            )
        self.request, self.real = r, options.real
        specs = r.program.arguments
        self.values = drawn(specs) if r.examples is None else r.examples
        self.inputs = [np.asarray(v, s.dtype) for v, s in zip(self.values, specs, strict=True)]
        self.outs = outputs(r)
        with np.errstate(all="ignore"):
            self.expected = [np.asarray(y) for y in r.program.bind(0, self.inputs, r.program.operations)()]

    @property
    def text(self) -> str:
        """The function's arguments and results as tables."""
        arrays = [(n, a) for n, a in zip(self.request.params, self.inputs, strict=True) if self._is_array(a)]
        arrays += [(n, a) for n, a in zip(self.outs, self.expected, strict=True)]
        return "\n".join(self._table(name, a) for name, a in arrays)

    def _table(self, name: str, a: Any) -> str:
        t = Translator(real=self.real)
        texts = [t.number(float(x)) for x in _parts(a)] or ["0"]
        return f"static const {self.real} {self._called(name)}[] = {{{', '.join(texts)}}};"

    def _called(self, name: str) -> str:
        return f"{self.request.name}_{name}_values"

    def _is_array(self, a: Any) -> bool:
        return a.ndim > 0 or is_complex(a.dtype)

    def lines(self) -> list[str]:
        """Return the part of the main program that calls the function."""
        r, t = self.request, Translator(real=self.real)
        counts = [max(1, len(_parts(y))) for y in self.expected]
        args = [
            self._pointer(self._called(n), a, "const ") if self._is_array(a) else t.number(float(a))
            for n, a in zip(r.params, self.inputs, strict=True)
        ]
        args += [self._pointer(n, y) for n, y in zip(self.outs, self.expected, strict=True)]
        lines = [f"static {self.real} {n}[{count}];" for n, count in zip(self.outs, counts, strict=True)]
        lines += [f"if ({r.name}({', '.join(args)}) != 0) {{", f'    puts("{r.name}: failed");', "    failures++;", "}"]
        lines += [
            f'failures += differs("{r.name}: {n}", {n}, {self._called(n)}, {len(_parts(y))});'
            for n, y in zip(self.outs, self.expected, strict=True)
        ]
        return ["    {", *[f"        {x}" for x in lines], "    }"]

    def _pointer(self, name: str, a: Any, const: str = "") -> str:
        return f"({const}{self.real} _Complex *){name}" if is_complex(a.dtype) else name


def _parts(a: Any) -> Any:
    """Return the entries in rows, complex ones as their two parts."""
    flat = np.ascontiguousarray(a).ravel()
    return flat.view(flat.real.dtype) if is_complex(flat.dtype) else flat


def drawn(specs: Sequence[Spec]) -> list[Any]:
    """Return arguments for programs of which the shapes are known: floats between ¼ and ¾, where most functions are."""
    rng = np.random.default_rng(0)
    return [_draw(rng, s) for s in specs]


def _draw(rng: Any, spec: Spec) -> Any:
    if not (is_floating(spec.dtype) or is_complex(spec.dtype)):
        return np.zeros(spec.shape, spec.dtype)
    numbers = rng.uniform(0.25, 0.75, spec.shape)
    return numbers + 1j * rng.uniform(0.25, 0.75, spec.shape) if is_complex(spec.dtype) else numbers
