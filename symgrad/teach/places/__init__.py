"""Places on a line: zeros of a formula, isolated by interval arithmetic and recognised as formulas."""
