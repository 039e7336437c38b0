"""Which cases of a test a run makes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import slow_tests


def case(number, *marks):
    return SimpleNamespace(id=str(number), marks=marks, params={})


@pytest.mark.parametrize("marks", [(), slow_tests.FURTHER])
def test_a_run_that_leaves_cases_out_makes_one_of_every_test(marks, monkeypatch):
    monkeypatch.setattr(slow_tests, "drawn", lambda name: 1)
    monkeypatch.setattr(slow_tests, "SECONDS", {f"f[{i}]": 2.0 - i / 10 for i in range(12)})
    choice = slow_tests.Choice(every_sample=False, quick_only=False)
    kept = choice.thin("f", [case(i, *marks) for i in range(12)], marked=False)
    assert [spec.id for spec in kept] == ["11"]


def test_every_sample_leaves_no_case_out(monkeypatch):
    monkeypatch.setattr(slow_tests, "SECONDS", {f"f[{i}]": 1.0 for i in range(12)})
    choice = slow_tests.Choice(every_sample=True, quick_only=False)
    assert len(choice.thin("f", [case(i, *slow_tests.FURTHER) for i in range(12)], marked=True)) == 12
