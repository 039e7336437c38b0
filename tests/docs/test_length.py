"""Every page of the documentation is short, is in the sidebar, and has the words that newcomers search for."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(page for page in DOCS.glob("*.md") if page.name != "changelog.md")
MOST = 3000  # words, counted as `wc -w` counts them
GROUP = 9  # pages under one caption of the sidebar
SEARCHED = {
    "Hessian": "transforms",
    "jit": "from-jax",
    "LSTM": "models",
    "pendulum": "control",
    "tangent": "transforms",
    "GPU": "limitations",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_at_most_3000_words(page):
    assert len(page.read_text(encoding="utf-8").split()) <= MOST, "split the page where its subject divides"


def groups():
    """The pages under each caption of the sidebar."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", text, flags=re.DOTALL)
    return {
        re.search(":caption: (.+)", block)[1]: re.findall(r"^[\w-]+$", block, flags=re.MULTILINE) for block in blocks
    }


def test_every_page_is_in_one_group_of_the_sidebar():
    pages = [page for group in groups().values() for page in group]
    assert sorted(pages) == sorted({page.stem for page in DOCS.glob("*.md")} - {"index"})


def test_no_group_of_the_sidebar_is_long():
    assert {caption: pages for caption, pages in groups().items() if len(pages) > GROUP} == {}


LISTS = {*groups()["Reference"], "performance-kernels", "contributing", "architecture"}  # what is looked up
GUIDES = [page for pages in groups().values() for page in pages if page not in LISTS]


@pytest.mark.parametrize("page", GUIDES)
def test_a_guide_begins_with_what_a_reader_will_have_and_ends_with_where_to_go(page):
    before, _, after = (DOCS / f"{page}.md").read_text(encoding="utf-8").partition("\n## Where to go next\n")
    opening = " ".join(before.split("\n## ")[0].split())
    assert re.search(r"\b(by (the|its) end|(on|in) this (page|guide|tutorial), you)\b", opening, re.IGNORECASE)
    assert "](" in after, "the page ends without a link to another one"


@pytest.mark.parametrize(("word", "page"), SEARCHED.items())
def test_a_search_for_a_word_leads_to_the_page_about_it(word, page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert re.search(rf"\b{word}s?\b", text, flags=re.IGNORECASE), f"{page}.md does not have the word {word}"
