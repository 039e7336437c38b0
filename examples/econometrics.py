"""Maximum likelihood in an econometrician's words: score, information, standard errors, robust ones, and a test.

A likelihood is written once, for each observation. Its gradient is the score, its Hessian the observed information,
and its Jacobian has the score of every observation. For normal errors of one variance all of it is known in closed
form, and agrees; where the variance depends on the patient it is not, and takes no other lines.
Data: progression of diabetes in 442 patients by age, sex, body mass, blood pressure and six blood tests
(Efron et al. 2004), which scikit-learn ships.
Run: pip install ".[examples]" && python examples/econometrics.py
"""

import numpy as np
from scipy.optimize import minimize
from scipy.stats import chi2
from sklearn.datasets import load_diabetes

import symgrad as sg


def normal(b, s, X, y):
    """Log density of each y under N(X b, exp(s)), of shape (n,); s is one number, or one for each observation."""
    return -0.5 * ((y - X @ b) ** 2 / sg.exp(s) + s + np.log(2 * np.pi))


def formulas():
    """Score and Hessian in b, for n observations of d regressors."""
    X, y, b, s = sg.symbol("X", ("n", "d")), sg.symbol("y", "n"), sg.symbol("b", "d"), sg.symbol("s")
    total = normal(b, s, X, y).sum()
    return sg.derive(total, b), sg.derive(total, b, order=2)


def fit(density, start):
    """Return the maximum, its log-likelihood, and the standard errors from the Hessian and from the sandwich."""
    each = sg.compile(density)
    loss = sg.compile(sg.value_and_grad(lambda theta: -each(theta).sum()))
    information = sg.compile(sg.hessian(lambda theta: -each(theta).sum()))
    found = minimize(loss, start, jac=True, hess=information, method="trust-exact", options={"gtol": 1e-7})
    inverse, scores = np.linalg.inv(information(found.x)), sg.jacobian(each)(found.x)
    robust = inverse @ scores.T @ scores @ inverse
    return found.x, -found.fun, np.sqrt(np.diag(inverse)), np.sqrt(np.diag(robust))


def main():
    """Derive, fit both models, and compare with what is known."""
    score, hessian = formulas()
    print(f"1. One variance, exp(s): score in b = {score},  Hessian in b = {hessian}")
    data = load_diabetes()
    X = np.column_stack([np.ones(len(data.target)), data.data * np.sqrt(len(data.target))])  # of variance 1
    y, d = data.target, X.shape[1]
    start = np.concatenate([[y.mean()], np.zeros(d - 1), [np.log(y.var())]])
    theta, likelihood, errors, robust = fit(lambda theta: normal(theta[:d], theta[d], X, y), start)

    gram = np.linalg.inv(X.T @ X)
    b = gram @ X.T @ y
    residual = y - X @ b
    assert np.allclose(theta[:d], b, rtol=1e-6)
    assert np.allclose(errors[:d], np.sqrt(np.diag(gram) * np.mean(residual**2)), rtol=1e-6)
    assert np.allclose(robust[:d], np.sqrt(np.diag(gram @ (X.T * residual**2) @ X @ gram)), rtol=1e-6)
    print("   Estimates, standard errors and White's robust ones equal the closed forms of least squares")

    start = np.append(theta, np.zeros(d - 1))
    other, other_likelihood, other_errors, _ = fit(lambda theta: normal(theta[:d], X @ theta[d:], X, y), start)
    print("2.              one variance: s.e.   robust    exp(X c): s.e.         c     s.e.")
    for k, name in enumerate(["(mean)", *data.feature_names]):
        one, two = f"{theta[k]:10.2f} {errors[k]:8.2f} {robust[k]:8.2f}", f"{other[k]:10.2f} {other_errors[k]:6.2f}"
        print(f"   {name:9} {one}  {two}  {other[d + k]:9.3f} {other_errors[d + k]:6.3f}")
    ratio = 2 * (other_likelihood - likelihood)
    print(f"3. Likelihood ratio {ratio:.1f} with {d - 1} degrees of freedom: p = {chi2.sf(ratio, d - 1):.1e}")
    assert ratio > 0


if __name__ == "__main__":
    main()
