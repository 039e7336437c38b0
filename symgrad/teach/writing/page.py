"""A page of HTML around sections: its style for wide and narrow, light and dark, and what it may do."""

from __future__ import annotations

from collections.abc import Sequence

from symgrad.support.foreign import html

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
SCRIPTED = f"{POLICY}; script-src 'unsafe-inline'"  # of a page that has its own script
STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1a222c; --faint: #5a6673; --line: #d5dbe1; --code: #f4f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181d; --ink: #e4e9ee; --faint: #a3aeb9; --line: #37414c; --code: #1d232a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.2rem clamp(0.9rem, 4vw, 2.5rem) 4rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; margin: 0.6em 0; }
h2 { font-size: 1.2rem; margin: 2.2em 0 0.6em; padding-bottom: 0.25em; border-bottom: 1px solid var(--line); }
nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; font-size: 0.95rem; }
nav a { color: inherit; }
.wide, pre { overflow-x: auto; }
.formula { font-size: 1.2rem; overflow-x: auto; padding: 0.4em 0; }
math { font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", "DejaVu Math TeX Gyre", math; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.35em 1.2em 0.35em 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--faint); font-weight: 600; }
pre { background: var(--code); padding: 0.9em 1em; border-radius: 6px; font-size: 0.85rem; line-height: 1.45; }
@media (max-width: 40rem) { body { font-size: 15px; } .symgrad-steps small { display: block; margin-left: 0; } }
@media print {
  :root { color-scheme: light; --page: #ffffff; --ink: #000000; --faint: #444444; --line: #999999; --code: #ffffff; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav { display: none; }
  h2 { break-after: avoid; }
  .wide, pre, .formula { overflow: visible; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  th, td { white-space: normal; overflow-wrap: anywhere; }
  tr, .formula { break-inside: avoid; }
  .wide svg { max-width: 100%; max-height: 24cm; height: auto; }
  .sg-long math { font-size: calc(1em * var(--fit, 1)); }
}
""".strip()


def page(title: str, sections: Sequence[tuple[str, str]]) -> str:
    """Return the page of some sections, with its title and links to them at its top.

    Args:
        title: text.
        sections: a heading, which is text, and HTML for each.
    """
    links = "".join(f'<a href="#{_anchor(name)}">{html(name)}</a>' for name, _ in sections)
    body = "\n".join(f'<section id="{_anchor(n)}"><h2>{html(n)}</h2>\n{text}</section>' for n, text in sections)
    return document(title, f"<main>\n<h1>{html(title)}</h1>\n<nav>{links}</nav>\n{body}\n</main>")


def document(title: str, body: str, style: str = "", policy: str = POLICY) -> str:
    """Return the page around a body of HTML.

    Args:
        title: text.
        body: HTML.
        style: beside that of all pages.
        policy: what the page may load and run; by default nothing.
    """
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html(title)}</title>
<style>
{STYLE}{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def _anchor(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower())
