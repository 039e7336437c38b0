"""The pages and the public docstrings use the words of CONTRIBUTING's glossary, and no private ones."""

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
WORDS = [  # what is not written, and what is written instead
    (
        r"\b(differentiated?|(derivative|gradient|Jacobian|Hessian)s?) by (`|[A-Za-zθ]\b|each\b|both\b|all\b|several\b"
        r"|the (variable|parameter|name|input|argument)s?\b)",
        "with respect to",
    ),
    (
        r"\b(10,000|which|missing) signs\b|\bsigns (of|in|from) (the|a|an|its) (text|answer|formula|name)",
        "characters, operators",
    ),
    (r"\bby what (it|to|one|a|they)\b", "with respect to what"),
    (r"\bwhat is (said|told)\b", "name the thing"),
    (r"\bremarked\b", "noted"),
    (r"\b(is|are) told of\b|\bis heard\b", "is reported"),
    (r"\bleaves? (it|them) away\b", "omits"),
    (r"\bha(s|ve) no words\b", "has no notation, cannot write"),
    (r"\blevel lines\b", "contours"),
    (r"\b[Uu]ntold\b", "unknown, not reported"),
    (r"\ba kink is\b.*\btold\b", "reported"),
    (r"^(Likewise|As ours|Ours|Theirs)\b", "a whole sentence"),
    (r"\blooks? at a value\b", "needs a value"),
    (r"\breadings\b", "results, interpretations"),
    (r"\b([Tt]he|[Tt]his|backward|no) sweeps?\b", "backward pass"),
    (r"\brooms\b", "packages"),
    (r"\bin turns\b", "alternately"),
    (r"\bso many\b", "the number of"),
]


def sentences(page):
    """(number, line) of a page outside code, and outside the captions of pictures."""
    code = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            code = not code
        elif not code and not line.startswith("!["):
            yield number, re.sub(r"`[^`]*`", "`x`", line)


def private_words(text):
    return [f"{match[0]!r}: {instead}" for pattern, instead in WORDS if (match := re.search(pattern, text))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_the_words_of_the_glossary(page):
    if page.name == "CONTRIBUTING.md":
        before, _, rest = page.read_text(encoding="utf-8").partition("## Words")
        assert rest, "the glossary is gone"
        lines = list(enumerate(before.splitlines(), 1))
    else:
        lines = list(sentences(page))
    assert {f"{page.name}:{n}": words for n, line in lines if (words := private_words(line))} == {}


def test_public_docstrings_use_the_words_of_the_glossary():
    pytest.importorskip("sphinx")
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        reference = import_module("symgrad_docs.reference")
    finally:
        sys.path.remove(str(ROOT / "docs"))
    entries = {
        (page.group.module.__name__, name): getattr(page.group.module, name)
        for page in reference.pages()
        for name in page.names
    }
    assert len(entries) > 1000
    faults = {}
    for (module, name), value in entries.items():
        documented = [value, *(vars(value).values() if inspect.isclass(value) else ())]
        for text in [getattr(d, "__doc__", None) for d in documented]:
            for line in (text or "").splitlines() if isinstance(text, str) else ():
                if not line.strip().startswith((">>>", "...")) and (words := private_words(line.strip())):
                    faults[f"{module}.{name}", line.strip()] = words
    assert faults == {}


@pytest.mark.parametrize(
    "line",
    [
        "The derivative by x.",
        "what is said of it",
        "Likewise, of K.",
        "the signs of the text",
        "level lines",
        "fn looks at a value.",
        "one rule in three readings",
        "the rooms above",
    ],
)
def test_the_list_finds_what_it_is_for(line):
    assert private_words(line)
