"""Derivatives of sums over pairs and of differences between neighbours, as matrices."""

import numpy as np
import pytest
import reader_text
from test_reading import agrees, shown
from written_forms import differences, of_problem

PAIRS = {
    "kernel": (
        "X:n,d",
        "D=((X[:,None,:]-X[None,:,:])**2).sum(2); L=T.exp(-D/2).mean()",
        "2*(A - diag(A*1))*X/n**2 where A = exp(-cdist(X, X)^⊙2/2)",
    ),
    "kernel of numbers": (
        "X:5,2",
        "D=((X[:,None,:]-X[None,:,:])**2).sum(2); L=T.exp(-D/2).mean()",
        "2*(A - diag(A*1))*X/25 where A = exp(-cdist(X, X)^⊙2/2)",
    ),
    "weights that are not symmetric": (
        "X:n,d W:n,n",
        "D=((X[:,None,:]-X[None,:,:])**2).sum(2); L=(W*T.exp(-D)).sum()",
        "2*(A - diag(A*1))*X where A = exp(-cdist(X, X)^⊙2) ⊙ (W + Wᵀ)",
    ),
    "springs": (
        "X:n,d K:n,n!sym l:()",
        "D=T.sqrt(((X[:,None,:]-X[None,:,:])**2).sum(-1)+0.01); L=(K*(D-l)**2).sum()/2",
        "2*(diag(A*1) - A)*X where A = K ⊙ (1 - (l ⊘ sqrt(cdist(X, X)^⊙2 + 0.01)))",
    ),
    "contrast": (
        "X:n,d s:()!pos",
        "D=((X[:,None,:]-X[None,:,:])**2).sum(-1); L=T.logsumexp(-D/s,1).sum()",
        "2*(Pᵀ - diag(Pᵀ*1 + 1) + P)*X/s where P = softmax(-cdist(X, X)^⊙2/s)",
    ),
    "kernel ridge": (
        "X:n,d a:n y:n",
        "D=((X[:,None,:]-X[None,:,:])**2).sum(-1); L=((T.exp(-D/2)@a-y)**2).sum()",
        "2*(H2 - diag(H2*1))*X where H2 = H1 ⊙ (a*rᵀ + r*aᵀ); r = H1*a - y; H1 = exp(-cdist(X, X)^⊙2/2)",
    ),
    "centres": (
        "C:m,d X:n,d",
        "D=((X[:,None,:]-C[None,:,:])**2).sum(-1); L=-T.logsumexp(-D,1).sum()",
        "2*(diag(Pᵀ*1)*C - Pᵀ*X) where P = softmax(-cdist(X, C)^⊙2)",
    ),
    "distances": (
        "X:n,d W:n,n",
        "L=(W*(T.cdist(X,X)+T.eye(X.shape[0]))).sum()",
        "(diag(A*1) - A)*X where A = (W + Wᵀ) ⊘ cdist(X, X)",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_gradients_of_pairs_are_laplacians_times_x(name):
    printed(name, *PAIRS[name])


def printed(name, inputs, code, text):
    """Compare a gradient's print, its value, and the value that the print is read as."""
    by = inputs.split(":")[0]
    problem = {"name": name, "inputs": inputs, "code": code, "wrt": by, "order": 1}
    w = of_problem(problem)
    assert str(w.form) == text
    assert np.allclose(w.expected, differences(problem), rtol=1e-5, atol=1e-6)
    assert agrees(reader_text.matrix_value(shown(w)[0], w.shape, w.values, w.sizes), w.expected)


NEIGHBOURS = {
    "springs": (
        "x:n k:() l:()",
        "L=k/2*((x[1:]-x[:-1]-l)**2).sum()",
        "[0; η] - [η; 0] where η = k*(x[1:] - x[:-1] - l)",
    ),
    "second differences": (
        "x:n",
        "L=((x[2:]-2*x[1:-1]+x[:-2])**2).sum()",
        "2*([r; 0; 0] - 2*[0; r; 0] + [0; 0; r]) where r = x[2:] - 2*x[1:-1] + x[:-2]",
    ),
    "of a matrix, rows and columns": (
        "X:n,m",
        "L=((X[1:]-X[:-1])**2).sum()+((X[:,1:]-X[:,:-1])**2).sum()",
        "2*([0, R2] - [R2, 0] - [R1; 0] + [0; R1]) where R2 = X[:, 1:] - X[:, :-1]; R1 = X[1:, :] - X[:-1, :]",
    ),
    "by diff": ("x:n", "L=T.exp(T.diff(x)).sum()", "[0; a] - [a; 0] where a = exp(x[1:] - x[:-1])"),
    "valley": (
        "x:n",
        "L=(100*(x[1:]-x[:-1]**2)**2+(1-x[:-1])**2).sum()",
        "2*([x[:-1] ⊙ (1 - 200*r) - 1; 0] + 100*[0; r]) where r = x[1:] - x[:-1]^⊙2",
    ),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_gradients_of_differences_of_neighbours_stand_between_zeros(name):
    printed(name, *NEIGHBOURS[name])
