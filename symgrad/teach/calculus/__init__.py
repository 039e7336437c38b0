"""Derivatives of numbers as calculus is taught: from the outside in, each rule applied in place."""
