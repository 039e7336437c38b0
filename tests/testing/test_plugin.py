"""What symgrad offers to the tests of others: ``assert_close``, the fixture ``crosscheck``, ``pytest --symgrad``."""

import os
import subprocess
import sys

import numpy as np
import pytest

import symgrad as sg

PAIRS = [  # actual, expected, options
    (1.0, 1.0 + 1e-8, {}), (1.0, 1.0 + 1e-5, {}), (np.float32([1, 2]), np.float32([1, 2.00001]), {}),
    (np.float32([1, 2]), np.array([1.0, 2.0]), {}), (np.float32([1, 2]), np.array([1.0, 2.0]), {"check_dtype": False}),
    (np.array([1, 2]), np.array([1, 3]), {}), ([1.0, np.nan], [1.0, np.nan], {}),
    ([1.0, np.nan], [1.0, np.nan], {"equal_nan": True}), ([np.inf], [np.inf], {}), ([np.inf], [-np.inf], {}),
    ({"a": 1.0}, {"b": 1.0}, {}), ((1.0, 2.0), (1.0,), {}), (np.zeros((2, 1)), np.zeros(2), {}),
    (np.zeros((0, 3)), np.zeros((0, 3)), {}), (1.0, 1.05, {"rtol": 0.1, "atol": 0.0}),
    (np.array([True, False]), np.array([True, True]), {}),
]  # fmt: skip


def answer(lib, actual, expected, options):
    made = lib.tensor if lib is not sg else lambda x: sg.tensor(x)
    tensors = [made(x) if isinstance(x, np.ndarray) else x for x in (actual, expected)]
    try:
        lib.testing.assert_close(*tensors, **options)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(("actual", "expected", "options"), PAIRS, ids=range(len(PAIRS)))
def test_assert_close_is_torchs(actual, expected, options):
    torch = pytest.importorskip("torch", reason="compares with torch")
    assert answer(sg, actual, expected, options) == answer(torch, actual, expected, options)


def test_the_message_says_where():
    with pytest.raises(
        AssertionError, match=r"at \['w'\]\[1\]: not close.\nMismatched elements: 1 / 4 \(25.0%\)\n.*\(1, 0\)"
    ):
        sg.testing.assert_close({"w": [1.0, np.eye(2)]}, {"w": [1.0, np.array([[1, 0], [0.5, 1]])]})
    with pytest.raises(AssertionError, match=r"^mine$"):
        sg.testing.assert_close(1.0, 2.0, msg="mine")
    with pytest.raises(AssertionError, match=r"^>.*not close"):
        sg.testing.assert_close(1.0, 2.0, msg=lambda text: f"> {text}")
    with pytest.raises(ValueError, match="both"):
        sg.testing.assert_close(1.0, 1.0, rtol=1e-3)
    with pytest.raises(AssertionError, match="Expected numbers"):
        sg.testing.assert_close("a", "a")


TESTS = """
import numpy as np
import symgrad as sg

class Wrong(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x**2
    @staticmethod
    def backward(ctx, g):
        return g

def right(x):
    return (x**3).sum()

def test_right(crosscheck):
    assert crosscheck(right, np.array([1.0, 2.0])).ok

def test_wrong(crosscheck):
    crosscheck(lambda x: Wrong.apply(x).sum(), np.array([1.0, 2.0]))
"""


@pytest.mark.parametrize("flags", [[], ["--symgrad"]], ids=["quiet", "shown"])
def test_the_fixture_fails_where_witnesses_disagree(flags, tmp_path):
    (tmp_path / "test_mine.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "symgrad.testing.plugin", "-p", "no:cacheprovider", *flags]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ})
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "crosscheck: WITNESSES DISAGREE" in done.stdout
    assert ("2 derivatives cross-checked, 1 with witnesses that disagree" in done.stdout) == bool(flags)
    assert ("right\n  crosscheck: all witnesses agree" in done.stdout) == bool(flags)
