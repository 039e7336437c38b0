"""Recording of operations, and the backward and forward passes over the recorded graph."""
