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
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.backends.llvm.module import Assemble, Level, Module
from symgrad.support import forks, threads

# Fields of the pool, each on a cache line of its own: 8 numbers of 64 bits.
_FIELDS = (
    "busy", "function", "context", "count", "next", "open", "inside", "asleep", "limit", "post", "wait", "yield", "sem",
)  # fmt: skip
_LINE = 8
_SPINS = 4000  # looks at the pool before a worker sleeps: some 50 µs, about what it takes to wake one
_PAUSE = {"x86_64": "@llvm.x86.sse2.pause()", "aarch64": "@llvm.aarch64.hint(i32 1)"}


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


def pool(assemble: Assemble, cached: bool) -> Pool:
    """Return the pool of this process, without workers yet; ``cached``: its machine code may be kept on disk."""
    with _lock:
        if not _made:
            _made.append(_Pool(assemble, cached))
            forks.in_children(_made[0].renew)
        return Pool(_made[0].address, _made[0].machine.address("share"), _made[0].start)


class _Pool:
    def __init__(self, assemble: Assemble, cached: bool) -> None:
        self.machine = assemble(Module(_ir(), Level(2, 2), ()), cached)
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
def _ir() -> str:
    """The functions ``share(pool, function, context, count)`` and ``work(pool, place)``."""
    declared = f"declare void {_PAUSE[platform.machine()].replace('(i32 1)', '(i32)')}\n"
    share = [_fields(), _POST, _taking("close"), _CLOSE, _watching(["close", "tired"], "inside", 0, "free"), _FREE]
    work = [_fields(), "  br label %watch\n", _watching(["entry", "leave", "slept"], "open", 1, "enter"), _ENTER]
    work += [_taking("leave"), _LEAVE]
    return (
        f"{declared}define void @share(ptr %pool, ptr %f, ptr %c, i64 %n) {{\nentry:\n{''.join(share)}}}\n"
        f"define void @work(ptr %pool, i64 %place) {{\nentry:\n{''.join(work)}}}\n"
    )


def _fields() -> str:
    lines = [f"  %{name} = getelementptr i64, ptr %pool, i64 {_LINE * k}\n" for k, name in enumerate(_FIELDS)]
    return "".join(lines)


def _taking(after: str) -> str:
    """Run chunks as long as there are some, then go on."""
    return f"""take:
  %k = atomicrmw add ptr %next, i64 1 seq_cst
  %more = icmp slt i64 %k, %n
  br i1 %more, label %run, label %{after}
run:
  call void %f(ptr %c, i64 %k)
  br label %take
"""


def _watching(before: list[str], field: str, wanted: int, then: str) -> str:
    """Look at a field until it has this value; after many looks go to ``tired``, which comes back or not."""
    begun = ", ".join(f"[0, %{label}]" for label in before)
    return f"""watch:
  %looks = phi i64 {begun}, [%looks.next, %idle]
  %seen = load atomic i64, ptr %{field} seq_cst, align 8
  %there = icmp eq i64 %seen, {wanted}
  br i1 %there, label %{then}, label %more.looks
more.looks:
  %often = icmp sgt i64 %looks, {_SPINS}
  br i1 %often, label %tired, label %idle
idle:
  call void {_PAUSE[platform.machine()]}
  %looks.next = add i64 %looks, 1
  br label %watch
"""


# share: the caller posts its job and wakes who sleeps, or finds that there is one thread, or a job already
_POST = """  %most = load atomic i64, ptr %limit monotonic, align 8
  %several = icmp sgt i64 %most, 1
  br i1 %several, label %try, label %alone
try:
  %got = cmpxchg ptr %busy, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue { i64, i1 } %got, 1
  br i1 %mine, label %posted, label %alone
posted:
  store ptr %f, ptr %function
  store ptr %c, ptr %context
  store i64 %n, ptr %count
  store atomic i64 0, ptr %next seq_cst, align 8
  store atomic i64 1, ptr %open seq_cst, align 8
  %sleepers = atomicrmw xchg ptr %asleep, i64 0 seq_cst
  %wake = load ptr, ptr %post
  br label %waking
waking:
  %left = phi i64 [%sleepers, %posted], [%left.next, %woken]
  %some = icmp sgt i64 %left, 0
  br i1 %some, label %woken, label %take
woken:
  call i32 %wake(ptr %sem)
  %left.next = sub i64 %left, 1
  br label %waking
"""
_CLOSE = """close:
  store atomic i64 0, ptr %open seq_cst, align 8
  %give.way = load ptr, ptr %yield
  br label %watch
"""
_FREE = """tired:
  call i32 %give.way()
  br label %watch
free:
  store atomic i64 0, ptr %busy seq_cst, align 8
  ret void
alone:
  %i = phi i64 [0, %entry], [0, %try], [%i.next, %alone.run]
  %rest = icmp slt i64 %i, %n
  br i1 %rest, label %alone.run, label %end
alone.run:
  call void %f(ptr %c, i64 %i)
  %i.next = add i64 %i, 1
  br label %alone
end:
  ret void
"""

# work: a worker sleeps when it has looked in vain, and leaves the job that it was in before it looks for the next
_ENTER = """tired:
  atomicrmw add ptr %asleep, i64 1 seq_cst
  %sleep = load ptr, ptr %wait
  call i32 %sleep(ptr %sem)
  br label %slept
slept:
  %most = load atomic i64, ptr %limit monotonic, align 8
  %wanted = icmp slt i64 %place, %most
  br i1 %wanted, label %watch, label %end
enter:
  atomicrmw add ptr %inside, i64 1 seq_cst
  %still = load atomic i64, ptr %open seq_cst, align 8
  %is.still = icmp eq i64 %still, 1
  br i1 %is.still, label %job, label %leave
job:
  %f = load ptr, ptr %function
  %c = load ptr, ptr %context
  %n = load i64, ptr %count
  br label %take
"""
_LEAVE = """leave:
  atomicrmw sub ptr %inside, i64 1 seq_cst
  br label %watch
end:
  ret void
"""
