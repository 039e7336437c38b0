"""Discussing a curve: its domain, zeros, asymptotes, extrema and convexity, each certified before it is said."""
