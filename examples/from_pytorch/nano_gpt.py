"""A small GPT of 4 layers, 64 wide, that learns the letters of four sonnets and writes on.

After Andrej Karpathy's nanoGPT. With `import torch` in the place of the first import it runs on PyTorch.
Run: python examples/from_pytorch/nano_gpt.py
"""

from pathlib import Path

import numpy as np

import symgrad as torch
from symgrad import nn
from symgrad.nn import functional as F

LAYERS, HEADS, WIDTH, LENGTH, BATCH = 4, 4, 64, 32, 8
TEXT = Path(__file__).with_name("sonnets.txt").read_text(encoding="utf-8")
LETTERS = sorted(set(TEXT))
CODES = np.array([LETTERS.index(letter) for letter in TEXT])


class Attention(nn.Module):
    """Attention of each letter to those before it."""

    def __init__(self):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        b, t, c = x.size()
        heads = [u.view(b, t, HEADS, c // HEADS).transpose(1, 2) for u in self.c_attn(x).split(WIDTH, dim=2)]
        y = F.scaled_dot_product_attention(*heads, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))


class Block(nn.Module):
    """Attention and two maps, each with a bypass."""

    def __init__(self):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(WIDTH), Attention(), nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """Embeddings, blocks, and the scores of the next letter."""

    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(len(LETTERS), WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.h = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.ln_f, self.lm_head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(LETTERS), bias=False)
        self.apply(self._init_weights)
        self.wte.weight = self.lm_head.weight  # tied

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def train(model, steps):
    """The losses of some steps of AdamW on random pieces of the text."""
    optimizer, rng, losses = torch.optim.AdamW(model.parameters(), lr=3e-3), np.random.default_rng(0), []
    for _ in range(steps):
        pieces = torch.tensor(
            np.stack([CODES[k : k + LENGTH + 1] for k in rng.integers(len(CODES) - LENGTH, size=BATCH)])
        )
        logits = model(pieces[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, len(LETTERS)), pieces[:, 1:].reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def write(model, start, count):
    """Letters after a start, each drawn with the probability that the model gives it."""
    idx = torch.tensor([[LETTERS.index(letter) for letter in start]])
    for _ in range(count):
        logits = model(idx[:, -LENGTH:])[:, -1, :]
        idx = torch.cat((idx, torch.multinomial(F.softmax(logits / 0.8, dim=-1), num_samples=1)), dim=1)
    return "".join(LETTERS[k] for k in idx[0].tolist())


def main():
    """Train in three rounds, and write after each."""
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    model = GPT()
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(TEXT)} letters")
    for start in ("Shall I", "My love", "When"):
        print(f"loss {np.mean(train(model, 100)[-10:]):.3f}: {write(model, start, 120)!r}")


if __name__ == "__main__":
    main()
