"""LaTeX of pages as MathML, which browsers draw themselves: no script, and no network."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxTranslator

SPELLED = {r"\dots": r"\ldots"}


def setup(app: Sphinx) -> None:
    """Add the renderer that `html_math_renderer` names."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))


def written(latex: str, *, as_block: bool = False) -> str:
    """MathML of a formula."""
    for command, known in SPELLED.items():
        latex = latex.replace(command, known)
    return str(tex2mathml(latex, as_block=as_block))


def inline(translator: SphinxTranslator, node: nodes.Element) -> None:
    """Write a formula within a line."""
    translator.body.append(written(node.astext()))
    raise nodes.SkipNode


def block(translator: SphinxTranslator, node: nodes.Element) -> None:
    """Write a formula on lines of its own; it may be scrolled where the page is narrow."""
    translator.body.append(f'<div class="formula">{written(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode
