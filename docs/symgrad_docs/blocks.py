"""Sessions that are shown end with their last line: the empty one that ends them for the tests is left out."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class TrimBlocks(SphinxTransform):
    """Takes empty lines from the end of every block of code."""

    default_priority = 500

    def apply(self) -> None:
        """Cut the text; the highlighter reads the same one."""
        for block in self.document.findall(nodes.literal_block):
            text = block.astext().rstrip()
            if len(block.children) == 1 and isinstance(block[0], nodes.Text):
                block.rawsource = text
                block[0] = nodes.Text(text)


def setup(app: Sphinx) -> None:
    """Add the transform."""
    app.add_transform(TrimBlocks)
