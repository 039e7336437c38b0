"""Speed as bars, of the figures in `docs/performance.md`."""

from pathlib import Path
from typing import Any

from pictures import canvas

PAGE = Path(__file__).parents[1] / "performance.md"
ROWS = ["Rosenbrock 10", "6-DOF arm, Jacobian 3×6", "bundle adjustment, Jacobian 2×15", "chain, 1e5",
        "logistic regression 10000×50", "LSTM H=14, 2 layers, T=200"]  # fmt: skip


def _table(title: str) -> dict[str, dict[str, float]]:
    """A table of the page: a dict of each row, by the names of the columns, without cells that hold no number."""
    lines = PAGE.read_text(encoding="utf-8").partition(f"### {title}\n")[2].split("\n###")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: _numbers(cells[0][1:], row[1:]) for row in cells[2:]}


def _numbers(names: list[str], cells: list[str]) -> dict[str, float]:
    found = {}
    for name, cell in zip(names, cells, strict=True):
        if cell[:1].isdigit():
            found[name] = float(cell.rstrip("×"))
    return found


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


def speed() -> Any:
    """Bars of microseconds a call on a logarithmic axis: symgrad's machine code beside C, jax.jit and PyTorch."""
    table = _table("Microseconds of a call")
    figure, ax = canvas(size=(7.2, 5.4))
    _bars(ax, {name: table[name] for name in ROWS}, ["symgrad llvm", "C", "symgrad core", "jax.jit", "PyTorch"])
    ax.set_xlabel("microseconds of value and gradient, or Jacobian")
    return figure


def times_as_fast() -> Any:
    """Bars of how many times as fast as jax.jit and PyTorch symgrad's machine code is, from 1 to 5000 times."""
    table = _table("Ratios: time of a peer over time of symgrad with `symgrad[llvm]`")
    figure, ax = canvas(size=(7.2, 3.8))
    _bars(ax, {name: table[name] for name in ROWS}, ["jax.jit", "PyTorch"])
    ax.axvline(1, color="#808890", linewidth=1)
    ax.set_xlabel("time of the other, over time of symgrad[llvm]")
    return figure


def first_result() -> Any:
    """Bars of milliseconds to the first result, compilation included: symgrad's two backends, jax.jit, CasADi's C."""
    table = _table("Milliseconds to the first result, compilation included")
    figure, ax = canvas(size=(7.2, 4.2))
    _bars(ax, {name: table[name] for name in ROWS}, ["symgrad core", "symgrad llvm", "jax.jit", "CasADi C"])
    ax.set_xlabel("milliseconds until the first result")
    return figure
