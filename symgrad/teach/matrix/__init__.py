"""Derivatives of arrays as matrix calculus is taught: differentials, from which the gradient is read off."""
