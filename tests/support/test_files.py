"""Files are written whole or stay as they were."""

import os
import stat
from pathlib import Path

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError
from symgrad.support import files
from symgrad.support.files import replace_files


def export(path, target="c"):
    return sg.export(lambda x: 2 * x, shapes=[(2,)], target=target, name="f", path=path)


def report(path):
    return sg.report(lambda x: x * x, at=2.0, path=path)


@pytest.fixture(params=["without a name", "with a name"], autouse=True)
def beside(request, monkeypatch):
    """What lies beside a file until it is whole has no name where the system can, and a name elsewhere."""
    if request.param == "with a name":
        monkeypatch.setattr(files, "_UNNAMED", 0)
    elif not files._UNNAMED:
        pytest.skip("needs files without a name")


@pytest.mark.parametrize("write", [export, report])
@pytest.mark.parametrize("step", ["os.replace", "os.fsync", "os.chmod"])
def test_a_failure_leaves_the_old_file_and_nothing_else(write, step, tmp_path, monkeypatch):
    path = tmp_path / "f.c"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as m:
        m.setattr(step, full)
        with pytest.raises(OSError, match="No space"):
            write(path)
    assert [p.name for p in tmp_path.iterdir()] == ["f.c"]
    assert path.read_text() == "old"


def test_no_file_is_touched_until_all_are_written(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(FileNotFoundError):
        replace_files({tmp_path / "a": "new", tmp_path / "missing" / "b": "new"})
    assert (tmp_path / "a").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("write", [export, report])
def test_links_and_permissions_stay(write, tmp_path):
    path, link = tmp_path / "f.c", tmp_path / "link.c"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write(link)
    assert link.is_symlink()
    assert path.read_text() != "old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_that_may_not_be_written_stays(tmp_path, monkeypatch):
    path = tmp_path / "f.c"
    path.write_text("old")
    monkeypatch.setattr(files.os, "access", lambda place, how: how != os.W_OK)
    with pytest.raises(PermissionError) as caught:
        export(path)
    assert caught.value.filename == str(path)
    assert [p.name for p in tmp_path.iterdir()] == ["f.c"]
    assert path.read_text() == "old"


def test_an_error_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def write(data):
        with files.replaced(path) as file:
            file.write(b"new")
            file.write(data)

    with pytest.raises(TypeError):
        write("text")
    assert [p.name for p in tmp_path.iterdir()] == ["f"]
    assert path.read_bytes() == b"old"
    with files.replaced(path) as file:
        file.write(b"ne")
        file.write(b"w")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("")
    export(tmp_path / "f.py", "numpy")
    assert (tmp_path / "f.py").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_header_that_is_not_ours_is_not_replaced(tmp_path):
    header = tmp_path / "f.h"
    header.write_text("int mine;")
    with pytest.raises(ArgumentError, match=r"f\.h, which belongs to f\.c, exists and was not written by symgrad"):
        export(tmp_path / "f.c")
    assert [p.name for p in tmp_path.iterdir()] == ["f.h"]
    with pytest.raises(ArgumentError, match="the name of the file next to the source"):
        export(tmp_path / "g.h")
    header.unlink()
    export(tmp_path / "f.c")
    export(tmp_path / "f.c")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f.c", "f.h"]


def test_a_report_says_that_it_replaced_a_file(tmp_path):
    assert not report(tmp_path / "r.html").replaced
    found = report(tmp_path / "r.html")
    assert found.replaced
    assert repr(found).endswith("r.html, in place of an older file>")


@pytest.mark.parametrize("write", [export, report])
def test_a_missing_folder_is_named(write, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / "missing" / "f.c")
    assert caught.value.filename == str(tmp_path / "missing" / "f.c")


@pytest.mark.skipif(not Path(os.devnull).exists(), reason="needs devices")
def test_a_device_is_written_to():
    export(os.devnull, "numpy")
    assert not Path(os.devnull).is_file()
