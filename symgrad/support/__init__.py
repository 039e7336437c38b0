"""Helpers that do not depend on differentiation: files, text from users, forks and lazy properties."""
