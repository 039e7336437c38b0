"""ADBench's LSTM: elementwise gates, layers one above the other, the loss of predicting the next element."""

from __future__ import annotations

from functools import partial

import numpy as np

from problems.problem import FAST, Problem


def _lstm(m, main, extra, state, inputs, targets):
    """main (2L, 4H): per layer a row of weights, one of biases; extra (3, H): input weight, output weight and bias."""
    layers, size = main.shape[0] // 2, main.shape[1] // 4

    def step(carry, pair):
        given, wanted = pair
        x, after = given * extra[0], []
        for i in range(layers):
            h, c = carry[2 * i], carry[2 * i + 1]
            gates = m.concatenate([x, h, x, h]) * main[2 * i] + main[2 * i + 1]
            opened = m.sigmoid(gates[: 3 * size])
            c = c * opened[:size] + opened[size : 2 * size] * m.tanh(gates[3 * size :])
            x = opened[2 * size :] * m.tanh(c)
            after += [x, c]
        y = x * extra[1] + extra[2]
        return tuple(after), m.sum(wanted * (y - m.log(2.0 + m.sum(m.exp(y)))))

    first = tuple(state[i] for i in range(2 * layers))
    _, scores = m.scan(step, first, (inputs, targets))
    return -m.sum(scores) / (inputs.shape[0] * size)


def _forward(main, extra, state, inputs, targets):
    """The score, and for every step what its derivative needs."""
    size = main.shape[1] // 4
    hs, cs = list(state[0::2]), list(state[1::2])
    kept, score = [], 0.0
    for given, wanted in zip(inputs, targets):
        x, row = given * extra[0], []
        for i in range(len(hs)):
            joined = np.concatenate((x, hs[i], x, hs[i]))
            gates = joined * main[2 * i] + main[2 * i + 1]
            opened, fresh = 1.0 / (1.0 + np.exp(-gates[: 3 * size])), np.tanh(gates[3 * size :])
            f, u, o = opened[:size], opened[size : 2 * size], opened[2 * size :]
            c = cs[i] * f + u * fresh
            shown = np.tanh(c)
            row.append((joined, cs[i], f, u, o, fresh, shown))
            hs[i], cs[i] = x, _ = o * shown, c
        e = np.exp(x * extra[1] + extra[2])
        total = 2.0 + e.sum()
        score += wanted @ (x * extra[1] + extra[2] - np.log(total))
        kept.append((row, x, e * (wanted.sum() / total)))
    return score, kept


def _by_hand(main, extra, state, inputs, targets):
    score, kept = _forward(main, extra, state, inputs, targets)
    layers, size = len(main) // 2, main.shape[1] // 4
    scale = -1.0 / (len(inputs) * size)
    g_main, g_extra = np.zeros_like(main), np.zeros_like(extra)
    gh, gc = np.zeros((2, layers, size))
    for t in range(len(inputs) - 1, -1, -1):
        row, top, expected = kept[t]
        gy = scale * (targets[t] - expected)
        g_extra[1] += gy * top
        g_extra[2] += gy
        gx = gy * extra[1]
        for i in range(layers - 1, -1, -1):
            joined, before, f, u, o, fresh, shown = row[i]
            g = gx + gh[i]
            g_cell = gc[i] + g * o * (1.0 - shown * shown)
            slopes = g_cell * before * f * (1.0 - f), g_cell * fresh * u * (1.0 - u), g * shown * o * (1.0 - o)
            gates = np.concatenate((*slopes, g_cell * u * (1.0 - fresh * fresh)))
            gc[i] = g_cell * f
            g_main[2 * i] += gates * joined
            g_main[2 * i + 1] += gates
            a, b, c, d = np.split(gates * main[2 * i], 4)
            gx, gh[i] = a + c, b + d
        g_extra[0] += gx * inputs[t]
    return score * scale, (g_main, g_extra)


def lstm(size: int, layers: int, length: int) -> Problem:
    """A sequence of ``length`` elements has length − 1 steps; each predicts the next element."""

    def inputs():
        rng = np.random.default_rng(0)
        main, extra = rng.random((2 * layers, 4 * size)), rng.random((3, size))
        state, sequence = rng.random((2 * layers, size)), (rng.random((length, size)) < 0.5).astype(float)
        return main, extra, state, sequence[:-1].copy(), sequence[1:].copy()

    return Problem(
        name=f"LSTM H={size}, {layers} layers, T={length}",
        inputs=inputs,
        program=lambda m: partial(_lstm, m),
        hand=_by_hand,
        wrt=2,
        source="lstm.c",
        sizes={"H": size, "LAYERS": layers, "STEPS": length - 1},
        flags=FAST,
    )
