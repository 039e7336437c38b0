"""Transforms of functions: tracing, batching, Jacobians, loops and Taylor series."""
