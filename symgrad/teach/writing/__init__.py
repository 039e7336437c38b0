"""Derivations as text, LaTeX, HTML and MathML."""
