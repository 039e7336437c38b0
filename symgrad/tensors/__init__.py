"""The tensor: its operators, methods and in-place operations, and its support of NumPy's protocols."""
