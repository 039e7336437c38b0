"""Graphs as boxes and arrows, and what draws them."""
