"""C text to machine code in this process: the compiler runs once, as a program of its own, and leaves a shared library.

No shell reads anything: the environment variable CC is split into words, of which the first is the compiler, and the
others are its arguments.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.c.translate import EXPORT, translated
from symgrad.compiler.backends.llvm.module import LOOPS, Level, Module
from symgrad.errors import MissingExtra
from symgrad.support.store import opened

USUAL = ("cc", "gcc", "clang")
_PROCESSOR = {"x86_64": "-march=native", "aarch64": "-mcpu=native", "arm64": "-mcpu=native"}
# Every operation rounds as it is written, and nothing is known of nan and infinity.
_EXACT = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing", "-fopenmp-simd")
_LIBRARY = ("-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-w")
_TOLD = 2000  # characters of what a compiler says


def command() -> list[str] | None:
    """Return the compiler of this machine and the arguments that CC gives it; None where there is none."""
    try:
        named = shlex.split(os.environ.get("CC", ""))
    except ValueError:  # a quotation mark without its end
        return None
    for name, *rest in [named] if named else [[name] for name in USUAL]:
        path = shutil.which(name)
        if path is not None:
            return [os.path.abspath(path), *rest]  # it runs in another folder
    return None


def needed() -> list[str]:
    """Return the compiler; raise MissingExtra, which says where it was looked for."""
    compiler = command()
    if compiler is None:
        named = os.environ.get("CC", "")
        where = f"CC={named!r} names none" if named.strip() else f"none of {', '.join(USUAL)} is in PATH"
        raise MissingExtra(
            f"compile: backend='c' needs a C compiler, and {where}. Install gcc or clang, or name one in the "
            "environment variable CC."
        )
    return compiler


class Failed(Unsuitable):
    """The C compiler refuses a text."""

    def __init__(self, compiler: str, told: str) -> None:
        self.told = told
        super().__init__(f"the C compiler {compiler} failed. Use backend='numpy'. Its message is: {told}")


class Loaded:
    """The functions of a shared library, which is freed with this object."""

    def __init__(self, module: Module, text: str, code: bytes, cached: bool) -> None:
        self.level, self.source, self.cached = module.level, text, cached
        self._library = loaded(code)
        from_here = (ctypes.c_void_p * max(1, len(module.links)))(*module.links)
        getattr(self._library, f"{EXPORT}link")(from_here)

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return ctypes.cast(getattr(self._library, f"{EXPORT}{name}"), ctypes.c_void_p).value or 0

    def assembly(self) -> str:
        """Return the code as the processor's assembly language."""
        return compiled(self.source, [*_arguments(self.level), "-S"]).decode()


def assemble(module: Module, cache_after: float | None) -> Loaded:
    """Compile a module by the C compiler of this machine."""
    text = translated(module)
    arguments = _arguments(module.level)
    store = opened(cache_after)
    key = _key(text, arguments) if store else {}
    code = store.read(key) if store else None
    if code is not None:
        return Loaded(module, text, code, True)
    start = time.perf_counter()
    code = compiled(text, arguments)
    spent = time.perf_counter() - start
    made = Loaded(module, text, code, False)
    if store:
        store.write(key, code, spent)
    return made


def _arguments(level: Level) -> list[str]:
    """Return the compiler and its arguments, of which those in CC come last."""
    compiler, *rest = needed()
    speed = "-O3" if level == LOOPS else "-O1" if level.generator else "-O0"
    own = _PROCESSOR.get(platform.machine())
    return [compiler, speed, *([own] if own else []), *_EXACT, *_LIBRARY, *rest]


def _key(text: str, arguments: Sequence[str]) -> dict[str, str]:
    """Return what the code of a string depends on."""
    return {
        "backend": "c",
        "compiler": shlex.join(arguments),
        "processor": f"{sys.platform} {platform.machine()} {_told_of(tuple(arguments))}",
        "program": sha256(text.encode()).hexdigest(),
    }


@lru_cache(maxsize=8)
def _told_of(arguments: tuple[str, ...]) -> str:
    """Return a number for the compiler's version and the processor's instructions, both of which its macros tell."""
    return sha256(_run([*arguments, "-dM", "-E", "-x", "c", os.devnull], None)).hexdigest()


def compiled(text: str, arguments: Sequence[str]) -> bytes:
    """Return what the compiler makes of a string."""
    with tempfile.TemporaryDirectory(prefix="symgrad-") as folder:
        place = Path(folder)
        (place / "kernel.c").write_text(text, encoding="utf-8")
        _run([*arguments, "-o", "kernel.out", "kernel.c", "-lm"], folder)
        try:
            return (place / "kernel.out").read_bytes()
        except OSError as error:
            raise Unsuitable(f"the C compiler {arguments[0]} wrote nothing. Use backend='numpy'.") from error


def _run(words: Sequence[str], folder: str | None) -> bytes:
    """Run the compiler in a folder, and return what it writes."""
    quiet = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(words, cwd=folder, env=quiet, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise Unsuitable(f"the C compiler {words[0]} does not start: {error}. Use backend='numpy'.") from error
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip()[:_TOLD] or f"it ended with {done.returncode}"
        raise Failed(words[0], told)
    return done.stdout


def loaded(code: bytes) -> Any:
    """Return a shared library in memory; its file is gone once it is there, but on Windows, which holds on to it."""
    folder = tempfile.mkdtemp(prefix="symgrad-")
    try:
        place = os.path.join(folder, "kernel.so")
        Path(place).write_bytes(code)
        try:
            library = ctypes.CDLL(place)
        except OSError as error:
            raise Unsuitable(f"the compiled library cannot be loaded: {error}. Use backend='numpy'.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if os.name != "nt":
        weakref.finalize(library, _close, library._handle).atexit = False
    return library


def _close(handle: int) -> None:
    close = ctypes.CDLL(None).dlclose
    close.argtypes = [ctypes.c_void_p]
    close(handle)
