"""Choose the hyper-parameters of a Gaussian process by its marginal likelihood, with exact gradients.

Prints the formula that textbooks give for the gradient (Rasmussen and Williams 2006, eq. 5.9), derived here, and
compares the fit with scikit-learn's.
Data: the 442 diabetes patients that scikit-learn ships, four of the measurements.
Run: pip install ".[examples]" && python examples/gaussian_process.py
"""

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import symgrad as sg

FEATURES = ["age", "bmi", "bp", "s5"]
TRAIN = 150


def kernel(theta, A, B):
    """s² exp(-½ Σ_i (a_i - b_i)² / l_i²) for all rows a of A and b of B; theta holds log s² and log l_i²."""
    scaled = (A[:, None] - B[None]) ** 2 * sg.exp(-theta[1:5])
    return sg.exp(theta[0] - 0.5 * scaled.sum(2))


def nll_of(K, y):
    """½ yᵀ K⁻¹ y + ½ log det K, the negative log marginal likelihood up to a constant."""
    return 0.5 * (y @ sg.linalg.solve(K, y) + sg.logdet(K))


def loss(theta, X, y):
    """The same as a function of all hyper-parameters; theta[5] is the log of the noise variance."""
    return nll_of(kernel(theta, X, X) + sg.exp(theta[5]) * sg.eye(len(y)), y)


def formula():
    """The gradient with respect to the covariance matrix, from the definition."""
    K, y = sg.symbol("K", ("n", "n"), symmetric=True), sg.symbol("y", "n")
    return sg.derive(nll_of(K, y), K)


def main():
    """Derive, fit, compare, predict."""
    print(f"1. d(nll)/dK = {formula()}")
    raw = load_diabetes()
    X, y = raw.data[:, [raw.feature_names.index(name) for name in FEATURES]], raw.target
    X, y = (X - X.mean(0)) / X.std(0), (y - y.mean()) / y.std()
    X, X_test, y, y_test = X[:TRAIN], X[TRAIN:], y[:TRAIN], y[TRAIN:]

    value_and_grad = sg.compile(sg.value_and_grad(loss))
    fit = minimize(value_and_grad, np.zeros(6), (X, y), "L-BFGS-B", jac=True)
    likelihood = -fit.fun - 0.5 * len(y) * np.log(2 * np.pi)
    scales = np.exp(fit.x[1:5] / 2)
    print(f"2. L-BFGS: log marginal likelihood {likelihood:.3f} after {fit.nfev} gradients")
    print("   length scales: " + ", ".join(f"{name} {scale:.3g}" for name, scale in zip(FEATURES, scales, strict=True)))

    prior = ConstantKernel(1.0, (1e-9, 1e9)) * RBF(np.ones(4), (1e-9, 1e9)) + WhiteKernel(1.0, (1e-9, 1e9))
    peer = GaussianProcessRegressor(prior).fit(X, y)
    print(f"   scikit-learn:                   {peer.log_marginal_likelihood_value_:.3f}")
    assert likelihood > peer.log_marginal_likelihood_value_ - 1e-2

    K = kernel(fit.x, X, X) + sg.exp(fit.x[5]) * sg.eye(TRAIN)
    mean = kernel(fit.x, X_test, X) @ sg.linalg.solve(K, y)
    error = np.sqrt(np.mean((mean.numpy() - y_test) ** 2))
    print(f"3. On {len(y_test)} other patients: root mean square error {error:.3f} of a standard deviation")
    assert error < 0.8


if __name__ == "__main__":
    main()
