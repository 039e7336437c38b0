"""Speed as bars, of the figures in `benchmarks/results.json`."""

import json
from pathlib import Path
from typing import Any

from pictures import canvas

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results.json"
ROWS = ["Rosenbrock 10", "6-DOF arm, Jacobian 3×6", "bundle adjustment, Jacobian 2×15", "chain, 1e5",
        "logistic regression 10000×50", "LSTM H=14, 2 layers, T=200"]  # fmt: skip


def _table(part: str, number: int = 0) -> dict[str, dict[str, float]]:
    """A table of a part: a dict of each row, by the names of the columns, without cells that hold no number."""
    head, *rows = json.loads(RESULTS.read_text(encoding="utf-8"))[part]["tables"][number]
    return {row[0]: _numbers(head[1:], row[1:]) for row in rows}


def _numbers(names: list[str], cells: list[str]) -> dict[str, float]:
    return {name: float(cell) for name, cell in zip(names, cells, strict=True) if cell[:1].isdigit()}


def _bars(ax: Any, rows: dict[str, dict[str, float]], columns: list[str]) -> None:
    """A group of bars for each row, one for each of the columns it has."""
    high = 0.8 / len(columns)
    for k, column in enumerate(columns):
        places = [(i + k * high, row[column]) for i, row in enumerate(rows.values()) if column in row]
        ax.barh([p for p, _ in places], [v for _, v in places], height=high * 0.92, label=column)
    ax.set_yticks([i + 0.4 - high / 2 for i in range(len(rows))], list(rows))
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.legend(fontsize=9, loc="lower center", bbox_to_anchor=(0.4, 1), ncols=3)


def _ratios(row: dict[str, float], peers: list[str]) -> dict[str, float]:
    """The times of peers over that of symgrad with LLVM."""
    return {peer: row[peer] / row["symgrad llvm"] for peer in peers if peer in row}


def kernel_ratios() -> Any:
    """Bars of how many times as fast symgrad is as the faster of jax.jit and PyTorch, a bar for each kernel, sorted."""
    rows = [row["ratio"] for row in _table("kernels").values()]
    ordered = sorted(rows, reverse=True)
    figure, ax = canvas(size=(7.2, 3.0))
    colours = ["C0" if ratio >= 1 else "C1" for ratio in ordered]
    ax.bar(range(len(ordered)), [ratio - 1 for ratio in ordered], bottom=1, color=colours, width=0.85)
    ax.axhline(1, color="#808890", linewidth=1)
    ax.set_yscale("log")
    ax.set_xticks([])
    ax.set_xlabel(f"{len(ordered)} kernels, of which symgrad is behind on {sum(ratio < 1 for ratio in rows)}")
    ax.set_ylabel("times as fast")
    return figure


def speed() -> Any:
    """Bars of microseconds a call on a logarithmic axis: symgrad's machine code beside C, jax.jit and PyTorch."""
    table = _table("programs")
    figure, ax = canvas(size=(7.2, 5.4))
    _bars(ax, {name: table[name] for name in ROWS}, ["symgrad llvm", "C", "symgrad core", "jax.jit", "PyTorch"])
    ax.set_xlabel("microseconds of value and gradient, or Jacobian")
    return figure


def times_as_fast() -> Any:
    """Bars of how many times as fast as jax.jit and PyTorch symgrad's machine code is, from 1 to 5000 times."""
    table = {name: _ratios(row, ["jax.jit", "PyTorch"]) for name, row in _table("programs").items()}
    figure, ax = canvas(size=(7.2, 3.8))
    _bars(ax, {name: table[name] for name in ROWS}, ["jax.jit", "PyTorch"])
    ax.axvline(1, color="#808890", linewidth=1)
    ax.set_xlabel("time of the other, over time of symgrad[llvm]")
    return figure


def first_result() -> Any:
    """Bars of milliseconds to the first result, compilation included: symgrad's two backends, jax.jit, CasADi's C."""
    table = _table("programs", 1)
    figure, ax = canvas(size=(7.2, 4.2))
    _bars(ax, {name: table[name] for name in ROWS}, ["symgrad core", "symgrad llvm", "jax.jit", "CasADi C"])
    ax.set_xlabel("milliseconds until the first result")
    return figure
