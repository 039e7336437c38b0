"""Curve sketching: domain, zeros, asymptotes, extrema and convexity, each certified before it is stated."""
