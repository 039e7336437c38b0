"""Pictures of graphs: what the boxes and arrows say, where they stand, and what each format makes of odd names."""

import re
import sys
import xml.dom.minidom

import numpy as np
import pytest
from browser import in_a_browser, shown

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, MissingExtra, ShapeError
from symgrad.teach.pictures.layout import Size, layout


def product(x):
    return sg.sin(x) * x**2


def arm(a, b, c):
    x, y = sg.cos(a) + sg.cos(a + b) + sg.cos(a + b + c), sg.sin(a) + sg.sin(a + b) + sg.sin(a + b + c)
    return (x - 1) ** 2 + (y - 2) ** 2


def layer(x, w):
    return sg.tanh(x * w + 1)


def network(x, w):
    for _ in range(15):
        x = layer(x, w) + sg.sin(x)
    return x


def chain(x):
    for _ in range(300):
        x = sg.sin(x) * 2
    return x


def test_boxes_say_what_is_computed_and_its_value():
    found = sg.graph(product, at=2.0)
    assert [box.label for box in found.boxes] == ["x", "u = sin(x)", "v = x²", "y = u·v"]
    assert [box.kind for box in found.boxes] == ["leaf", "operation", "operation", "output"]
    assert [box.value for box in found.boxes] == ["2", "0.909297", "4", "3.63719"]
    assert [(a.source, a.target) for a in found.arrows] == [("n0", "n1"), ("n0", "n2"), ("n1", "n3"), ("n2", "n3")]


def test_shapes_are_shown():
    X, w = sg.symbol("X", ("n", "d")), sg.symbol("w", "d")
    assert [box.lines for box in sg.graph(X @ w).boxes] == [["X", "[n, d]"], ["w", "[d]"], ["L = X·w", "[n]"]]


@pytest.mark.parametrize(
    ("how", "at", "expected"),
    [
        ("formula", 2.0, ["x²·cos(x)", "2·x·sin(x)", "x²", "sin(x)"]),
        ("number", 2.0, ["−1.66459", "3.63719", "4", "0.909297"]),
        (True, 2.0, ["−1.66459", "3.63719", "4", "0.909297"]),
        (True, None, ["x²·cos(x)", "2·x·sin(x)", "x²", "sin(x)"]),
        (None, 2.0, [""] * 4),
        (False, 2.0, [""] * 4),
    ],
)
def test_adjoints_stand_on_the_arrows(how, at, expected):
    assert [a.adjoint for a in sg.graph(product, at=at, adjoints=how).arrows] == expected


def test_adjoints_are_shown_once_backward_was_run():
    x = sg.tensor(2.0, requires_grad=True, name="x")
    y = product(x)
    assert not any(a.adjoint for a in sg.graph(y).arrows)
    y.backward()
    assert all(a.adjoint for a in sg.graph(y).arrows)
    assert not any(a.adjoint for a in sg.graph(y, adjoints=False).arrows)


def test_adjoints_along_two_uses_of_one_value_are_added():
    assert [a.adjoint for a in sg.graph(lambda x: x * x, adjoints=True).arrows] == ["x + x"]


def test_condition_is_written_where_it_is_used():
    x = sg.symbol("x")
    found = sg.graph(sg.where(x > 0, x**3, -x))
    assert [box.label for box in found.boxes] == ["x", "u = x³", "v = −x", "y = {u if x > 0; v otherwise}"]
    assert ("n0", "n3") in [(a.source, a.target) for a in found.arrows]


# ------------------------------------------------------------------ large graphs
def test_large_graph_is_drawn_by_function_call():
    found = sg.graph(network)
    assert len(found.boxes) <= 60
    assert sum(box.name == "layer" for box in found.boxes) >= 8
    assert all(int(a.source[1:]) < int(a.target[1:]) for a in found.arrows)


def test_calls_in_few_boxes_are_counted():
    assert any(box.name.startswith("layer × ") for box in sg.graph(network, most=12).boxes)


