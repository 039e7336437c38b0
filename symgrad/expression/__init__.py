"""Formulas as text: reading them safely, and the arguments of a derivative.

Text from users is parsed against a fixed grammar with limits on its size; it is never executed.
"""
