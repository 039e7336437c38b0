"""Progress: seen after a second on a terminal or in a notebook, never where output is piped; what tells of itself."""

import io
import sys
import types

import numpy as np
import pytest

import symgrad as sg
from symgrad.support import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def works(monkeypatch):
    """All work that was told of, with whether it was to be shown."""
    found = []

    class Kept(progress.Work):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            found.append(self)

    monkeypatch.setattr(progress, "Work", Kept)
    return found


def test_line_shows_after_a_second_and_is_gone_at_the_end():
    clock, stream = Clock(), Terminal()
    work = progress.Work("minimize", 10, clock, lambda w: progress._Line(w, stream))
    clock.now = 0.9
    work.step("f = 1")
    work.look()
    assert stream.getvalue() == ""
    clock.now = 2.0
    work.step("f = 0.5")
    work.look()
    assert stream.getvalue() == "\r\x1b[Kminimize ... 2 of 10, 2 s, f = 0.5"
    work.close()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_line_of_work_without_steps_tells_the_time():
    clock = Clock()
    work = progress.Work("explain", None, clock)
    clock.now = 3.2
    assert str(work) == "explain ... 3 s"


def test_bar_is_tqdms_where_it_is_installed():
    pytest.importorskip("tqdm")
    clock, stream = Clock(), Terminal()
    work = progress.Work("report", 6, clock, lambda w: progress._Bar(w, stream))
    work.step("Graph", 3)
    clock.now = 2.0
    work.look()
    assert "report:  50%" in stream.getvalue()
    assert "3/6" in stream.getvalue()
    assert "Graph" in stream.getvalue()
    work.close()


def notebook():
    return types.SimpleNamespace(get_ipython=type("ZMQInteractiveShell", (), {}))


def test_only_terminals_and_notebooks_are_watched(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert progress.is_watched(Terminal())
    assert not progress.is_watched(io.StringIO())
    assert not progress.is_watched(None)
    monkeypatch.setitem(sys.modules, "IPython", notebook())
    assert progress.is_watched(io.StringIO())
    monkeypatch.setenv("SYMGRAD_PROGRESS", "0")
    assert not progress.is_watched(io.StringIO())
    assert not progress.is_watched(Terminal())


def test_inner_work_and_quiet_work_show_nothing(monkeypatch):
    monkeypatch.setattr(progress, "is_watched", lambda stream: True)
    with progress.long_work("outer") as outer, progress.long_work("inner") as inner:
        pass
    with progress.long_work("quiet", shown=False) as quiet:
        pass
    assert outer._shown is not None
    assert inner._shown is None
    assert quiet._shown is None


def square(x):
    return (x**2).sum()


LONG = {
    "crosscheck": (lambda **o: sg.testing.crosscheck(square, np.ones(2), **o), 1),
    "explain": (lambda **o: sg.explain(lambda x: x**2, **o), 0),
    "report": (lambda **o: sg.report(lambda x: x**2, at=1.0, path=None, **o), 6),
    "minimize": (lambda **o: sg.optim.minimize(square, np.ones(2), **o), 2),
    "least_squares": (lambda **o: sg.optim.least_squares(lambda x: x - 1, np.zeros(2), **o), 2),
    "root": (lambda **o: sg.optim.root(lambda x: x - 1, np.zeros(2), **o), 2),
    "sparse_hessian": (lambda **o: sg.sparse_hessian(square, **o)(np.ones(2)), 0),
    "sparse_jacobian": (lambda **o: sg.sparse_jacobian(lambda x: x * x, **o)(np.ones(2)), 0),
}


@pytest.mark.parametrize("name", LONG)
def test_long_work_counts_its_steps_and_can_be_quiet(name, works, monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.setattr(progress, "is_watched", lambda stream: True)
    call, least = LONG[name]
    call()
    assert works[0].what == name
    assert works[0].done >= least
    assert works[0]._shown is not None
    works.clear()
    call(progress=False)
    assert all(work._shown is None for work in works if work.what == name)
