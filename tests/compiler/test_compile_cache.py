"""Machine code that is kept on disk: found by other processes, checked, bounded, and done without where need be."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import warnings
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad import _version
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.support import store

X = np.array([0.5, 1.5, 2.5])
posix = pytest.mark.skipif(os.name == "nt", reason="for systems with users and permissions, not installed here")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder for this test alone, of which nothing was said yet."""
    made = tmp_path / "below" / "kept here"
    monkeypatch.setenv(store.WHERE, str(made))
    monkeypatch.delenv(store.SIZE, raising=False)
    monkeypatch.setattr(store, "_said", set())
    return made


def entries(folder):
    return sorted(folder.glob("*.entry"))


# ------------------------------------------------------------------ processes
PROGRAM = """
import sys
import numpy as np, symgrad as sg
from symgrad.compiler.backends.llvm import machine
real, count = machine._compiled, []
machine._compiled = lambda *code: count.append(code) or real(*code)
f = sg.compile(sg.value_and_grad(lambda x, w: (sg.sin(x @ w) * sg.exp(x).sum(1)).sum() + w[0], (0, 1)), backend="llvm",
               cache=True)
loop = sg.compile(lambda x: sg.scan(lambda c, t: (c * t + TABLE[0], c), x[0], x)[1] + TABLE[:3], backend="llvm")
mixed = sg.compile(lambda a: sg.linalg.inv(a) @ (a + 1) + TABLE[:4].reshape(2, 2), backend="llvm")
TABLE = sg.tensor(np.arange(70.0) * float(sys.argv[1]))
x = np.linspace(0, 1, 6000).reshape(2000, 3)
found = [f(x, np.ones(3))[0], *loop(x[1]), *mixed(np.array([[2.0, 1.0], [0.5, 3.0]])).ravel(), f(x[:2], np.ones(3))[0]]
print(len(count), [float(y).hex() for y in found], sorted({f.stats.cached, loop.stats.cached, mixed.stats.cached}))
"""


