"""Threads that share the chunks of a loop, in machine code: Python's lock plays no part.

The caller posts a job (a function, its context, a number of chunks), takes chunks itself, and returns when no worker is
in the job any more. Workers look for the next job for a while, then sleep. One job at a time: a caller that finds the
pool busy runs its chunks alone. Which thread runs a chunk changes nothing about what the chunk computes.
"""

from __future__ import annotations

import ctypes
import platform
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.backends.llvm.instructions import Function, Parameter, Recorder, pointers
from symgrad.compiler.backends.llvm.module import Assemble, Level, Module
from symgrad.support import forks, threads

# Fields of the pool, each on a cache line of its own: 8 numbers of 64 bits.
_FIELDS = (
    "busy", "function", "context", "count", "next", "open", "inside", "asleep", "limit", "post", "wait", "yield", "sem",
)  # fmt: skip
_LINE = 8
_SPINS = 4000  # looks at the pool before a worker sleeps: some 50 µs, about what it takes to wake one
_PAUSE: dict[str, Any] = {
    "x86_64": ("@llvm.x86.sse2.pause",),
    "aarch64": ("@llvm.aarch64.hint", ("i32", "1")),
}  # the callee, and its arguments


class Pool(NamedTuple):
    """Addresses for machine code: of the pool, and of the function that shares a job; and what starts the workers."""

    memory: int
    share: int
    start: Callable[[], None]


def available() -> bool:
    """Whether there are threads: with the semaphores of Linux."""
    return sys.platform == "linux" and platform.machine() in _PAUSE


_lock = forks.Lock()
_made: list[_Pool] = []


def pool(assemble: Assemble, cache_after: float | None) -> Pool:
    """Return the pool of this process, without workers yet; ``cache_after`` is that of its machine code."""
    with _lock:
        if not _made:
            _made.append(_Pool(assemble, cache_after))
            forks.in_children(_made[0].renew)
        return Pool(_made[0].address, _made[0].machine.address("share"), _made[0].start)


class _Pool:
    def __init__(self, assemble: Assemble, cache_after: float | None) -> None:
        self.machine = assemble(Module(_functions(), Level(2, 2)), cache_after)
        self.memory = np.zeros(_LINE * (len(_FIELDS) + 1), np.int64)
        self.address = int(self.memory.ctypes.data)
        self.libc = ctypes.CDLL(None)
        self.work: Callable[[int, int], None] = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(
            self.machine.address("work")
        )
        self.workers: dict[int, Any] = {}
        self.started = False
        self.renew()

    def start(self) -> None:
        """Have as many workers as there shall be threads, now and whenever that number changes."""
        with _lock:
            if not self.started:
                self.started = True
                threads.when_changed(self.resize)

    def renew(self) -> None:
        """Begin anew, without workers: at first, and in a forked child, which has none of its parent's threads."""
        limit = self._field("limit")[0]
        self.memory[:] = 0
        self._field("limit")[0] = limit
        for name, function in (("post", "sem_post"), ("wait", "sem_wait"), ("yield", "sched_yield")):
            self._field(name)[0] = ctypes.cast(getattr(self.libc, function), ctypes.c_void_p).value
        self.libc.sem_init(ctypes.c_void_p(self._field("sem").ctypes.data), 0, 0)
        self.workers = {}

    def resize(self, number: int) -> None:
        """Have a worker at each place below the number; those at others end when they wake."""
        self._field("limit")[0] = number
        for place in range(1, number):
            if place in self.workers and self.workers[place].is_alive():
                continue
            worker = threading.Thread(target=self.work, args=(self.address, place), daemon=True, name="symgrad")
            self.workers[place] = worker
            worker.start()

    def _field(self, name: str) -> Any:
        start = _LINE * _FIELDS.index(name)
        return self.memory[start : start + _LINE]


# ------------------------------------------------------------------ the code
def _functions() -> list[Function]:
    """The functions ``share(pool, function, context, count)`` and ``work(pool, place)``."""
    share, work = _Code(), _Code()
    share.post()
    share.take("close")
    share.close()
    share.watch(["close", "tired"], "inside", 0, "free")
    share.free()
    work.go("watch")
    work.watch(["entry", "leave", "slept"], "open", 1, "enter")
    work.enter()
    work.take("leave")
    work.leave()
    count = Parameter("i64", "%n")
    return [
        share.function("share", [*pointers(["%pool", "%f", "%c"]), count], internal=False),
        work.function("work", [*pointers(["%pool"]), Parameter("i64", "%place")], internal=False),
    ]


