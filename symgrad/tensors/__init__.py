"""The tensor: its operators, methods, statements in place, and NumPy's protocols."""
