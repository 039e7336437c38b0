"""The page on performance and the landing page say what benchmarks/results.json holds."""

from __future__ import annotations

from pathlib import Path

import pytest
import report

DOCS = Path(__file__).parents[2] / "docs"
KERNELS = [
    ["kernel", "symgrad", "jax.jit", "PyTorch", "ratio", "first: symgrad", "first: jax.jit", "first: PyTorch"],
    ["solve", "2.0", "8.0", "4000.0", "4.00", "10", "400", "1"],
    ["sort", "2.0", "1.0", "–", "0.50", "30", "200", "–"],
]


def test_the_pages_are_what_was_measured() -> None:
    for path, text in report.pages(report.results()).items():
        assert path.read_text("utf-8") == text, "Run python benchmarks/report.py --write."


def test_a_section_takes_the_place_of_the_one_with_its_heading() -> None:
    page = "# A\n\n## B?\n\nold\n\n## C\n"
    assert report.with_section(page, "## B?\n\nnew") == "# A\n\n## B?\n\nnew\n\n## C\n"
    with pytest.raises(SystemExit, match="Write it where it belongs"):
        report.with_section(page, "## D\n\nnew")


def test_the_landing_page_has_the_figures_of_the_kernels() -> None:
    text = (DOCS / "index.md").read_text("utf-8")
    assert report.landing(text, report.results()) == text
    found = {"kernels": {"tables": [KERNELS]}}
    assert "**1.4 times**\n\nas fast as `jax.jit`, and 2000.0 times" in report.landing(text, found)


def test_kernels_that_are_behind_say_so() -> None:
    assert report.kernel_rows(KERNELS)[1:] == [
        ["solve", "2.0", "8.0", "4,000", "4.00"],
        ["sort", "2.0", "1.0", "–", "0.50 behind"],
    ]
    assert report.summary(KERNELS) == (
        "Over 2 kernels, symgrad is 1.4 times as fast as `jax.jit` and 2000.0 times as fast as PyTorch (geometric "
        "means). For 1 of the kernels, one of these libraries is faster. First results, compilation included: symgrad "
        "20 ms in the median and 30 ms at most, `jax.jit` 300 ms in the median and 400 ms at most."
    )


def test_tables_are_read_from_what_a_script_prints() -> None:
    said = "a line\n| kernel | µs |\n|---|---:|\n| a | 1 |\n\n| x | y |\n|---|---|\nthe end\n"
    assert report.tables_in(said) == [[["kernel", "µs"], ["a", "1"]], [["x", "y"]]]


@pytest.mark.parametrize("part", report.PARTS.values(), ids=lambda p: p.command[0])
def test_every_part_runs_a_script_of_the_folder(part: report.Part) -> None:
    assert (report.HERE / part.command[0]).is_file()
    assert part.minutes > 0


def test_the_quick_parts_take_less_than_half_an_hour() -> None:
    assert report.MINUTES["quick"] <= 25
    assert f"about {report.MINUTES['all']} minutes" in report.CLOSING


def test_a_package_that_is_not_installed_has_no_version() -> None:
    assert report.version("numpy").startswith("numpy ")
    assert report.version("no-such-package") == ""
