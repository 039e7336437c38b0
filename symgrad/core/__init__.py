"""The graph and what surrounds it: nodes, kernels, modes, hooks, trees, and how they print and are pickled."""