@pytest.mark.parametrize("most", [3, 5, 24, 60])
def test_boxes_hold_all_operations(most):
    found = sg.graph(chain(sg.symbol("x")), most=most)
    assert len(found.boxes) <= most
    assert sum(int(m[1]) for box in found.boxes if (m := re.search(r"(\d+) operations", box.label))) == 599


def test_many_leaves_are_counted():
    total = sum(sg.symbol(f"x{k}") * k for k in range(100))
    found = sg.graph(total)
    assert len(found.boxes) <= 60
    assert sum(int(m[1]) for box in found.boxes if (m := re.search(r"(\d+) inputs", box.value))) == 100


def test_profiling_goes_on_behind_a_picture():
    seen = []
    sys.setprofile(lambda *event: seen.append(event))
    try:
        sg.graph(network)
        kept = sys.getprofile()
    finally:
        sys.setprofile(None)
    assert kept is not None
    assert seen


# ------------------------------------------------------------------ places
def random_graph(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 61))
    arrows = sorted({(int(rng.integers(0, b)), b) for b in range(1, count) for _ in range(rng.integers(1, 3))})
    sizes = [Size(float(w), float(h)) for w, h in rng.uniform((30, 20), (200, 50), (count, 2))]
    labels = [Size(float(w), 17.0) if w > 40 else None for w in rng.uniform(0, 120, len(arrows))]
    return sizes, arrows, labels


def apart(rectangles):
    """Whether no two rectangles (x, y, size) overlap."""
    for k, (x, y, s) in enumerate(rectangles):
        for u, v, t in rectangles[k + 1 :]:
            if abs(x - u) < (s.width + t.width) / 2 - 1e-6 and abs(y - v) < (s.height + t.height) / 2 - 1e-6:
                return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_nothing_overlaps_and_all_is_inside(seed):
    sizes, arrows, labels = random_graph(seed)
    drawn = layout(sizes, arrows, labels)
    named = [(*at, s) for at, s in zip(drawn.labels, labels, strict=True) if at is not None and s is not None]
    assert len(named) == sum(s is not None for s in labels)
    everything = [*((*at, s) for at, s in zip(drawn.boxes, sizes, strict=True)), *named]
    assert apart(everything)
    assert all(s.width / 2 - 1e-6 <= x <= drawn.width - s.width / 2 + 1e-6 for x, _, s in everything)
    assert all(s.height / 2 - 1e-6 <= y <= drawn.height - s.height / 2 + 1e-6 for _, y, s in everything)


@pytest.mark.parametrize("seed", range(12))
def test_arrows_go_down_from_box_to_box(seed):
    sizes, arrows, labels = random_graph(seed)
    drawn = layout(sizes, arrows, labels)
    for (a, b), points in zip(arrows, drawn.arrows, strict=True):
        heights = [y for _, y in points]
        assert heights == sorted(heights)
        assert points[0] == pytest.approx((drawn.boxes[a][0], drawn.boxes[a][1] + sizes[a].height / 2))
        assert points[-1] == pytest.approx((drawn.boxes[b][0], drawn.boxes[b][1] - sizes[b].height / 2))


def test_a_chain_is_straight():
    drawn = layout([Size(40, 20)] * 5, [(k, k + 1) for k in range(4)], [None] * 4)
    assert {round(x, 3) for x, _ in drawn.boxes} == {20.0}


# ------------------------------------------------------------------ formats
def test_svg_has_every_text_once_and_is_the_same_each_time():
    found = sg.graph(arm, at=(0.1, 0.2, 0.3), adjoints=True)
    texts = [t.firstChild.data for t in xml.dom.minidom.parseString(found.to_svg()).getElementsByTagName("text")]
    lines = [line for box in found.boxes for line in box.lines]
    assert sorted(texts) == sorted([*lines, *(f"↑ {a.adjoint}" for a in found.arrows if a.adjoint)])
    assert found._repr_svg_() == found.to_svg()


