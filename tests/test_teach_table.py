"""Tables of a function and its derivative: rows, errors, printing, and the picture."""
