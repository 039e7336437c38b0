"""Formulas as MathML, which browsers draw themselves: no script, and no network.

LaTeX of pages is translated; the directive ``derived`` runs its lines and shows the closed form that the last one is.
"""

import ast
import html
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxTranslator

import symgrad

SPELLED = {r"\dots": r"\ldots", "×": r"\times ", "·": r"\cdot ", "−": "-", "→": r"\to ", "≤": r"\le ", "≥": r"\ge "}
logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> None:
    """Add the renderer that `html_math_renderer` names, and the directive."""
    app.add_directive("derived", Derived)
    app.add_html_math_renderer("mathml", (inline, None), (block, None))


def written(node: nodes.Element, *, as_block: bool = False) -> str:
    """MathML of a formula; one that cannot be read is shown as it stands, with a warning that says where it is."""
    latex = node.astext()
    for command, known in SPELLED.items():
        latex = latex.replace(command, known)
    try:
        return str(tex2mathml(latex, as_block=as_block))
    except MathError as error:
        logger.warning("formula %r: %s", latex, error, location=node)
        return f"<code>{html.escape(latex)}</code>"


def inline(translator: SphinxTranslator, node: nodes.Element) -> None:
    """Write a formula within a line."""
    translator.body.append(written(node))
    raise nodes.SkipNode


def block(translator: SphinxTranslator, node: nodes.Element) -> None:
    """Write a formula on lines of its own; it may be scrolled where the page is narrow."""
    translator.body.append(f'<div class="formula">{written(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


class Derived(SphinxDirective):
    """Shows its lines as code, and below them the formula that they lead to."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Run the lines; `sg` is there."""
        source = "\n".join(self.content)
        tree = ast.parse(source)
        last = tree.body.pop()
        if not isinstance(last, ast.Expr):
            raise self.error("the last line is no expression")
        names: dict[str, Any] = {"sg": symgrad}
        exec(compile(tree, "<page>", "exec"), names)
        form = eval(compile(ast.Expression(last.value), "<page>", "eval"), names)
        code = nodes.literal_block(source, source, language="python")
        return [code, nodes.raw("", f'<div class="formula derived">{form._repr_html_()}</div>', format="html")]