MEASURE = """<!DOCTYPE html><meta charset="utf-8">%s<pre></pre><script>
const rects = [...document.querySelectorAll("rect")].map(r => r.getBBox());
const inside = (r, b) => r.x <= b.x + 1 && r.x + r.width >= b.x + b.width - 1;
const beside = (r, b) => r.y <= b.y + 4 && r.y + r.height >= b.y + b.height - 4;
const fits = b => rects.some(r => inside(r, b) && beside(r, b));
const out = [...document.querySelectorAll("text")].filter(t => !fits(t.getBBox()));
document.querySelector("pre").textContent = "outside: " + out.map(t => t.textContent).join(" | ");
</script>"""


@in_a_browser
def test_texts_fit_into_their_boxes_in_a_browser(tmp_path):
    x, W = sg.symbol("x", "n"), sg.symbol("W", ("m", "n"))
    found = sg.graph(sg.logsumexp(sg.tanh(W @ x), 0) + sg.linalg.norm(W) ** 2, adjoints=True)
    (tmp_path / "page.html").write_text(MEASURE % found.to_svg(), "utf-8")
    dom, complaints = shown(tmp_path / "page.html")
    assert complaints == []
    assert "<pre>outside: </pre>" in dom


def test_mermaid_and_dot_name_every_box_and_arrow():
    found = sg.graph(arm)
    mermaid, dot = found.to_mermaid(), found.to_dot()
    assert mermaid.startswith("flowchart TD\n")
    assert mermaid.count("-->") == dot.count(" -> ") == len(found.arrows)
    assert all(f"    {box.key} [label=" in dot for box in found.boxes)


def test_networkx_graph_has_the_fields():
    nx = pytest.importorskip("networkx")
    found = sg.graph(product, adjoints=True).to_networkx()
    assert nx.is_directed_acyclic_graph(found)
    assert found.nodes["n3"]["label"] == "y = u·v"
    assert found.edges["n2", "n3"]["adjoint"] == "sin(x)"


def test_networkx_is_asked_for_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtra, match="pip install networkx"):
        sg.graph(product).to_networkx()


HOSTILE = [
    "</svg><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    'a"]; b -> c [label="',
    "]] end\nclick n0 call",
    '\\N\\"',
    "\x00\x1b[31m",
    "a\u202eb",
    "`${1}`",
    "%%{init: {}}%%",
    "#quot;",
]
MERMAID = re.compile(r'    n\d(\(\[|\[\[?)"[^"<>`\[\]{}]*"(\]\)|\]\]?)|    n\d -->(\|"[^"<>`]*"\|)? n\d')
DOT = re.compile(r'    n\d( -> n\d)?( \[label="([^"\\]|\\.)*"(, [^"]*)?\])?;')


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_inside_their_labels(name):
    found = sg.graph(sg.sin(sg.symbol(name)) * 2, adjoints=True)
    tree = xml.dom.minidom.parseString(found.to_svg())
    assert {e.tagName for e in tree.getElementsByTagName("*")} <= {"svg", "style", "rect", "text", "path", "polygon"}
    assert all(map(MERMAID.fullmatch, found.to_mermaid().splitlines()[1:]))
    assert all(map(DOT.fullmatch, found.to_dot().splitlines()[4:-1]))


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: sg.graph(product, adjoints="all"), ArgumentError, "Expected one of"),
        (lambda: sg.graph(product, most=2), ArgumentError, "at least 3"),
        (lambda: sg.graph(product, adjoints="number"), ArgumentError, "needs a value"),
        (lambda: sg.graph(sg.symbol("x", 3) * 2, adjoints=True), ShapeError, "scalar outputs"),
        (lambda: sg.graph("x"), ArgumentTypeError, "a tensor or a function"),
    ],
)
def test_errors_say_what_to_do(call, error, says):
    with pytest.raises(error, match=says):
        call()
