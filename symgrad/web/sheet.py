"""A sheet to print: ten problems of a topic with room below each, or their solutions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgrad.support.foreign import html


def page(sheet: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        found: topic, level and problems, as the job ``sheet`` returns them.
        asked: the seed, and whether solutions are wanted.
    """
    title = f"{sheet['topic']}, level {sheet['level']}"
    problems = "\n".join(map(_problem, sheet["problems"]))
    kind = "Solutions" if asked.get("solutions") else "Problems"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html(kind)}: {html(title)}</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/style.css">
</head>
<body class="sheet">
<main class="sheet">
<h1>{html(kind)}: {html(title)}</h1>
<p class="sheet-meta sheet-number">Sheet {html(str(asked.get("seed", 0)))}</p>
<ol class="sheet-problems">
{problems}
</ol>
</main>
</body>
</html>
"""


def _problem(p: Mapping[str, Any]) -> str:
    """Return a problem: the question in words, the function as mathematics, and the solution or room for it."""
    below = _answered(p["solution"]["mathml"]) if "solution" in p else '<div class="answer-room sheet-room"></div>'
    return f'<li><p>{html(p["question"])}</p><div class="formula sheet-formula">{p["mathml"]}</div>{below}</li>'


def _answered(mathml: str) -> str:
    return f'<div class="solution sheet-solution">{mathml}</div>'
