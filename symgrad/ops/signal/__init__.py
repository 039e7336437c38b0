"""Signals: what is convolved, filtered and transformed along axes."""
