"""Files of ``sg.save``: what comes back, what is refused, and what a writer leaves behind."""

import io
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import tracemalloc
import zipfile

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError


@pytest.mark.parametrize("options", [
    {"weights_only": False}, {"weights_only": True}, {"map_location": sg.device("cpu")}, {"map_location": "cpu"},
], ids=str)  # fmt: skip
def test_arguments_of_pytorchs_load_are_accepted(tmp_path, options):
    sg.save({"epoch": 3, "w": sg.ones(2)}, tmp_path / "checkpoint.pt")
    checkpoint = sg.load(tmp_path / "checkpoint.pt", **options)
    assert checkpoint["epoch"] == 3
    assert checkpoint["w"].tolist() == [1.0, 1.0]


def test_a_file_is_not_loaded_to_another_processor(tmp_path):
    with pytest.raises(ArgumentError, match="got map_location='cuda'"):
        sg.load(tmp_path / "checkpoint.pt", map_location="cuda")


def test_a_file_gives_back_what_was_saved(tmp_path):
    model = sg.nn.Linear(2, 3)
    optimizer = sg.optim.Adam(model.parameters())
    model(sg.ones(1, 2)).sum().backward()
    optimizer.step()
    saved = {
        "model": model.state_dict(), "optimizer": optimizer.state_dict(), "p": model.weight,
        "plain": [True, 2, 1e-300, "ä", None, (np.arange(3, dtype=np.uint8), float("inf"))],
        "half": sg.tensor([1.5], dtype=sg.float16), "empty": sg.zeros(0, 2), "flags": sg.tensor([True, False]),
        "named": sg.tensor(2.0, requires_grad=True, name="x"), 3: {},
    }  # fmt: skip
    sg.save(saved, tmp_path / "all.zip")
    found = sg.load(tmp_path / "all.zip")
    assert list(found) == list(saved)
    assert found["plain"][:5] == saved["plain"][:5]
    assert found["plain"][5][0].dtype == np.uint8
    assert found["plain"][5][1] == float("inf")
    assert isinstance(found["p"], sg.nn.Parameter)
    assert found["named"].name == "x"
    assert found["named"].requires_grad
    assert found["half"].dtype == np.float16
    assert found["empty"].shape == (0, 2)
    other = sg.nn.Linear(2, 3)
    other.load_state_dict(found["model"])
    again = sg.optim.Adam(other.parameters())
    again.load_state_dict(found["optimizer"])
    assert str(again.state_dict()) == str(optimizer.state_dict())
    assert os.listdir(tmp_path) == ["all.zip"]


