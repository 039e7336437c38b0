"""One loss, three results: fit a logistic regression, print the formula of its gradient, and call this formula.

Data: the Wisconsin breast-cancer measurements that scikit-learn ships, 569 patients by 30 features.
Run: pip install ".[examples]" && python examples/quickstart.py
"""

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer

import symgrad as sg

RIDGE = 1e-3


def loss(w, b, X, y):
    """Mean binary cross entropy of a linear model. Written once, for numbers and for formulas."""
    return sg.nn.functional.binary_cross_entropy_with_logits(X @ w + b, y)


def objective(theta, X, y):
    """The loss with a small ridge penalty, as a function of one vector of parameters, as SciPy requires."""
    w, b = theta[:-1], theta[-1]
    return loss(w, b, X, y) + RIDGE * (w @ w)


def main() -> None:
    """Fit, print, call, check."""
    data = load_breast_cancer()
    X = (data.data - data.data.mean(0)) / data.data.std(0)
    y = data.target.astype(float)
    n, d = X.shape
    Xt, yt = sg.tensor(X), sg.tensor(y)

    print(f"1. The number: logistic regression on {n} x {d} measurements")
    value_and_grad = sg.value_and_grad(lambda theta: objective(theta, Xt, yt))
    fit = minimize(value_and_grad, np.zeros(d + 1), jac=True, method="L-BFGS-B")
    w, b = fit.x[:-1], fit.x[-1]
    accuracy = np.mean((X @ w + b > 0) == (y == 1))
    print(f"   L-BFGS: {fit.nit} iterations, loss {fit.fun:.4f}, accuracy {accuracy:.1%}")

    print("2. The formula: the same function of symbols, with sizes n and d")
    symbols = [sg.symbol("w", "d"), sg.symbol("b"), sg.symbol("X", ("n", "d")), sg.symbol("y", "n")]
    form = sg.derive(loss(*symbols), symbols[0])
    print(f"   dL/dw     = {form}")
    print(f"   dL/dw_i   = {form.index()}")
    print(f"   LaTeX     = {form.latex()}")

    print(f"3. The function: the formula as a NumPy function of {', '.join(form.args)}")
    gradient = form.lambdify()
    by_formula = gradient(X=X, w=w, b=b, y=y)
    by_reverse_mode = sg.grad(loss)(w, b, X, y)
    print(f"   largest difference to reverse mode: {np.max(np.abs(by_formula - by_reverse_mode)):.1e}")

    print("4. The check: every method against finite differences, on ten patients")
    print(sg.testing.crosscheck(lambda w: loss(w, b, X[:10], y[:10]), w))


if __name__ == "__main__":
    main()
