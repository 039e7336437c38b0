"""What depends on the order of entries: sorting, medians, quantiles, searching."""
