"""Recording operations and sweeping over their graph, backwards and forwards."""
