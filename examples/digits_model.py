"""PyTorch's quickstart on real data: a model of modules reads handwritten digits; then its gradients as formulas.

Data: the 1797 digits of 8 x 8 pixels that scikit-learn ships.
Run: pip install ".[examples]" && python examples/digits_model.py
"""

import numpy as np
from sklearn.datasets import load_digits

import symgrad as sg
from symgrad import nn
from symgrad.utils.data import DataLoader, TensorDataset


def data():
    """Pixels between 0 and 1 as images of one channel, shuffled; the last 360 digits are for testing."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images, labels = digits.images[order, None] / 16, digits.target[order]
    return TensorDataset(images[:-360], labels[:-360]), TensorDataset(images[-360:], labels[-360:])


def network():
    """One layer of windows, one of all pixels."""
    return nn.Sequential(
        nn.Conv2d(1, 12, kernel_size=3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(12 * 16, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 10),
    )  # fmt: skip


def train(model, loader, epochs):
    """Adam, with a learning rate that falls along a cosine."""
    loss_of, optimizer = nn.CrossEntropyLoss(), sg.optim.Adam(model.parameters(), lr=4e-3)
    schedule = sg.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        total = 0.0
        for images, labels in loader:
            optimizer.zero_grad()
            loss = loss_of(model(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
        schedule.step()
        if epoch % 4 == 0:
            print(f"   epoch {epoch:2}: mean loss {total / len(loader.dataset):.4f}")


def accuracy(model, dataset):
    """The share of digits that are read correctly."""
    images, labels = dataset[:]
    with sg.no_grad():
        return (model.eval()(images).argmax(1) == labels).double().mean().item()


def main():
    """Train, test, print the formulas of the last layers."""
    sg.manual_seed(0)
    model, (training, testing) = network(), data()
    print(model)
    print(f"1. Training on {len(training)} digits")
    train(model.train(), DataLoader(training, batch_size=32, shuffle=True), epochs=16)
    share = accuracy(model, testing)
    print(f"2. {share:.1%} of {len(testing)} other digits are read correctly")
    assert share >= 0.97
    print("3. Back-propagation through the layers behind the images, as formulas")
    inputs, targets = sg.symbol("X", ("n", 192)), sg.symbol("T", ("n", 10), onehot=True)
    print(sg.derive(nn.CrossEntropyLoss()(model[4:](inputs), targets), model[4:]))


if __name__ == "__main__":
    main()
