"""Formulas of numbers as people write them: rewritten by identities, and the shortest of what is equal is taken."""
