"""Matrices: products, systems, factors, spectra, norms."""
