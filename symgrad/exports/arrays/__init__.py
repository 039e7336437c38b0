"""Programs in languages that have arrays."""
