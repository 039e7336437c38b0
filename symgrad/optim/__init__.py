"""``sg.optim``: PyTorch's optimisers, and SciPy's minimisers with exact derivatives."""

from typing import TYPE_CHECKING

from symgrad.optim import lr_scheduler, swa_utils
from symgrad.optim.adafactor import Adafactor
from symgrad.optim.adam import Adam, AdamW
from symgrad.optim.equations import curve_fit, least_squares, root
from symgrad.optim.lbfgs import LBFGS
from symgrad.optim.minimize import minimize
from symgrad.optim.momentum import Adamax, NAdam, RAdam
from symgrad.optim.muon import Muon
from symgrad.optim.nonlinear import NLP, nlp
from symgrad.optim.optimizer import Optimizer
from symgrad.optim.rmsprop import Adadelta, Adagrad, RMSprop
from symgrad.optim.rprop import ASGD, Rprop
from symgrad.optim.sgd import SGD
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace

__all__ = [
    "ASGD", "LBFGS", "NLP", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Muon", "NAdam",
    "Optimizer", "RAdam", "RMSprop", "Rprop", "curve_fit", "least_squares", "lr_scheduler", "minimize", "nlp",
    "root", "swa_utils",
]  # fmt: skip

if not TYPE_CHECKING:  # checkers would take every name for one that there is
    __getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__, first=True)