class _Code(Recorder):
    def __init__(self) -> None:
        super().__init__(label="entry")
        for k, name in enumerate(_FIELDS):
            self.place("i64", "%pool", _LINE * k, name=f"%{name}")

    def read(self, field: str, name: str, order: str = "seq_cst") -> None:
        """Append the reading of a field that others write."""
        self.set("load", "i64", f"%{field}", flags=(order,), name=name)

    def write(self, value: int, field: str) -> None:
        """Append the writing of a field that others read."""
        self.set("store", "i64", str(value), f"%{field}", flags=("seq_cst",), name="")

    def change(self, how: str, field: str, by: int, name: str = "") -> None:
        """Append a change of a field that others change too."""
        self.set("atomicrmw", "i64", f"%{field}", str(by), flags=(how, "seq_cst"), name=name)

    def test(self, how: str, value: str, other: str | int, name: str) -> str:
        """Append a comparison of counts."""
        return self.set("icmp", "i64", value, str(other), flags=(how,), name=name)

    def step(self, how: str, value: str) -> None:
        """Append the next of a count."""
        self.set(how, "i64", value, "1", name=f"{value}.next")

    def take(self, after: str) -> None:
        """Run chunks as long as there are some, then go on."""
        self.label("take")
        self.change("add", "next", 1, "%k")
        self.branch(self.test("slt", "%k", "%n", "%more"), "run", after)
        self.label("run")
        self.call("void", "%f", ("ptr", "%c"), ("i64", "%k"))
        self.go("take")

    def watch(self, before: Sequence[str], field: str, wanted: int, then: str) -> None:
        """Look at a field until it has this value; after many looks go to ``tired``, which comes back or not."""
        begun = [x for label in before for x in ("0", label)]
        self.label("watch")
        self.phi("i64", *begun, "%looks.next", "idle", name="%looks")
        self.read(field, "%seen")
        self.branch(self.test("eq", "%seen", wanted, "%there"), then, "more.looks")
        self.label("more.looks")
        self.branch(self.test("sgt", "%looks", _SPINS, "%often"), "tired", "idle")
        self.label("idle")
        pause, *arguments = _PAUSE[platform.machine()]
        self.call("void", pause, *arguments)
        self.step("add", "%looks")
        self.go("watch")

    # share: the caller posts its job and wakes who sleeps, unless there is one thread, or a job already
    def post(self) -> None:
        """Post the job, and wake the workers that sleep."""
        self.read("limit", "%most", "monotonic")
        self.branch(self.test("sgt", "%most", 1, "%several"), "try", "alone")
        self.label("try")
        self.set("cmpxchg", "i64", "%busy", "0", "1", flags=("seq_cst", "seq_cst"), name="%got")
        self.branch(self.set("extractvalue", "i64", "%got", "1", name="%mine"), "posted", "alone")
        self.label("posted")
        self.store("ptr", "%f", "%function")
        self.store("ptr", "%c", "%context")
        self.store("i64", "%n", "%count")
        self.write(0, "next")
        self.write(1, "open")
        self.change("xchg", "asleep", 0, "%sleepers")
        self.load("ptr", "%post", name="%wake")
        self.go("waking")
        self.label("waking")
        self.phi("i64", "%sleepers", "posted", "%left.next", "woken", name="%left")
        self.branch(self.test("sgt", "%left", 0, "%some"), "woken", "take")
        self.label("woken")
        self.call("i32", "%wake", ("ptr", "%sem"), name="")
        self.step("sub", "%left")
        self.go("waking")

    def close(self) -> None:
        """Let no worker enter the job any more."""
        self.label("close")
        self.write(0, "open")
        self.load("ptr", "%yield", name="%give.way")
        self.go("watch")

    def free(self) -> None:
        """Let the next job come; where it cannot be shared, run all chunks here."""
        self.label("tired")
        self.call("i32", "%give.way", name="")
        self.go("watch")
        self.label("free")
        self.write(0, "busy")
        self.give()
        self.label("alone")
        self.phi("i64", "0", "entry", "0", "try", "%i.next", "alone.run", name="%i")
        self.branch(self.test("slt", "%i", "%n", "%rest"), "alone.run", "end")
        self.label("alone.run")
        self.call("void", "%f", ("ptr", "%c"), ("i64", "%i"))
        self.step("add", "%i")
        self.go("alone")
        self.label("end")
        self.give()

    # work: a worker sleeps when it has looked in vain, and leaves the job that it was in before it looks for the next
    def enter(self) -> None:
        """Sleep after many looks; else enter the job, if it is still open."""
        self.label("tired")
        self.change("add", "asleep", 1)
        self.load("ptr", "%wait", name="%sleep")
        self.call("i32", "%sleep", ("ptr", "%sem"), name="")
        self.go("slept")
        self.label("slept")
        self.read("limit", "%most", "monotonic")
        self.branch(self.test("slt", "%place", "%most", "%wanted"), "watch", "end")
        self.label("enter")
        self.change("add", "inside", 1)
        self.read("open", "%still")
        self.branch(self.test("eq", "%still", 1, "%is.still"), "job", "leave")
        self.label("job")
        for name, field, type in (("f", "function", "ptr"), ("c", "context", "ptr"), ("n", "count", "i64")):
            self.load(type, f"%{field}", name=f"%{name}")
        self.go("take")

    def leave(self) -> None:
        """Leave the job; a worker that is not wanted ends."""
        self.label("leave")
        self.change("sub", "inside", 1)
        self.go("watch")
        self.label("end")
        self.give()
