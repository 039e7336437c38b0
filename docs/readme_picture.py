"""The picture in README: a graph, and what symgrad reads from it; ``python docs/readme_picture.py`` writes it.

All that it shows is computed; a test compares the file with what this makes.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import symgrad as sg

PLACE = Path(__file__).parent / "static" / "readme.svg"
WIDTH, PAD, GAP, ROW = 860, 20, 14, 25  # pixels
STYLE = """
.page { fill: #ffffff; stroke: #d5dbe1; } .card { fill: #f4f6f8; stroke: none; }
.kind { font: 600 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #5a6673; }
.code, .found { font: 13.5px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #16202c; }
.found { fill: #1d5fa8; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  .page { fill: #14181d; stroke: #37414c; } .card { fill: #1f262e; } .kind { fill: #a3aeb9; }
  .code { fill: #e6ebf1; } .found { fill: #8fc0ff; }
}
""".strip()


def cards() -> list[tuple[str, str, list[str]]]:
    """Return for each reading its name, what one writes, and what one gets."""
    numbers = {"X": [[1.0, 2.0], [3.0, 4.0]], "y": [1.0, 0.0]}
    X, y = (sg.tensor(v, name=k) for k, v in numbers.items())
    w = sg.tensor([0.5, -1.0], requires_grad=True, name="w")
    loss = ((X @ w - y) ** 2).sum()
    loss.backward()
    form = sg.derive(loss, w)
    source = sg.export(
        sg.grad(lambda X, w, y: ((X @ w - y) ** 2).sum(), 1),
        shapes={"X": ("n", 2), "w": (2,), "y": ("n",)},
        target="c",
        name="gradient",
    )
    loop = next(line.strip() for line in source.splitlines() if line.startswith("    for ("))
    report = sg.testing.crosscheck(lambda w: ((X @ w - y) ** 2).sum(), w.detach())
    return [
        ("what you write", "loss = ((X @ w - y) ** 2).sum()", []),
        ("the number", "loss.backward(); w.grad", [str(w.grad)]),
        ("the formula", "sg.derive(loss, w)", [str(form)]),
        ("in indices", 'sg.derive(loss, w).index("i")', [str(form.index("i"))]),
        ("the Hessian", "sg.derive(loss, w, order=2)", [str(sg.derive(loss, w, order=2))]),
        ("C, without symgrad", 'sg.export(sg.grad(f, 1), …, target="c")', [f"{loop} … }}"]),
        ("and a check", "sg.testing.crosscheck(f, w)", [str(report).splitlines()[0]]),
    ]


def picture() -> str:
    """Return the picture."""
    X, w, y = sg.symbol("X", ("n", "d")), sg.symbol("w", ("d",)), sg.symbol("y", ("n",))
    graph = sg.graph(((X @ w - y) ** 2).sum(), wrt=w, adjoints="formula").to_svg()
    wide, high = (int(found) for found in re.findall(r'(?:width|height)="(\d+)"', graph)[:2])
    shown, at = [], float(PAD)
    for kind, code, found in cards():
        tall = 28 + ROW * (1 + len(found)) - 4
        left = PAD + wide + GAP
        shown.append(f'<rect class="card" x="{left}" y="{at:g}" width="{WIDTH - left - PAD}" height="{tall}" rx="6"/>')
        shown.append(_text(left + 12, at + 19, kind, "kind"))
        shown.append(_text(left + 12, at + 40, code, "code"))
        shown += [_text(left + 12, at + 40 + ROW * (k + 1) - 3, line, "found") for k, line in enumerate(found)]
        at += tall + 8
    height = max(at - 8, PAD + high) + PAD
    graph = graph.replace("<svg ", f'<svg x="{PAD}" y="{(height - high) / 2:g}" ', 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" viewBox="0 0 {WIDTH} {height:g}" '
        'role="img" aria-label="A graph of least squares, and its gradient as number, formula, Hessian and C">'
        f'<style>{STYLE}</style><rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" '
        f'rx="10"/>{graph}{"".join(shown)}</svg>\n'
    )


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text, quote=False)}</text>'


if __name__ == "__main__":
    PLACE.write_text(picture(), encoding="utf-8")
