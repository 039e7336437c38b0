"""``sg.optim``: torch's optimisers, and SciPy's with the derivatives filled in."""

from symgrad.optim.adam import Adam, AdamW
from symgrad.optim.equations import least_squares, root
from symgrad.optim.minimize import minimize
from symgrad.optim.optimizer import Optimizer
from symgrad.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "least_squares", "minimize", "root"]
