"""Proximal policy optimisation (PPO) learns to balance a pole on a cart.

With `import torch` in the place of the first import it runs on PyTorch. Source: Schulman et al. 2017, "Proximal policy
optimization algorithms"; the cart is that of Barto, Sutton and Anderson 1983.
Run: python examples/from_pytorch/cart_pole.py
"""

import numpy as np

import symgrad as torch
from symgrad import nn

GAMMA, LAMBDA, CLIP, STEPS = 0.99, 0.95, 0.2, 512


class CartPole:
    """Four numbers: place and speed of the cart, angle and angular speed of the pole."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.state, self.time = self.rng.uniform(-0.05, 0.05, 4), 0
        return self.state

    def step(self, action):
        _, v, angle, spin = self.state
        force, sin, cos = 10.0 * (2 * action - 1), np.sin(angle), np.cos(angle)
        push = (force + 0.05 * spin**2 * sin) / 1.1
        turn = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        self.state = self.state + 0.02 * np.array([v, push - 0.05 * turn * cos / 1.1, spin, turn])
        self.time += 1
        fallen = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.2095
        return self.state, fallen or self.time == 200


class ActorCritic(nn.Module):
    """Two networks: scores of the actions, and the value of a state."""

    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
        self.critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))


def rollout(model, cart, rng):
    """States, actions, their log probabilities, advantages and returns of some steps; and how long poles stood."""
    state, rows, lengths = cart.reset(), [], []
    for _ in range(STEPS):
        with torch.no_grad():
            x = torch.tensor(state)
            log_probs, value = torch.log_softmax(model.actor(x), dim=-1), model.critic(x).item()
        action = int(rng.random() < np.exp(log_probs[1].item()))
        after, done = cart.step(action)
        rows.append((state, action, log_probs[action].item(), value, done))
        if done:
            lengths.append(cart.time)
        state = cart.reset() if done else after
    states, actions, logs, values, ends = map(np.array, zip(*rows))
    advantages, ahead, following = np.zeros(STEPS), 0.0, 0.0
    for t in reversed(range(STEPS)):
        alive = 1.0 - ends[t]
        ahead = 1.0 + GAMMA * following * alive - values[t] + GAMMA * LAMBDA * alive * ahead
        advantages[t], following = ahead, values[t]
    tensors = map(torch.tensor, (states, actions, logs, advantages, advantages + values))
    return [*tensors], np.mean(lengths)


def update(model, optimizer, data, rng):
    """Four epochs on pieces of 128 steps; the last loss."""
    states, actions, old, advantages, returns = data
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for piece in np.concatenate([rng.permutation(STEPS).reshape(-1, 128) for _ in range(4)]):
        k = torch.tensor(piece)
        log_probs = torch.log_softmax(model.actor(states[k]), dim=-1)
        ratio = torch.exp(log_probs.gather(1, actions[k].unsqueeze(1)).squeeze(1) - old[k])
        surrogate = torch.min(ratio * advantages[k], ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[k]).mean()
        entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
        value_loss = nn.functional.mse_loss(model.critic(states[k]).squeeze(-1), returns[k])
        loss = -surrogate + 0.5 * value_loss - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    return loss.item()


def train(model, rounds):
    """How long poles stood on average, and the last loss, in each round."""
    optimizer = torch.optim.Adam(model.parameters(), lr=2.5e-3)
    cart, rng, history = CartPole(0), np.random.default_rng(0), []
    for _ in range(rounds):
        data, length = rollout(model, cart, rng)
        history.append((length, update(model, optimizer, data, rng)))
    return history


def main():
    """Train until poles stand."""
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    lengths = [length for length, _ in train(ActorCritic(), 16)]
    print("steps that a pole stood:", " ".join(f"{length:.0f}" for length in lengths))
    assert max(lengths) > 3 * lengths[0]


if __name__ == "__main__":
    main()
