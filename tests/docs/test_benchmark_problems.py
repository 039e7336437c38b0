"""The benchmarks' problems, reduced: symgrad against hand-written NumPy, so that a table never times a wrong answer."""

from __future__ import annotations

import numpy as np
import pytest
from measure import arrays, fingerprint
from peers import symgrad, symgrad_eager
from problems import FULL, REDUCED, Problem
from problems.programs import straight_line
from run import disagreement

import symgrad as sg

compiled = pytest.param("compiled", marks=pytest.mark.skipif(not hasattr(sg, "compile"), reason="needs sg.compile"))


@pytest.mark.parametrize("problem", REDUCED.values(), ids=list(REDUCED))
@pytest.mark.parametrize("side", ["eager", compiled])
def test_symgrad_agrees_with_hand_written_numpy(side: str, problem: Problem) -> None:
    call, read = (symgrad_eager(problem) if side == "eager" else symgrad("auto", problem))()
    found, expected = arrays(read(call())), arrays(problem.hand(*problem.inputs()))
    assert [a.shape for a in found] == [a.shape for a in expected]
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=problem.rtol, atol=problem.rtol * np.abs(b).max())


def test_every_kind_of_problem_is_reduced() -> None:
    kinds = lambda problems: {(p.kind, p.source, p.wrt, p.scalar, p.compile_only) for p in problems.values()}
    assert kinds(REDUCED) == kinds(FULL)


@pytest.mark.parametrize("operations", [30, 120, 1000])
def test_a_program_has_as_many_operations_as_asked_and_uses_every_value(operations: int) -> None:
    code, start = straight_line(operations)
    assert len(code) == operations
    used = {k for _, i, j in code for k in (i, j)}
    assert used == set(range(len(start) + operations - 1))


A = np.arange(6.0).reshape(2, 3) + 1.0


@pytest.mark.parametrize(
    "wrong", [A.T.copy(), A + 1e-6, -A, A[:, ::-1], A.ravel()[:4], A * np.nan, np.where(A == 3.0, 3.1, A)]
)
def test_a_wrong_result_disagrees(wrong: np.ndarray) -> None:
    expected = fingerprint((1.0, A))
    assert disagreement(fingerprint((1.0, A * (1 + 1e-12))), expected, 1e-9) == ""
    assert disagreement(fingerprint((1.0, wrong)), expected, 1e-9)
