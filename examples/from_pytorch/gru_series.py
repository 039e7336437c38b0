"""A GRU that learns to continue a series of two waves with noise.

With `import torch` in the place of the first import it runs on PyTorch.
Run: python examples/from_pytorch/gru_series.py
"""

import numpy as np

import symgrad as torch
from symgrad import nn

LENGTH = 24


class Forecast(nn.Module):
    """A recurrent network, and the next value read off its state."""

    def __init__(self, hidden=16):
        super().__init__()
        self.gru = nn.GRU(1, hidden, num_layers=2, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x, h=None):
        y, h = self.gru(x, h)
        return self.head(y), h


def series():
    """400 values."""
    t, rng = np.arange(400), np.random.default_rng(0)
    return np.sin(0.3 * t) + 0.5 * np.sin(0.11 * t + 1) + 0.05 * rng.normal(size=400)


def train(model, values, steps):
    """The losses of some steps of Adam on random pieces, each value to be told from those before."""
    optimizer, loss_fn = torch.optim.Adam(model.parameters(), lr=0.01), nn.SmoothL1Loss()
    rng, losses = np.random.default_rng(1), []
    for _ in range(steps):
        starts = rng.integers(len(values) - LENGTH - 1, size=16)
        pieces = np.stack([values[k : k + LENGTH + 1] for k in starts])[..., None]
        batch = torch.tensor(pieces, dtype=torch.get_default_dtype())
        optimizer.zero_grad()
        predicted, _ = model(batch[:, :-1])
        loss = loss_fn(predicted, batch[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def forecast(model, values, count):
    """The next values, each fed to the network again."""
    with torch.no_grad():
        y, h = model(torch.tensor(values[None, :, None], dtype=torch.get_default_dtype()))
        out = [y[:, -1:]]
        for _ in range(count - 1):
            y, h = model(out[-1], h)
            out.append(y)
    return torch.cat(out, dim=1)[0, :, 0].numpy()


def main():
    """Train, and compare twelve values with the true ones."""
    torch.manual_seed(0)
    model, values = Forecast(), series()
    losses = train(model, values[:-12], 150)
    print(f"loss {losses[0]:.4f} at first, {np.mean(losses[-10:]):.4f} in the end")
    error = np.abs(forecast(model, values[:-12], 12) - values[-12:]).mean()
    print(f"mean error of twelve values ahead: {error:.3f}")
    assert error < 0.3


if __name__ == "__main__":
    main()