ARRAYS = {
    "by columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "transposed": np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1),
    "every second": np.arange(10)[::2],
    "big-endian": np.array([1.5, -2.5], ">f8"),
    "complex": np.array([[1 + 2j], [3 - 4j]], np.complex64),
    "a number": np.float32(0.1),
    "empty": np.zeros((3, 0, 2), np.int16),
    "text": np.array(["a", "ßß"]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_keep_their_values_dtypes_and_order(name):
    file, array = io.BytesIO(), ARRAYS[name]
    sg.save([array, array], file)
    for found in sg.load(file):
        np.testing.assert_array_equal(found, array, strict=True)
        assert found.flags.writeable
        if np.asarray(array).flags.forc:
            assert found.flags.f_contiguous == np.asarray(array).flags.f_contiguous


def test_tensors_come_back_as_what_they_were():
    fixed = sg.nn.Parameter(sg.ones(2), requires_grad=False)
    leaf = sg.tensor([1.0], requires_grad=True, name="w")
    file = io.BytesIO()
    sg.save([fixed, leaf, leaf * 2, sg.tensor([3])], file)
    found = sg.load(file)
    assert [type(x) for x in found] == [sg.nn.Parameter, sg.Tensor, sg.Tensor, sg.Tensor]
    assert [x.requires_grad for x in found] == [False, True, False, False]
    assert [x.name for x in found[1:]] == ["w", None, None]
    assert [x.is_leaf for x in found] == [True] * 4
    assert found[2].tolist() == [2.0]


def nested(depth):
    return [nested(depth - 1)] if depth else 5


def test_containers_are_at_most_100_deep():
    file = io.BytesIO()
    sg.save(nested(100), file)
    assert sg.load(file) == nested(100)
    endless = []
    endless.append(endless)
    for thing in (nested(101), endless, {"a": endless}):
        with pytest.raises(TypeError, match="nested more than 100 deep, or one contains itself"):
            sg.save(thing, io.BytesIO())


def test_a_file_may_be_an_open_one():
    file = io.BytesIO()
    sg.save([sg.ones(2)], file)
    file.seek(0)
    assert sg.load(file)[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "thing",
    [sg.nn.Linear(1, 1), len, {"a": [object()]}, np.array([None])],
    ids=["a model", "a function", "an object inside", "an array of objects"],
)
def test_what_cannot_be_saved_is_named_and_leaves_the_old_file(thing, tmp_path):
    path = tmp_path / "old.zip"
    sg.save(1, path)
    with pytest.raises(TypeError, match="save: "):
        sg.save(thing, path)
    assert sg.load(path) == 1
    assert os.listdir(tmp_path) == ["old.zip"]


PLACES = {"no folder": ("none/all.zip", "the folder .*none does not exist"), "a folder": (".", ".* is a folder")}


@pytest.mark.parametrize("case", PLACES)
def test_a_place_where_no_file_can_be_is_refused_by_its_name(case, tmp_path):
    name, message = PLACES[case]
    with pytest.raises(ValueError, match=f"save: {message}"):
        sg.save(1, tmp_path / name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("place", [None, 5, b"all.zip"])
def test_what_is_no_path_is_refused(place):
    with pytest.raises(TypeError, match="save: expected a path or an open file, got"):
        sg.save(1, place)
    with pytest.raises(TypeError, match="load: expected a path or an open file, got"):
        sg.load(place)


def test_a_model_is_saved_by_its_state():
    with pytest.raises(TypeError, match=r"Linear.*state_dict\(\)"):
        sg.save(sg.nn.Linear(1, 1), io.BytesIO())


def test_damaged_and_foreign_files_are_refused(tmp_path):
    path = tmp_path / "state.zip"
    sg.save({"w": sg.tensor(np.arange(100.0))}, path)
    whole = path.read_bytes()
    place = whole.index(np.float64(50.0).tobytes() + np.float64(51.0).tobytes())
    for damaged in (whole[:-30], whole[: len(whole) // 2], b"", b"hello", whole[:place] + b"\1" + whole[place + 1 :]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="damaged"):
            sg.load(path)
    for manifest, said in (
        ({}, "damaged"),
        ([], "damaged"),
        ({"kind": "other", "version": 1, "tree": {"value": 1}}, "of kind 'other'"),
        ({"kind": "symgrad", "version": 2, "tree": {"value": 1}}, "version 2. Expected 'symgrad', version 1"),
    ):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("manifest.json", json.dumps(manifest))
        with pytest.raises(ValueError, match=said):
            sg.load(path)
    with pytest.raises(FileNotFoundError):
        sg.load(tmp_path / "none.zip")


def packed(parts, tree, **options):
    """The bytes of a zip of these arrays and a manifest of this tree."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as archive:
        archive.writestr("manifest.json", json.dumps({"kind": "symgrad", "version": 1, "tree": tree}))
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def array_bytes(array, shape=None):
    """The bytes of an array as NumPy writes it, with another shape in its header."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    old, new = str(array.shape).encode(), str(shape or array.shape).encode()
    return buffer.getvalue().replace(old + b", }" + b" " * (len(new) - len(old)), new + b", }", 1)


ONE = {"array": 0}
NESTED, IN_DICTS, IN_TUPLES = ({"list": []} for _ in range(3))
for _ in range(101):
    NESTED, IN_TUPLES = {"list": [NESTED]}, {"tuple": [IN_TUPLES]}
    IN_DICTS = {"dict": [[{"value": 1}, IN_DICTS]]}
HOSTILE = {
    "a bomb": packed({"0.npy": array_bytes(np.zeros(10**6))}, ONE, compression=zipfile.ZIP_DEFLATED),
    "one array named 400 times": packed({"0.npy": array_bytes(np.zeros(100))}, {"list": [ONE] * 400}),
    "a shape of more bytes": packed({"0.npy": array_bytes(np.zeros(10), (10**12,))}, ONE),
    "a negative shape": packed({"0.npy": array_bytes(np.zeros(10), (-10,))}, ONE),
    "nested": packed({}, NESTED),
    "nested dicts": packed({}, IN_DICTS),
    "nested tuples": packed({}, IN_TUPLES),
    "nested too deep for JSON": packed({}, None).replace(b"null", b"[" * 4),
    "a list for a value": packed({}, {"value": [1]}),
    "a float out of range": packed({}, {"float": "0x1p99999"}),
    "text for a list": packed({}, {"list": 5}),
    "text for a tree": packed({}, "array"),
    "a list as a key": packed({}, {"dict": [[{"list": []}, {"value": 1}]]}),
    "a gradient of integers": packed(
        {"0.npy": array_bytes(np.zeros(3, int))}, {**ONE, "parameter": False, "requires_grad": True}
    ),
    "a number for a name": packed(
        {"0.npy": array_bytes(np.zeros(3))}, {**ONE, "parameter": False, "requires_grad": True, "name": 5}
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_files_that_nobody_saved_are_refused_before_they_take_memory(case):
    tracemalloc.start()
    try:
        with pytest.raises(ArgumentError, match=r"load: the file is damaged, or was not written by sg\.save"):
            sg.load(io.BytesIO(HOSTILE[case]))
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [list, tuple, dict])
def test_containers_are_saved_100_deep(kind):
    thing = deeper = 5
    for _ in range(101):
        thing, deeper = deeper, {7: deeper} if kind is dict else kind([deeper])
    file = io.BytesIO()
    with pytest.raises(TypeError, match="more than 100 deep"):
        sg.save(deeper, io.BytesIO())
    sg.save(thing, file)
    assert sg.load(file) == thing


def test_arrays_with_headers_of_the_second_version_are_read():
    data = io.BytesIO()
    np.lib.format.write_array(data, np.arange(6.0).reshape(2, 3), version=(2, 0))
    tree = {**ONE, "parameter": False, "requires_grad": False}
    assert sg.load(io.BytesIO(packed({"0.npy": data.getvalue()}, tree))).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_parts_that_share_their_bytes_are_refused():
    whole = bytearray(packed({"0.npy": array_bytes(np.zeros(1000))}, ONE))
    directory = whole.rindex(b"PK\1\2")
    entry, end = bytes(whole[directory : whole.rindex(b"PK\5\6")]), bytearray(whole[whole.rindex(b"PK\5\6") :])
    entries = b"".join(entry.replace(b"0.npy", f"{k}.npy".encode()) for k in range(1, 10))
    count, size = (int.from_bytes(end[a:b], "little") for a, b in ((10, 12), (12, 16)))
    end[8:12] = (count + 9).to_bytes(2, "little") * 2
    end[12:16] = (size + len(entries)).to_bytes(4, "little")
    with pytest.raises(ArgumentError, match=r"its parts claim \d+ bytes, and the file has"):
        sg.load(io.BytesIO(bytes(whole[: whole.rindex(b"PK\5\6")]) + entries + end))


def test_every_damage_is_one_error_or_changes_nothing():
    rng, file = np.random.default_rng(26), io.BytesIO()
    saved = {"w": sg.tensor([1.5, -2.0], requires_grad=True, name="w"), "n": [np.arange(4), 0.1, None, "ä"], 3: (True,)}
    sg.save(saved, file)
    whole, messages = file.getvalue(), []
    for k in range(600):
        damaged = bytearray(whole)
        for place in rng.integers(len(whole), size=rng.integers(1, 4)):
            damaged[place] ^= 1 << int(rng.integers(8))
        start, stop = sorted(rng.integers(len(whole) + 1, size=2))
        damaged = (damaged, damaged[:stop], whole[:start] + whole[stop:])[k % 3]
        try:
            found = sg.load(io.BytesIO(bytes(damaged)))
        except ArgumentError as error:
            messages.append(str(error))
        else:
            assert str(found) == str(saved)
    assert len(messages) > 400
    assert all("the file is damaged, or was not written by sg.save" in m or "is of kind" in m for m in messages)


def test_the_most_bytes_are_checked_before_reading(tmp_path):
    path = tmp_path / "state.zip"
    sg.save({"w": np.zeros(1000)}, path)
    with pytest.raises(ArgumentError, match=r"state\.zip holds 8\d\d\d bytes\. Expected at most max_bytes=8000"):
        sg.load(path, max_bytes=8000)
    with zipfile.ZipFile(path) as archive:
        size = sum(part.file_size for part in archive.infolist())
    assert sg.load(path, max_bytes=size)["w"].shape == (1000,)
    with pytest.raises(ArgumentError, match=rf"holds {size} bytes\. Expected at most max_bytes={size - 1}"):
        sg.load(path, max_bytes=size - 1)
    with pytest.raises(TypeError, match=r"max_bytes=1\.5"):
        sg.load(path, max_bytes=1.5)


def test_links_pipes_and_permissions_stay(tmp_path):
    path, link, pipe = tmp_path / "state.zip", tmp_path / "link.zip", tmp_path / "pipe"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    sg.save([1, 2], link)
    assert link.is_symlink()
    assert sg.load(path) == [1, 2]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    sg.save([1, 2], pipe)
    reader.join(20)
    assert sg.load(io.BytesIO(received[0])) == [1, 2]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(ArgumentError, match="pipe is not a file"):
        sg.load(pipe)


def test_a_writer_that_is_killed_leaves_no_file(tmp_path):
    if not unnamed_files(tmp_path):
        pytest.skip("needs a file system whose files may have no name")
    sg.save(1, tmp_path / "state.zip")
    code = f"""
import os, signal
import numpy as np
import symgrad as sg
os.fsync = lambda number: os.kill(os.getpid(), signal.SIGKILL)
sg.save(np.zeros(10_000), {str(tmp_path / "state.zip")!r})
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == ["state.zip"]
    assert sg.load(tmp_path / "state.zip") == 1


def unnamed_files(folder):
    """Whether files in a folder may be without a name until they are written."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except (AttributeError, OSError):
        return False
    return True


@pytest.mark.parametrize("what", ["save", "load"])
def test_files_open_for_text_are_refused(what):
    with pytest.raises(TypeError, match=rf"{what}: the file is open for text\. Open it for bytes"):
        sg.save(1, io.StringIO()) if what == "save" else sg.load(io.StringIO())


def test_a_file_that_holds_pickles_is_not_unpickled(tmp_path):
    path = tmp_path / "evil.zip"
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"kind": "symgrad", "version": 1, "tree": {"array": 0}}))
        archive.writestr("0.npy", buffer.getvalue())
    with pytest.raises(ValueError, match="damaged"):
        sg.load(path)


def test_arrays_of_texts_without_letters_are_refused(tmp_path):
    """They have no bytes in the file, and many when they are read."""
    path, damaged = tmp_path / "state.zip", tmp_path / "damaged.zip"
    sg.save({"w": np.ones(3)}, path)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<U0", "fortran_order": False, "shape": (300_000_000,)})
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(damaged, "w") as other:
        for part in archive.namelist():
            other.writestr(part, header.getvalue() if part.endswith(".npy") else archive.read(part))
    with pytest.raises(ArgumentError, match="damaged"):
        sg.load(damaged, max_bytes=1000)


def test_large_integers_and_keys_of_numpys_come_back():
    file = io.BytesIO()
    keys = {np.int64(3): 10**4400, np.float32(0.1): -(10**4400), (np.uint8(2), "a"): 1, np.str_("b"): 2}
    sg.save(keys, file)
    loaded = sg.load(file)
    assert loaded == keys
    assert [type(k) for k in loaded] == [int, float, tuple, str]


def test_paths_that_are_no_places_for_files_are_errors(tmp_path):
    (tmp_path / "lost").symlink_to(tmp_path / "missing" / "x")
    with pytest.raises(ArgumentError, match=r"the folder .*missing does not exist"):
        sg.save(1, tmp_path / "lost")
    with pytest.raises(ArgumentError, match="contains a null character"):
        sg.load("a\0b")
    with pytest.raises(ArgumentTypeError, match="expected a path or an open file, got int"):
        sg.load(3)


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there is no such device")
def test_a_device_takes_a_file():
    sg.save({"w": np.ones(3)}, "/dev/null")


def test_a_file_of_c_that_was_written_by_hand_is_refused(tmp_path):
    (tmp_path / "f.c").write_text("double f(double x) { return x*x; }\n")
    (tmp_path / "g.c").write_bytes(b"\xff\xfe")
    with pytest.raises(ArgumentError, match=r"is not a file of sg.export"):
        sg.exports.load_c(tmp_path / "f.c")
    with pytest.raises(ArgumentError, match="is not text"):
        sg.exports.load_c(tmp_path / "g.c")
    with pytest.raises(ArgumentError, match="is not a file"):
        sg.exports.load_c(tmp_path)
