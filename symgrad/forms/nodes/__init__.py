"""What formulas consist of: nodes that know their shape, and how they print."""
