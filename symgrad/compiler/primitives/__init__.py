"""Programs in primitive steps: of whole arrays, and of single numbers."""
