"""Functions of entries: those that are declared, and those with a rule of their own."""
