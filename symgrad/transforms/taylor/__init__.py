"""Taylor arithmetic: coefficients of t ↦ f(x(t)), of all orders in one pass over what f recorded."""

from symgrad.transforms.taylor.coefficients import jet, taylor

__all__ = ["jet", "taylor"]
