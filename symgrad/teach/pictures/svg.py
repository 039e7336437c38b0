"""Boxes and arrows as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from symgrad.support.columns import columns
from symgrad.support.foreign import html
from symgrad.teach.pictures.boxes import Arrow, Box
from symgrad.teach.pictures.layout import Size, layout

LETTER, LINE, PAD, MARGIN = 7.9, 18.0, 10.0, 14.0  # of a monospaced font of 13 pixels
SMALL, SMALL_LINE = 6.7, 17.0  # of 11 pixels
BROAD = 1100.0  # pixels
# Boxes and labels bring their background, so that they are read on light and on dark pages.
STYLE = """
.sg-graph text { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #16202c; }
.sg-graph .told { font-size: 11px; fill: #44505e; }
.sg-graph .back { font-size: 11px; fill: #7a2e0e; }
.sg-graph rect { stroke: #7b8794; stroke-width: 1.2; fill: #f4f6f8; }
.sg-graph .leaf { fill: #e3f0e6; stroke: #4f8a5b; }
.sg-graph .output { fill: #e2ecfa; stroke: #3565a8; stroke-width: 2.2; }
.sg-graph .group { fill: #efe9f7; stroke: #7757a8; stroke-dasharray: 5 3; }
.sg-graph .label { fill: #fdeee2; stroke: none; }
.sg-graph path { fill: none; stroke: #7b8794; stroke-width: 1.4; }
.sg-graph polygon { fill: #7b8794; }
@media (prefers-color-scheme: dark) {
  .sg-graph text { fill: #e6ebf1; }
  .sg-graph .told { fill: #b4bfcb; }
  .sg-graph .back { fill: #ffc9a3; }
  .sg-graph rect { fill: #2a323c; }
  .sg-graph .leaf { fill: #203a28; }
  .sg-graph .output { fill: #1f3350; stroke: #79a6e6; }
  .sg-graph .group { fill: #35294a; stroke: #a98bd8; }
  .sg-graph .label { fill: #46290f; }
}
""".strip()


def svg(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> str:
    """Return the picture of boxes and arrows."""
    place = {box.key: k for k, box in enumerate(boxes)}
    box_sizes = [_size(box.lines) for box in boxes]
    label_sizes = [Size(columns(_back(a)) * SMALL + 8, SMALL_LINE) if a.adjoint else None for a in arrows]
    drawn = layout(box_sizes, [(place[a.source], place[a.target]) for a in arrows], label_sizes)
    parts = [_path(points) for points in drawn.arrows]
    for a, at, size in zip(arrows, drawn.labels, label_sizes, strict=True):
        if at is not None and size is not None:
            parts.append(_rect(at, size, "label", 4) + _text(at[0], at[1] + 4, _back(a), "back"))
    for box, at, size in zip(boxes, drawn.boxes, box_sizes, strict=True):
        parts.append(_rect(at, size, box.kind, 14 if box.kind == "leaf" else 4) + _lines(box.lines, at))
    width, height = drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN
    said = html(f"Computational graph of {boxes[-1].name}") if boxes else "Empty graph"
    fit = ' style="max-width:100%;height:auto"' if width <= BROAD else ""  # beyond, one scrolls rather than guesses
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sg-graph" role="img" aria-label="{said}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="{-MARGIN:g} {-MARGIN:g} {width:.1f} {height:.1f}"'
        f"{fit}><style>{STYLE}</style>{''.join(parts)}</svg>"
    )


def _back(a: Arrow) -> str:
    return f"↑ {a.adjoint}"


def _size(lines: Sequence[str]) -> Size:
    wide = max(columns(lines[0]) * LETTER, *[columns(t) * SMALL for t in lines[1:]], 20)
    return Size(wide + 2 * PAD, LINE + SMALL_LINE * (len(lines) - 1) + PAD)


def _rect(at: tuple[float, float], size: Size, kind: str, round_: float) -> str:
    x, y = at[0] - size.width / 2, at[1] - size.height / 2
    where = f'x="{x:.1f}" y="{y:.1f}" width="{size.width:.1f}" height="{size.height:.1f}"'
    return f'<rect class="{kind}" {where} rx="{round_:g}"/>'


def _lines(lines: Sequence[str], at: tuple[float, float]) -> str:
    top = at[1] - SMALL_LINE * (len(lines) - 1) / 2 + 5
    markup = _text(at[0], top, lines[0], "name")
    for k, line in enumerate(lines[1:], 1):
        markup += _text(at[0], top + k * SMALL_LINE - 1, line, "told")
    return markup


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{html(text)}</text>'


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Return a smooth line through the points, upright at its ends, and its head."""
    (end_x, end_y) = points[-1]
    points = [*points[:-1], (end_x, end_y - 6)]
    lean = [0.0, *((c[0] - a[0]) / max(c[1] - a[1], 1.0) for a, c in zip(points, points[2:], strict=False)), 0.0]
    d = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for k, ((x, y), (u, v)) in enumerate(pairwise(points)):
        h = (v - y) / (2 if lean[k] == lean[k + 1] == 0 else 3)
        d.append(f"C{x + lean[k] * h:.1f} {y + h:.1f} {u - lean[k + 1] * h:.1f} {v - h:.1f} {u:.1f} {v:.1f}")
    head = f"{end_x:.1f},{end_y:.1f} {end_x - 4:.1f},{end_y - 8:.1f} {end_x + 4:.1f},{end_y - 8:.1f}"
    return f'<path d="{" ".join(d)}"/><polygon points="{head}"/>'
