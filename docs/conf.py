"""Sphinx configuration. The documentation is built from the installed package."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from furo.navigation import get_navigation_tree

import symgrad

project = "symgrad"
author = "symgrad developers"
copyright = "symgrad developers"
version = release = symgrad.__version__

extensions = [
    "myst_nb",  # Markdown, and notebooks written as Markdown
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",  # sections written "Args:"
    "numpydoc",  # sections written "Parameters" and underlined
    "symgrad_docs",  # formulas, the reference, pictures, examples
]
exclude_patterns = ["_build", "jupyter_execute"]

html_theme = "furo"
templates_path = ["templates"]
html_title = f"symgrad {release}"
html_math_renderer = "mathml"  # drawn by the browser, without a script from the network
html_static_path = ["static"]
html_css_files = ["symgrad.css"]
html_js_files = ["symgrad.js"]
html_use_index = False  # the search finds every name
html_copy_source = False

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
default_role = "code"
napoleon_numpy_docstring = False
napoleon_use_rtype = False  # what is returned is described in words, not by a type
napoleon_use_ivar = True  # attributes are listed with their class, beside what autodoc finds
numpydoc_show_class_members = False

# Literal text, a role, or a character that reStructuredText would take for markup.
_MARKUP = re.compile(r"(``.+?``|:[\w:]+:`.+?`|`.+?`)|([*|]|(?<=\w)_(?!\w))")


def keep_formulas(app, what, name, obj, options, lines):
    """Escape `*`, `|` and a trailing `_` in docstrings, where they belong to formulas and torch's names."""
    in_example = False
    for k, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            lines[k] = _MARKUP.sub(lambda m: m[1] or "\\" + m[2], line)


def skip_functions(app, what, name, obj, skip, options):
    """Leave out the methods that a tensor inherits and that are functions, and fields of tuples."""
    if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number"):
        return True
    functions = {
        *symgrad.__all__,
        *symgrad.linalg.__all__,
        *symgrad.special.__all__,
        *symgrad.nn.functional.__all__,
        *symgrad.signal.__all__,
        *symgrad.fft.__all__,
    }
    inherited = hasattr(symgrad.Tensor, name) and name not in vars(symgrad.Tensor)
    return True if what == "class" and inherited and {name, name.rstrip("_")} & functions else None


def fold_menu(app, pagename, templatename, context, doctree):
    """Let the menu show what is below the groups that a page belongs to, and of the others the first pages only."""
    if "toctree" in context:
        folded = context["toctree"](collapse=True, titles_only=True, maxdepth=-1, includehidden=True)
        levelled = folded.replace('role="heading"', 'role="heading" aria-level="2"')
        context["furo_navigation_tree"] = get_navigation_tree(levelled)


def setup(app):
    """Put the escaping before napoleon and numpydoc, which write markup of their own; and the menu after the theme."""
    app.connect("autodoc-process-docstring", keep_formulas, priority=400)
    app.connect("autodoc-skip-member", skip_functions)
    app.connect("html-page-context", fold_menu, priority=600)
