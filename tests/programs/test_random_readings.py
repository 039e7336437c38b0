"""Random programs in all readings: compiled by every backend, mapped, looped, forward, exported, and second order.

``--random-programs 3000`` draws as many. The default is 300: a run makes the first 60, and of the others a fifth.
"""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest
from random_readings import RandomProgram, compiled, eager, forward, looped, mapped, second, source, source_c
from slow_tests import draws

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.llvm import native
from symgrad.errors import MissingExtra
from symgrad.exports import ExportError

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

QUICK = 60
PARTIAL = {"python", "source of Python", "source of C"}  # readings that have no words for some operations
READINGS = {
    "numpy": compiled("numpy"),
    "llvm": compiled("llvm"),
    "loops": compiled("llvm"),
    "mapped": mapped,
    "looped": looped,
    "forward": forward,
    "source of NumPy": source("numpy"),
    "source of Python": source("python"),
}
SELDOM = {"python": compiled("python"), "c": compiled("c"), "source of C": source_c}


def pytest_generate_tests(metafunc):
    count = metafunc.config.getoption("--random-programs")
    metafunc.parametrize("seed", draws(range(count), first=QUICK))


def agree(results, expected, where):
    """Equal to rounding, beside the largest entry."""
    for y, want in zip(results, expected, strict=True):
        got = np.asarray(y.detach() if isinstance(y, sg.Tensor) else y)
        assert got.shape == np.shape(want), where
        np.testing.assert_allclose(got, want, 1e-8, 1e-8 * max(1.0, np.max(np.abs(want), initial=0.0)), err_msg=where)


def test_random_programs_agree_in_all_readings(seed, monkeypatch, tmp_path):
    program = RandomProgram(seed)
    draw = random.Random(seed)
    expected = eager(program, *program.arrays)
    names = draw.sample(sorted(READINGS), 3) + [draw.choice(sorted(SELDOM))] * (seed % 4 == 0)
    for name in names:
        with monkeypatch.context() as patch:
            if name == "loops":  # small programs become loops, too
                patch.setattr(native, "_straight", lambda *arguments: None)
            reading = partial(source_c, path=tmp_path / "f.c") if name == "source of C" else (READINGS | SELDOM)[name]
            try:
                results = reading(program, *program.arrays)
            except (ExportError, Unsuitable):
                assert name in PARTIAL
                continue
            except MissingExtra:  # no LLVM, no C compiler
                continue
        agree(results, expected, f"seed {seed}, {name}")


def test_second_derivatives_of_random_programs_agree(seed):
    program = RandomProgram(seed, steps=4)
    x, y = program.arrays
    direction = program.other_arrays[0]
    reverse, forward_over_reverse = second(program)
    expected = reverse(x, y, direction)
    step = 1e-4
    gradients = [eager(program, x + s * direction, y)[1] for s in (step, -step)]
    differences = (gradients[0] - gradients[1]) / (2 * step)
    scale = max(1.0, abs(expected).max())
    agree([forward_over_reverse(x, y, direction)], [expected], f"seed {seed}, forward over reverse")
    agree([sg.compile(reverse)(x, y, direction)], [expected], f"seed {seed}, compiled")
    is_smooth = np.abs(differences - expected) < 1e-4 * scale
    assert is_smooth.all() or has_kink(program, x, y, direction, step), f"seed {seed}: {differences} for {expected}"


def has_kink(program, x, y, direction, step):
    """Whether gradients jump between the points of the difference: then smaller steps give other quotients."""
    quotients = []
    for h in (step, step / 16):
        a, b = (eager(program, x + s * direction, y)[1] for s in (h, -h))
        quotients.append((a - b) / (2 * h))
    return np.abs(quotients[0] - quotients[1]).max() > 1e-5 * np.abs(quotients[0]).max()
