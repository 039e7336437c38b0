"""Other shapes and orders for the same entries, and arrays put together and taken apart."""
