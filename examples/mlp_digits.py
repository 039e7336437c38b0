"""Train a two-layer network on handwritten digits in PyTorch's manner, and print back-propagation as formulas.

Data: the 1797 digits of 8 x 8 pixels that scikit-learn ships.
Run: pip install ".[examples]" && python examples/mlp_digits.py
"""

import numpy as np
from sklearn.datasets import load_digits

import symgrad as sg

HIDDEN, BATCH, EPOCHS = 48, 64, 25


def logits(X, W1, b1, W2, b2):
    """One hidden layer. Runs on arrays with values and on symbols without."""
    return sg.tanh(X @ W1 + b1) @ W2 + b2


def formulas():
    """The gradients of the mean cross entropy in all parameters, with their common parts named once."""
    X, P = sg.symbol("X", ("n", "d")), sg.symbol("P", ("n", "k"), onehot=True)
    parameters = [
        sg.symbol("W1", ("d", "h")), sg.symbol("b1", "h"), sg.symbol("W2", ("h", "k")), sg.symbol("b2", "k")
    ]  # fmt: skip
    loss = sg.nn.functional.cross_entropy(logits(X, *parameters), P)
    return sg.derive(loss, parameters)


def data():
    """Pixels between 0 and 1, shuffled; the last 360 digits are for testing."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    X, labels = digits.data[order] / 16, digits.target[order]
    return X[:-360], labels[:-360], X[-360:], labels[-360:]


def train(X, labels, generator):
    """Adam on batches."""
    weights = [generator.normal(size=s) / np.sqrt(s[0]) for s in ((64, HIDDEN), (HIDDEN, 10))]
    W1, W2 = (sg.tensor(w, requires_grad=True) for w in weights)
    b1, b2 = (sg.zeros(size, requires_grad=True) for size in (HIDDEN, 10))
    optimizer = sg.optim.Adam([W1, b1, W2, b2], lr=5e-3)
    for epoch in range(EPOCHS):
        order, total = generator.permutation(len(labels)), 0.0
        for batch in np.array_split(order, len(labels) // BATCH):
            optimizer.zero_grad()
            loss = sg.nn.functional.cross_entropy(logits(X[batch], W1, b1, W2, b2), labels[batch])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        if epoch % 6 == 0:
            print(f"   epoch {epoch:2}: mean loss {total / len(labels):.4f}")
    return W1, b1, W2, b2


def main():
    """Print the formulas, train, test."""
    print("1. Back-propagation, derived: X has n rows, P is one-hot")
    print("   " + str(formulas()).replace("\n", "\n   "))
    X, labels, X_test, labels_test = data()
    print(f"2. Training on {len(labels)} digits")
    parameters = train(X, labels, np.random.default_rng(1))
    with sg.no_grad():
        predicted = logits(X_test, *parameters).argmax(1).numpy()
    accuracy = np.mean(predicted == labels_test)
    print(f"3. {accuracy:.1%} of {len(labels_test)} other digits are read correctly")
    assert accuracy > 0.95


if __name__ == "__main__":
    main()
