"""Functions of functions: tracing, batching, Jacobians, loops, and what they share."""
