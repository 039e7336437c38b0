"""Every page of Markdown is well formed: fences close, links lead somewhere, rows of a table have its columns."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")])
PAGES = [page for page in PAGES if not {"_build", "jupyter_execute"} & set(page.parts)]
FENCE = re.compile(r"^(`{3,}|~{3,}|:{3,})(.*)$")
LINK = re.compile(r"(?<!!)\[[^\[\]]*\]\(([^()\s]*(?:\([^()\s]*\))?)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$")
RULE = re.compile(r"^\s*\|( *:?-+:? *\|)+\s*$")
TARGET = re.compile(r"^\(([\w-]+)\)=$")
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def outside_of_fences(text):
    """The lines of prose, the others left empty, and the line of a fence that is not closed, or None.

    A fence is closed by as many of its signs, alone on their line. Within a fence of backticks an opening
    fence is a mistake: the one before was not closed.
    """
    lines, opened = [], []
    for number, line in enumerate(text.splitlines(), 1):
        found = FENCE.match(line.strip())
        lines.append("" if opened or found else line)
        if found is None:
            continue
        signs, rest = found[1], found[2].strip()
        inner = opened and opened[-1][0]
        if inner and signs[0] == inner[0] and len(signs) >= len(inner) and not rest:
            opened.pop()
        elif inner and signs[0] == inner[0] and len(signs) >= len(inner) and inner[0] != ":":
            return lines, opened[-1][1]
        elif not inner or inner[0] == ":":
            opened.append((signs, number))
    return lines, opened[-1][1] if opened else None


def anchors(path):
    """What a link can name on a page: headings as the renderers spell them, and targets."""
    lines, _ = outside_of_fences(path.read_text(encoding="utf-8"))
    headings = [found[1] for line in lines if (found := HEADING.match(line))]
    named = {found[1] for line in lines if (found := TARGET.match(line))}
    return named | {re.sub(r"[^\w\- ]", "", plain(h).lower()).replace(" ", "-") for h in headings}


def plain(heading):
    """A heading without the signs of code, emphasis and links."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")


def without_code(line):
    """A line of prose without its code between backticks."""
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "code", line)


@every_page
def test_every_fence_is_closed(page):
    _, unclosed = outside_of_fences(page.read_text(encoding="utf-8"))
    assert unclosed is None, f"the fence that opens in line {unclosed} is not closed"


@every_page
def test_every_link_leads_to_a_file_and_a_heading(page):
    lines, _ = outside_of_fences(page.read_text(encoding="utf-8"))
    links = [link for line in lines for link in LINK.findall(without_code(line))]
    assert [link for link in links if not leads_somewhere(page, link)] == []


def leads_somewhere(page, link):
    """Whether a link's file exists and has its anchor; of other sites only the spelling is looked at."""
    if re.match(r"[a-z]+:", link):
        return re.match(r"https?://[^\s/]+\.[^\s/]+|mailto:.+@", link) is not None
    name, _, anchor = link.partition("#")
    path = (page.parent / name).resolve() if name else page
    if name.startswith("project:") or not path.exists():
        return False
    return not anchor or path.suffix != ".md" or anchor in anchors(path)


@every_page
def test_rows_of_a_table_have_its_columns(page):
    lines, _ = outside_of_fences(page.read_text(encoding="utf-8"))
    columns, wrong = None, []
    for number, line in enumerate(lines, 1):
        count = cells(line)
        if count is not None and columns not in (None, count):
            wrong.append(f"line {number}: {count} columns in a table of {columns}")
        columns = count if columns is None or count is None else columns
    assert wrong == []


def cells(line):
    """How many cells a row of a table has; None for another line."""
    line = without_code(line).strip()
    return line.count("|") - line.count(r"\|") - 1 if line.startswith("|") else None


@every_page
def test_every_column_of_a_table_has_a_heading(page):
    lines, _ = outside_of_fences(page.read_text(encoding="utf-8"))
    heads = [number for number, line in enumerate(lines[1:], 1) if RULE.match(line)]
    headings = [(number, re.split(r"(?<!\\)\|", lines[number - 1].strip()[1:-1])) for number in heads]
    assert [number for number, texts in headings if not all(map(str.strip, texts))] == []


@every_page
def test_a_session_that_is_shown_is_in_a_fence(page):
    lines, _ = outside_of_fences(page.read_text(encoding="utf-8"))
    assert [number for number, line in enumerate(lines, 1) if line.lstrip().startswith(">>> ")] == []


def test_the_check_of_fences_finds_what_it_is_for():
    assert outside_of_fences("```pycon\n>>> 1\n1\n\ntext\n\n```pycon\n>>> 2\n2\n```\n")[1] == 1
    assert outside_of_fences("text\n\n~~~\n")[1] == 3
    assert outside_of_fences(":::{note}\n```\ncode\n```\n:::\n")[1] is None
    assert outside_of_fences("````\n```\n````\n")[1] is None
