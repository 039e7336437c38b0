"""The table of docs/accuracy.md is true."""

from pathlib import Path

import pytest
from accuracy import SMOOTH, measured

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
FEW = 4.0  # units of the last place


def listed():
    """The rows of the page: the errors of value and derivative by function."""
    page = PAGE.read_text(encoding="utf-8").partition("## Hard points")[0]
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if "|" in line]
    return {name: (float(value), float(slope)) for name, _, _, value, slope in cells[2:]}


@pytest.mark.parametrize("name", SMOOTH)
def test_errors_are_those_on_the_page(name):
    assert max(measured(name)) <= FEW


def test_page_lists_all_functions_and_all_have_four_units_at_most():
    assert list(listed()) == list(SMOOTH)
    assert max(max(errors) for errors in listed().values()) <= FEW
