"""Sums, means, extremes, running sums: what becomes of entries along axes."""
