"""What the documentation adds to Sphinx: formulas without a network, the reference, pictures, examples, links, blocks.

Each file is one of them and has a ``setup`` of its own.
"""

from typing import Any

from sphinx.application import Sphinx

from symgrad_docs import blocks, drawings, formulas, links, programs, reference, signatures


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up each part."""
    for part in (blocks, drawings, formulas, links, programs, reference, signatures):
        part.setup(app)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
