"""The directive ``picture``: a picture of `docs/pictures/`, its docstring as the text that stands for it, a caption.

All are drawn when a build begins, by one process, into the folder of static files.
"""

from __future__ import annotations

import html
import inspect
import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import matplotlib
from docutils import nodes
from docutils.parsers.rst import directives
from pictures import STYLE, pages, pictures
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxTranslator
from sphinx.util.osutil import relative_uri

FOLDER = "_static/pictures"
DARK_STYLE = re.compile(r"@media \(prefers-color-scheme: dark\) \{.*?\n\}", re.DOTALL)


def svg(draw: Callable[[], Any]) -> str:
    """The text of a picture, for a light page: the page itself turns it around where it is dark."""
    drawn = draw()
    if isinstance(drawn, str):
        return DARK_STYLE.sub("", drawn)
    with io.StringIO() as file:
        drawn.savefig(file, format="svg", metadata={"Date": None})
        return file.getvalue()


def draw_all(app: Sphinx) -> None:
    """Draw every picture, and lay the sources beside them."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        for name, draw in pictures().items():
            (folder / f"{name}.svg").write_text(svg(draw), encoding="utf-8")
    (folder / "report.html").write_text(pages.report(), encoding="utf-8")
    for source in (Path(app.srcdir) / "pictures").glob("*.py"):
        shutil.copy(source, folder)


class Drawing(nodes.General, nodes.Element):
    """The picture called `name`, as an image."""


class Picture(SphinxDirective):
    """``picture`` with the name of a function of `docs/pictures/`; what it holds is the caption."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"code": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return a figure, and its source to be unfolded where `:code:` asks for it."""
        name = self.arguments[0]
        if name not in pictures():
            raise self.error(f"there is no picture {name!r}. Expected one of: {', '.join(pictures())}.")
        figure = nodes.figure("", Drawing(name=name), classes=["picture"])
        if self.content:
            parsed = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, parsed)
            caption = nodes.caption()
            for paragraph in parsed.children:
                caption.extend(paragraph.children)
            figure += caption
        return [figure, *(self.source(name) if "code" in self.options else [])]

    def source(self, name: str) -> list[nodes.Node]:
        """The picture's source, folded."""
        draw = pictures()[name]
        file = Path(inspect.getfile(draw)).name
        head = f"<details class='code'><summary>Code, of <code>docs/pictures/{file}</code></summary>"
        text = inspect.getsource(draw)
        raw = nodes.raw("", f"{head}<pre>{html.escape(text)}</pre></details>", format="html")
        return [raw]


def show(translator: SphinxTranslator, node: Drawing) -> None:
    """Write the image with its size, so that the page does not jump while it loads."""
    builder = translator.builder
    name = node["name"]
    where = relative_uri(builder.get_target_uri(builder.current_docname), f"{FOLDER}/{name}.svg")
    said = html.escape(inspect.getdoc(pictures()[name]) or "", quote=True)
    width, height = size((Path(builder.outdir) / FOLDER / f"{name}.svg").read_text(encoding="utf-8"))
    measures = f'width="{width:.0f}" height="{height:.0f}"'
    translator.body.append(f'<img class="drawn" src="{where}" alt="{said}" {measures} loading="lazy" />')
    raise nodes.SkipNode


def size(text: str) -> tuple[float, float]:
    """Width and height of an SVG in pixels."""
    found = re.search(r'width="([\d.]+)(pt)?" height="([\d.]+)(?:pt)?"', text[:2000])
    if found is None:
        raise ValueError("an SVG without a size")
    scale = 4 / 3 if found[2] else 1.0
    return float(found[1]) * scale, float(found[3]) * scale


def skip(translator: SphinxTranslator, node: Drawing) -> None:
    """Leave a picture out."""
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Add the directive, and draw once the folder of the result is known."""
    app.add_node(Drawing, html=(show, None), latex=(skip, None), text=(skip, None))
    app.add_directive("picture", Picture)
    app.connect("builder-inited", draw_all)
