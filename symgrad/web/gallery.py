"""Examples to begin with: what people differentiate, each with a line on why."""

from __future__ import annotations

from typing import Any, NamedTuple


class Example(NamedTuple):
    """An example.

    Attributes:
        title, why: what it is, and why anybody wants its derivative.
        formula, wrt: what is differentiated by what.
        names: shapes and marks of names that the usual letters do not tell, as "S: n n symmetric".
        order: how often.
    """

    title: str
    why: str
    formula: str
    wrt: str
    names: str = ""
    order: int = 1


GALLERY: dict[str, tuple[Example, ...]] = {
    "Classroom": (
        Example("Product rule", "Two factors, each differentiated in turn.", "x**2*sin(x)", "x"),
        Example("Quotient rule", "The slope of sin(x)/x, and why it is flat at 0.", "sin(x)/x", "x"),
        Example("Chain rule", "Three functions inside each other, from the outside in.", "exp(sin(x**2))", "x"),
        Example("x to the power x", "Neither a power nor an exponential: take the logarithm first.", "x**x", "x"),
        Example("Bell curve", "Its second derivative is 0 where the curve turns.", "exp(-x**2/2)", "x", order=2),
        Example("Arc tangent", "The angle under which a painting is seen is largest where this is 0.",
                "atan(a/x) - atan(b/x)", "x"),
        Example("A box of cardboard", "Cut which corners for the largest box? Set the slope to 0.",
                "x*(a - 2*x)*(b - 2*x)", "x"),
        Example("Circle", "An equation: y depends on x, and both sides are differentiated.", "x**2 + y**2 = 25", "x"),
        Example("Folium of Descartes", "A loop whose slope has both x and y in it.", "x**3 + y**3 = 6*x*y", "x"),
        Example("Saddle", "Up along one way, down along the other: look at the contours.", "x**2 - y**2", "x"),
        Example("Rosenbrock's valley", "A long curved valley, on which optimisers are tried.",
                "(1 - x)**2 + 100*(y - x**2)**2", "x"),
    ),
    "Regression": (
        Example("Least squares", "Set it to 0, and the normal equations stand there.", "sum((X @ w - y)**2)", "w"),
        Example("Ridge regression", "The penalty adds 2λw, which keeps the weights small.",
                "sum((X @ w - y)**2) + lam*sum(w**2)", "w"),
        Example("Curvature of least squares", "2XᵀX does not depend on w: one Newton step solves it.",
                "sum((X @ w - y)**2)", "w", order=2),
        Example("Weighted least squares", "Measurements with different errors count differently.",
                "sum(c*(X @ w - y)**2)", "w", "c: n positive"),
        Example("Logistic regression", "Labels are -1 and 1; the slope holds the chance of being wrong.",
                "sum(log(1 + exp(-y*(X @ w))))", "w"),
        Example("Poisson regression", "For counts: the residual is rate minus count.",
                "sum(exp(X @ w)) - y @ (X @ w)", "w"),
        Example("Huber's loss, smooth", "Outliers pull with a bounded force.",
                "sum(sqrt(1 + (X @ w - y)**2) - 1)", "w"),
    ),
    "Learning": (
        Example("Log-sum-exp", "The derivative of the soft maximum is softmax.", "logsumexp(x, 0)", "x"),
        Example("Softmax", "Its Jacobian is diag(p) - p pᵀ.", "softmax(x, 0)", "x"),
        Example("Cross-entropy", "Probabilities minus labels: the start of every backward pass.",
                "logsumexp(x, 0) - y @ x", "x", "y: n one-hot"),
        Example("Layer of a network", "The gradient of weights is an outer product.",
                "sum(tanh(W @ x + b)**2)", "W"),
        Example("Two layers", "Backpropagation by hand.", "v @ tanh(W @ x)", "W"),
        Example("Matrix factorisation", "Recommendations: ratings as a product of two thin matrices.",
                "sum((R - U @ V.T)**2)", "U"),
        Example("Triplet loss", "Near to what is alike, far from what is not.",
                "sum((a - p)**2) - sum((a - q)**2)", "a"),
    ),
    "Statistics": (
        Example("Gaussian likelihood, mean", "The best mean is the average, whatever the covariance.",
                "(x - mu) @ inv(S) @ (x - mu)/2", "mu", "S: n n symmetric"),
        Example("Gaussian likelihood, covariance", "Set it to 0: the covariance of the sample.",
                "logdet(S) + trace(inv(S) @ C)", "S", "S: n n symmetric; C: n n symmetric"),
        Example("Gaussian process", "Evidence for a kernel: fit against size.",
                "y @ inv(K) @ y/2 + logdet(K)/2", "K", "K: n n symmetric"),
        Example("Principal components", "The slope of the variance along w, on the way to an eigenvector.",
                "(w @ S @ w)/(w @ w)", "w", "S: d d symmetric"),
        Example("Entropy", "Where it is largest all chances are equal.", "-sum(p*log(p))", "p", "p: n positive"),
        Example("Relative entropy", "How far one distribution is from another.", "sum(p*log(p/q))", "q",
                "p: n positive; q: n positive"),
    ),
    "Mechanics": (
        Example("Robot arm, two joints", "How the hand moves as the first joint turns: a column of the Jacobian.",
                "(l1*cos(a) + l2*cos(a + b) - x)**2 + (l1*sin(a) + l2*sin(a + b) - y)**2", "a"),
        Example("Pendulum", "The force is the slope of the energy.", "m*g*l*(1 - cos(theta))", "theta",
                "theta:; m:; g:; l:"),
        Example("Kepler's equation", "Newton's method for a planet's place divides by this.",
                "E - ecc*sin(E) - M", "E"),
        Example("Gravity", "Minus this is the force between two bodies.", "-G*m1*m2/norm(r)", "r",
                "G:; m1:; m2:; r: d"),
        Example("Lennard-Jones", "Atoms attract from afar and repel when near.",
                "4*eps*((s/r)**12 - (s/r)**6)", "r", "r: positive; s: positive; eps:"),
        Example("Spring network", "Stiffness times displacement.", "u @ K @ u/2 - f @ u", "u", "K: n n symmetric"),
    ),
    "Finance and more": (
        Example("Portfolio", "Return against risk: where it is 0 the portfolio is best.",
                "mu @ w - gam/2*(w @ S @ w)", "w", "S: n n symmetric; gam:"),
        Example("Value of a bond", "How the price falls as interest rises: its duration.",
                "c/(1 + r) + c/(1 + r)**2 + (c + 100)/(1 + r)**3", "r"),
        Example("Logistic growth", "Fastest at half of what there is room for.", "K/(1 + exp(-r*(t - t0)))", "t"),
        Example("Trace of a product", "The first identity of every table.", "trace(A @ X @ B)", "X"),
        Example("Logarithm of a determinant", "The inverse, transposed.", "logdet(X)", "X"),
    ),
}  # fmt: skip


def gallery() -> list[dict[str, Any]]:
    """Return the examples as a page takes them: title, why, group, and the exercise."""
    return [
        {"title": e.title, "why": e.why, "group": group, "exercise": _exercise(e)}
        for group, examples in GALLERY.items()
        for e in examples
    ]


def _exercise(e: Example) -> dict[str, Any]:
    names = dict(_declared(part) for part in e.names.split(";") if part)
    return {"formula": e.formula, "wrt": e.wrt, "order": e.order, **({"names": names} if names else {})}


def _declared(text: str) -> tuple[str, dict[str, Any]]:
    """Return a name and what it stands for, of "S: n n symmetric"."""
    name, _, rest = text.partition(":")
    words = rest.split()
    shape = [word for word in words if len(word) == 1]
    kind = ("number", "vector", "matrix")[len(shape)]
    return name.strip(), {"kind": kind, "shape": shape, "assume": [word for word in words if len(word) > 1]}
