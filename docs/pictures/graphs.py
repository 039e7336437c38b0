"""Computations as graphs, drawn by `sg.graph`."""

import symgrad as sg


def graph_of_a_chain() -> str:
    """Graph of y = exp(sin(x²)) at x = 1.2: a box for each link with its value, an adjoint beside each arrow."""
    x = sg.tensor(1.2, requires_grad=True, name="x")
    return sg.graph(sg.exp(sg.sin(x**2)), adjoints=True, wrt=x).to_svg()


def graph_of_least_squares() -> str:
    """Graph of the sum of squares of X w − y: the leaves X, w and y lead through the residual to one number."""
    X, w, y = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("y", "n")
    return sg.graph(((X @ w - y) ** 2).sum(), adjoints=True, wrt=w).to_svg()


def graph_of_a_layer() -> str:
    """Graph of a layer and its binary cross entropy, with the adjoint of each intermediate result as a formula."""
    X, W = sg.symbol("X", ("n", "d")), sg.symbol("W", ("d", "k"))
    b, Y = sg.symbol("b", "k"), sg.symbol("Y", ("n", "k"))
    loss = sg.nn.functional.binary_cross_entropy_with_logits(X @ W + b, Y)
    return sg.graph(loss, adjoints=True, wrt=[W, b]).to_svg()


def graph_of_attention() -> str:
    """Graph of attention: softmax of the products of queries and keys, times the values."""
    Q, K, V = (sg.symbol(name, ("n", "d")) for name in "QKV")
    return sg.graph((sg.softmax(Q @ K.T / 8, 1) @ V).sum()).to_svg()
