"""From the canonical term to matrix and index notation."""
