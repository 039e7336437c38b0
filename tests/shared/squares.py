"""A function that other processes find by its name: this folder is on their path, as it is on the tests'."""


def square(x):
    """Σ x²."""
    return (x**2).sum()
