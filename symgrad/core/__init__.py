"""The nodes of the graph, and their kernels, modes, hooks, trees, printing and pickling."""
