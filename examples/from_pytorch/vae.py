"""A variational autoencoder of handwritten digits, after PyTorch's example: it learns to draw new ones.

With `import torch` in the place of the first import it runs on PyTorch. Data: the 1797 digits that scikit-learn ships.
Run: pip install ".[examples]" && python examples/from_pytorch/vae.py
"""

import numpy as np
from sklearn.datasets import load_digits

import symgrad as torch
from symgrad import nn, optim
from symgrad.nn import functional as F


class VAE(nn.Module):
    """An encoder to mean and variance of a few latent numbers, and a decoder."""

    def __init__(self, latent=4):
        super().__init__()
        self.fc1 = nn.Linear(64, 48)
        self.fc21 = nn.Linear(48, latent)
        self.fc22 = nn.Linear(48, latent)
        self.fc3 = nn.Linear(latent, 48)
        self.fc4 = nn.Linear(48, 64)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 64))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    """Binary cross entropy of the pixels, and the divergence of the latent variables from N(0, 1)."""
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 64), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


def images():
    """The digits, pixels between 0 and 1."""
    return torch.tensor(load_digits().images / 16, dtype=torch.get_default_dtype())


def train(model, data, epochs):
    """The mean loss of a digit in each epoch of Adam."""
    optimizer, losses = optim.Adam(model.parameters(), lr=2e-3), []
    for _ in range(epochs):
        total = 0.0
        for batch in torch.split(data, 64):
            optimizer.zero_grad()
            recon, mu, logvar = model(batch)
            loss = loss_function(recon, batch, mu, logvar)
            loss.backward()
            total += loss.item()
            optimizer.step()
        losses.append(total / len(data))
    return losses


def main():
    """Train, and draw two digits."""
    torch.manual_seed(0)
    model = VAE()
    losses = train(model, images(), 25)
    print("losses", " ".join(f"{loss:.2f}" for loss in losses[::4]))
    with torch.no_grad():
        drawn = model.decode(torch.randn(2, 4)).view(2, 8, 8).numpy()
    for row in np.concatenate(list(drawn), axis=1):
        print("".join(" .:oO@"[int(5.99 * v)] * 2 for v in row))
    assert losses[-1] < 0.8 * losses[0]


if __name__ == "__main__":
    main()
