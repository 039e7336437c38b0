"""Formulas of foreign text: how they are read, and what they may cost; what a derivative may be asked of."""
