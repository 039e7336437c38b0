"""Functions of several variables: fields and their derivatives, critical points, extrema under constraints."""
