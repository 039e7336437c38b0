"""Names such as ``sg.derive`` lead to their place in the reference, wherever a page or a docstring has them."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

NAME = re.compile(r"(?:sg|symgrad)\.([A-Za-z_][\w.]*)(?:\(.*\))?")
LINKS = (nodes.reference, nodes.title, addnodes.pending_xref)


def is_linked(node: nodes.Node | None) -> bool:
    """Whether a node is in a link or a heading, however deep."""
    while node is not None and not isinstance(node, LINKS):
        node = node.parent
    return node is not None


class LinkNames(SphinxTransform):
    """Wraps a name of symgrad's in code in a reference, where there is no link yet."""

    default_priority = 500

    def apply(self) -> None:
        """Wrap each; what has no place in the reference stays as it is."""
        for literal in list(self.document.findall(nodes.literal)):
            name = NAME.fullmatch(literal.astext())
            if name and not is_linked(literal):
                target = "symgrad." + name[1]
                xref = addnodes.pending_xref("", refdomain="py", reftype="obj", reftarget=target, refexplicit=True)
                xref["refdoc"], xref["refwarn"] = self.env.docname, False
                literal.replace_self(xref)
                xref += literal


def setup(app: Sphinx) -> None:
    """Add the transform."""
    app.add_transform(LinkNames)
