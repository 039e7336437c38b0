"""Programs in languages of single numbers: loops over flat arrays."""
