"""Answers to 70 problems, their first and second derivatives in every mode, against mpmath's 40 digits."""

from __future__ import annotations

import json

import numpy as np
import pytest
from implicit_rows import DATA, PROBLEMS, flat, weighted

import symgrad as sg

KNOWN = json.loads(DATA.read_text(encoding="utf-8"))
RTOL = {"optim": 1e-4}  # of values that nobody differentiates, to which SciPy's own tolerance applies


def close(found, expected, rtol=1e-9):
    expected = np.asarray(expected)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * (1e-3 + np.max(np.abs(expected))))


@pytest.mark.parametrize("name", PROBLEMS)
def test_an_answer_and_its_derivatives_are_mpmaths(name):
    row, known = PROBLEMS[name], KNOWN[name]
    if row.needs:
        pytest.importorskip(row.needs)
    at, f = np.array(row.at), weighted(row.answer)
    close(flat(row.answer(sg.tensor(at))).numpy(), known["value"], RTOL.get(row.kind, 1e-9))
    close(sg.grad(f)(at), known["gradient"])
    direction = np.cos(1 + np.arange(at.size))
    close(sg.jvp(f, (at,), (direction,))[1], np.dot(known["gradient"], direction))
    close(sg.func.jacfwd(sg.grad(f))(at), known["hessian"])
    both = np.stack([at, 1.01 * at])
    close(sg.vmap(sg.grad(f))(both), [known["gradient"], known["nearby"]])


@pytest.mark.parametrize("name", [n for k, n in enumerate(PROBLEMS) if k % 4 == 0])
def test_compiled_derivatives_are_mpmaths(name):
    row, known = PROBLEMS[name], KNOWN[name]
    if row.needs:
        pytest.importorskip(row.needs)
    close(sg.compile(sg.grad(weighted(row.answer)))(np.array(row.at)), known["gradient"])


def test_there_are_enough_problems_of_each_kind():
    kinds = [row.kind for row in PROBLEMS.values()]
    assert len(kinds) >= 60
    assert set(KNOWN) == set(PROBLEMS)
    assert all(kinds.count(k) >= 2 for k in set(kinds))
