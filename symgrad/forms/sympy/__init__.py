"""SymPy's own expressions: reading them, and writing forms as them."""
