"""A convolutional network that reads handwritten digits, as PyTorch's first tutorial trains one.

With `import torch` in the place of the first import it runs on PyTorch. Data: the 1797 digits that scikit-learn ships.
Run: pip install ".[examples]" && python examples/from_pytorch/digits_cnn.py
"""

import numpy as np
from sklearn.datasets import load_digits

import symgrad as torch
from symgrad import nn, optim
from symgrad.nn import functional as F
from symgrad.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """Two layers of windows, two of all that they see."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.norm = nn.BatchNorm2d(16)
        self.fc1 = nn.Linear(16 * 2 * 2, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.norm(self.conv2(x))))
        x = torch.flatten(x, 1)
        return self.fc2(F.relu(self.fc1(x)))


def data():
    """Images of 8 x 8 pixels between 0 and 1, shuffled: 1437 to learn from, 360 to test."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = torch.tensor(digits.images[order, None] / 16, dtype=torch.get_default_dtype())
    labels = torch.tensor(digits.target[order])
    return TensorDataset(images[:-360], labels[:-360]), TensorDataset(images[-360:], labels[-360:])


def train(model, dataset, epochs):
    """The losses of stochastic gradient descent, a mean for each epoch."""
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.5)
    losses = []
    for _ in range(epochs):
        running_loss = []
        for inputs, labels in DataLoader(dataset, batch_size=32):
            optimizer.zero_grad()
            loss = criterion(model(inputs), labels)
            loss.backward()
            optimizer.step()
            running_loss.append(loss.item())
        scheduler.step()
        losses.append(np.mean(running_loss))
    return losses


def accuracy(model, dataset):
    """The share of digits that are read correctly."""
    images, labels = dataset[:]
    model.eval()
    with torch.no_grad():
        _, predicted = torch.max(model(images), 1)
    return (predicted == labels).sum().item() / labels.size(0)


def main():
    """Train and test."""
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    training, testing = data()
    model = Net()
    print(model)
    losses = train(model, training, epochs=8)
    print("losses", " ".join(f"{loss:.3f}" for loss in losses))
    share = accuracy(model, testing)
    print(f"{share:.1%} of {len(testing)} other digits are read correctly")
    assert share > 0.95


if __name__ == "__main__":
    main()
