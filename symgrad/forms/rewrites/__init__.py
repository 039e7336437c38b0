"""One set of rewrites of scalar formulas: canonical terms, shortest forms and lessons take them from here."""
