"""Derivations step by step, as data."""