def start(constant="1", **environment):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, constant],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def said(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    count, rest = out.split(" ", 1)
    return int(count), rest


def test_a_second_process_runs_the_code_of_the_first_and_has_its_numbers():
    pytest.importorskip("llvmlite")
    first, found = said(start(PYTHONHASHSEED="1"))
    second, again = said(start(PYTHONHASHSEED="2"))
    assert (first, second) == (4, 0)
    assert again == found.replace("False", "True")


def test_constants_are_those_of_the_process_and_not_of_the_code(tmp_path):
    pytest.importorskip("llvmlite")
    _, one = said(start("1"))
    count, two = said(start("2"))
    assert count == 0
    assert one.split()[2] != two.split()[2]
    anew, expected = said(start("2", **{store.WHERE: str(tmp_path / "another")}))
    assert anew == 4
    assert two == expected.replace("False", "True")


def test_processes_at_once_leave_whole_entries(folder):
    pytest.importorskip("llvmlite")
    found = [said(p) for p in [start(), start()]]
    assert len({values.split("]")[0] for _, values in found}) == 1
    assert said(start())[0] == 0
    assert not list(folder.glob("*.part"))


# ------------------------------------------------------------------ one process
@pytest.fixture
def compiled(monkeypatch):
    """Count what LLVM compiles."""
    pytest.importorskip("llvmlite")
    from symgrad.compiler.backends.llvm import machine

    real, count = machine._compiled, []
    monkeypatch.setattr(machine, "_compiled", lambda *code: count.append(code) or real(*code))
    return count


def run(n=3, **options):
    f = sg.compile(lambda x: sg.sin(x) * 2 + x[0], backend="llvm", **options)
    x = np.arange(float(n))
    np.testing.assert_allclose(f(x), np.sin(x) * 2)
    return f


def test_a_folder_that_is_named_turns_it_on_and_false_turns_it_off(compiled, folder, monkeypatch):
    run(cache=False)
    assert not folder.exists()
    assert not run().stats.cached
    assert run().stats.cached
    assert not run(cache=False).stats.cached
    assert len(compiled) == 3
    monkeypatch.delenv(store.WHERE)
    assert not run().stats.cached


def test_by_default_only_what_takes_long_to_compile_is_stored(compiled, folder, monkeypatch):
    monkeypatch.delenv(store.WHERE)
    monkeypatch.setattr(store, "_folder", lambda: folder)
    for seconds, count in ((1e9, 0), (1e-9, 1)):
        monkeypatch.setattr(store, "USUAL_SECONDS", seconds)
        run()
        assert len(entries(folder)) == count
    assert run().stats.cached
    assert len(compiled) == 2


@posix
def test_a_home_that_cannot_be_written_is_passed_over_in_silence_by_default(compiled, folder, monkeypatch):
    monkeypatch.delenv(store.WHERE)
    folder.parent.mkdir()
    folder.parent.joinpath("file").write_text("")
    monkeypatch.setattr(store, "_folder", lambda: folder.parent / "file" / "below")
    monkeypatch.setattr(store, "USUAL_SECONDS", 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run()
    with pytest.warns(UserWarning, match="nothing is stored in"):
        run(cache=True)


def test_no_bytes_for_entries_switch_it_off(compiled, folder, monkeypatch):
    monkeypatch.setenv(store.SIZE, "0")
    run(cache=True)
    assert not folder.exists()


def test_derivatives_of_a_compiled_function_are_kept_like_it(compiled):
    for _ in range(2):
        x = sg.tensor(X, requires_grad=True)
        sg.compile(lambda x: (x**3).sum(), backend="llvm", cache=True)(x).backward()
        np.testing.assert_allclose(x.grad.numpy(), 3 * X**2)
    assert len(compiled) == 2


DAMAGE = {
    "empty": lambda data: b"",
    "cut": lambda data: data[:-1],
    "cut in the head": lambda data: data[:20],
    "longer": lambda data: data + b"\0",
    "a bit of the code": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "another format": lambda data: data.replace(b"symgrad cache 1", b"symgrad cache 0", 1),
    "a pickle": lambda data: b"cos\nsystem\n(S'exit 1'\ntR.",
    "no text": lambda data: b"\xff\xfe" * 40 + b"\n" + data,
    "code of another program": lambda data: data.partition(b"\n")[0] + b"\n" + b"\x90" * 64,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_compiled_anew_and_replaced(damage, compiled, folder):
    run()
    (entry,) = entries(folder)
    good = entry.read_bytes()
    entry.write_bytes(DAMAGE[damage](good))
    assert not run().stats.cached
    assert len(compiled) == 2
    assert entry.read_bytes() == good
    assert run().stats.cached


@posix
@pytest.mark.parametrize("what", ["a pipe", "a folder", "more than all entries may have"])
def test_an_entry_that_is_no_file_is_passed_by_without_waiting(what, compiled, folder):
    run()
    (entry,) = entries(folder)
    entry.unlink()
    if what == "a pipe":
        os.mkfifo(entry)
    elif what == "a folder":
        entry.mkdir()
    else:
        with entry.open("wb") as file:
            file.truncate(2**40)
    assert not run().stats.cached
    assert len(compiled) == 2
    assert run().stats.cached == (what != "a folder")


def test_an_entry_under_the_name_of_another_is_not_taken(compiled, folder):
    run(3)
    (first,) = entries(folder)
    run(4)
    (second,) = set(entries(folder)) - {first}
    second.write_bytes(first.read_bytes())
    assert not run(4).stats.cached
    assert len(compiled) == 3


def test_entries_of_another_version_are_not_taken(compiled, monkeypatch):
    run()
    monkeypatch.setattr(_version, "__version__", "0.0.1")
    assert not run().stats.cached


OTHERS = {
    "a processor's name": lambda machine: ("_host", partial(tuple, ("another", machine._host()[1]))),
    "its instructions": lambda machine: ("_host", partial(tuple, (machine._host()[0], "+another"))),
    "a named processor": lambda machine: ("_processor", lambda: ("x86-64-v2", "")),
    "llvmlite": lambda machine: ("llvmlite.__version__", "0"),
    "LLVM": lambda machine: ("llvm.llvm_version_info", (1, 2, 3)),
    "a system": lambda machine: ("llvm.get_process_triple", lambda: "another-system"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_the_key_of_machine_code_has_all_that_it_depends_on(other, compiled, monkeypatch):
    from symgrad.compiler.backends.llvm import machine

    run()
    ((source, level),) = compiled
    key = machine._key(source, level)
    assert machine._key(source + "\n", level) != key
    for other_level in (level._replace(passes=9), level._replace(generator=9)):
        assert machine._key(source, other_level) != key
    name, value = OTHERS[other](machine)
    monkeypatch.setattr(f"{machine.__name__}.{name}", value)
    assert machine._key(source, level) != key
    assert key["backend"] == "llvm"


def test_an_entry_says_what_it_is_of_in_json(compiled, folder):
    run()
    head, _, code = entries(folder)[0].read_bytes().partition(b"\n")
    told = json.loads(head.removeprefix(b"symgrad cache 1 "))
    assert told["sha256"] == sha256(code).hexdigest()
    assert told["key"]["symgrad"] == sg.__version__
    assert told["key"]["backend"] == "llvm"
    assert told["bytes"] == len(code)


# ------------------------------------------------------------------ the folder
@posix
def test_folder_and_entries_are_for_this_user_alone(compiled, folder):
    run()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(e.stat().st_mode) for e in entries(folder)] == [0o600]


@posix
@pytest.mark.parametrize("what", ["others may write", "of another user", "a file", 0o620, 0o602])
def test_what_others_could_have_written_is_not_run(what, compiled, folder, monkeypatch):
    run()
    if what == "others may write":
        folder.chmod(0o777)
    elif what == "of another user":
        monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    elif what == "a file":
        entries(folder)[0].unlink()
        folder.rmdir()
        folder.write_text("")
    else:
        entries(folder)[0].chmod(what)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(3):
            found = run().stats.cached
    if isinstance(what, int):  # an entry that others may write to
        assert found
        assert not said
        assert len(compiled) == 2
    else:
        assert not found
        assert len(said) == 1
        assert "nothing is stored in" in str(said[0].message)
        assert store.WHERE in str(said[0].message)


def test_a_folder_that_cannot_be_made_or_written_is_said_once(compiled, folder, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.tempfile, "mkstemp", full)
    with pytest.warns(UserWarning, match="No space left on device"):
        run()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run()
    folder.rmdir()
    folder.parent.joinpath("file").write_text("")
    monkeypatch.setenv(store.WHERE, str(folder.parent / "file" / "below"))
    with pytest.warns(UserWarning, match="nothing is stored in"):
        run()


def test_an_entry_that_another_process_wrote_meanwhile_is_as_good(folder, monkeypatch):
    folder.mkdir(mode=0o700, parents=True)
    kept, key = store.Store(folder, 4000), {"program": "1"}

    def taken(made, place):
        Path(place).write_bytes(b"another's")
        raise PermissionError(13, "in use")  # as on Windows

    monkeypatch.setattr(store.os, "replace", taken)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept.write(key, b"mine")
    assert not list(folder.glob("*.part"))


def test_what_was_not_used_for_longest_is_removed_first(folder, monkeypatch):
    kept = store.Store(folder, 4000)
    folder.mkdir(mode=0o700, parents=True)
    names = [{"program": str(k)} for k in range(5)]
    for k, key in enumerate(names[:3]):
        kept.write(key, bytes(1000))
        os.utime(kept._place(key), (k, k))
    assert kept.read(names[0]) == bytes(1000)  # used: now the last to go
    kept.write(names[3], bytes(1000))
    assert [kept.read(key) is not None for key in names] == [True, False, True, True, False]
    kept.write(names[4], bytes(5000))
    assert kept.read(names[4]) is None
    assert len(entries(folder)) == 3  # what is too large removes nothing
    assert sum(e.stat().st_size for e in entries(folder)) <= 4000
    kept.most = sum(e.stat().st_size for e in entries(folder))  # as much as there may be
    kept._shorten()
    assert len(entries(folder)) == 3


def test_what_a_process_left_unfinished_is_removed_when_it_is_old(folder):
    folder.mkdir(mode=0o700, parents=True)
    kept = store.Store(folder, 4000)
    for name, seconds in (("old.part", 1), ("new.part", None)):
        (folder / name).write_bytes(b"x")
        if seconds:
            os.utime(folder / name, (seconds, seconds))
    kept.write({"program": "1"}, b"x")
    assert [p.name for p in folder.glob("*.part")] == ["new.part"]


SIZES = {"5000": 5000, "64k": 64 * 1024, " 3 M": None, "2M": 2 * 1024**2, "1G": 1024**3, "0": 0, "": store.USUAL}


@pytest.mark.parametrize("text", [*SIZES, "-1", "many", "1.5G", "M"])
def test_the_size_is_a_number_of_bytes(text, monkeypatch):
    monkeypatch.setenv(store.SIZE, text)
    if SIZES.get(text) is not None:
        assert store._most() == SIZES[text]
    else:
        with pytest.raises(ArgumentError, match=r"SYMGRAD_CACHE_SIZE=.*256M"):
            store._most()


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/symgrad"),
        ("linux", {"XDG_CACHE_HOME": "relative", "HOME": "/home/me"}, "/home/me/.cache/symgrad"),
        ("darwin", {"HOME": "/home/me"}, "/home/me/Library/Caches/symgrad"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/symgrad/cache"),
        ("linux", {store.WHERE: "~/mine", "HOME": "/home/me"}, "/home/me/mine"),
    ],
)
@posix
def test_the_usual_place_is_that_of_the_system(platform, environment, expected, monkeypatch):
    for name in (store.WHERE, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(store.sys, "platform", platform)
    assert store._folder().as_posix() == expected


def test_cache_is_true_or_false():
    with pytest.raises(ArgumentTypeError, match="SYMGRAD_CACHE_DIR"):
        sg.compile(lambda x: x, cache="folder")
