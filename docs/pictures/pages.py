"""Pages that are shown within pages."""

import numpy as np

import symgrad as sg


def report() -> str:
    """The report of a logistic regression of four points."""
    X = sg.tensor([[0.5, 1.0], [-1.0, 0.3], [1.5, -0.4], [-0.2, -1.1]], name="X")
    y, w = sg.tensor([1.0, 0.0, 1.0, 0.0], name="y"), sg.tensor(np.array([0.4, -0.3]), requires_grad=True, name="w")
    loss = sg.nn.functional.binary_cross_entropy_with_logits(X @ w, y)
    return sg.report(loss, w, path=None, title="The gradient of a logistic regression").page
