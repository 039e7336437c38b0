"""The page on performance, from what was measured: ``python benchmarks/report.py [PART…] [--write]``.

Each part runs a script of this folder, reads the Markdown tables that it prints, and puts them into results.json with
the date, the machine and the versions. ``--write`` writes docs/performance.md, and the figures of the landing page
and of docs/prove-it.md, from that file alone; without parts nothing is measured. ``--list`` says which parts there are
and how long they take; ``quick`` stands for those of less than ten minutes, ``all`` for all. Let the machine be quiet.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import textwrap
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from tables import machine

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
RESULTS, LANDING = HERE / "results.json", DOCS / "index.md"
ONE = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
PEERS = ("jax", "torch")  # in the order of the kernels' columns, after symgrad's
Table = list[list[str]]


@dataclass(frozen=True)
class Part:
    """A question of the page.

    Attributes:
        question: the heading.
        text: what is measured, and how.
        command: the script and its arguments.
        minutes: how long that takes on a quiet machine.
        packages: those whose versions are written down.
        is_quick: whether ``quick`` stands for it too, if it takes less than ten minutes.
    """

    question: str
    text: str
    command: tuple[str, ...]
    minutes: float
    packages: tuple[str, ...]
    is_quick: bool = True


PARTS = {name: Part(**part) for name, part in tomllib.loads((HERE / "questions.toml").read_text("utf-8")).items()}
QUICK = [name for name, part in PARTS.items() if part.is_quick and part.minutes < 10]
GROUPS = {"quick": QUICK, "all": list(PARTS)}
MINUTES = {group: round(sum(PARTS[name].minutes for name in names)) for group, names in GROUPS.items()}

INTRODUCTION = """# Performance

By the end of this page, you will know how fast symgrad is, and where it is behind. Each section answers one question
with a table, and names the machine and the versions. Times depend on the machine, so compare the ratios.

```{picture} kernel_ratios
Each kernel as a bar: how many times as fast symgrad is as the faster of `jax.jit` and PyTorch.
```
"""
ELSEWHERE = {"proofs": DOCS / "prove-it.md"}  # parts whose section is on the page of their subject
KERNELS = ("kernels", "peers")  # the parts whose tables have a row for each kernel
EVERY = "[Performance of each kernel](performance-kernels.md) lists them all."
KERNELS_HEAD = """# Performance of each kernel

These tables have a row for every kernel that the [page on performance](performance.md) summarises. Times are in
microseconds, and their ratio is the time of the faster of the two other libraries divided by that of symgrad. Memory is
in megabytes, and its ratio is that of symgrad divided by that of `jax.jit`. The last tables list the times of one
thread and of two, and those of special functions.
"""
CLOSING = f"""## Run it

```sh
python3 -m venv .venv && .venv/bin/pip install --upgrade pip
.venv/bin/pip install ".[web,dask]" --group test --group benchmarks
.venv/bin/python benchmarks/report.py all --write
```

This measures every table of this page in about {MINUTES["all"]} minutes; `quick` in place of `all` takes
{MINUTES["quick"]}, and omits the table with CasADi. `--list` names the parts, which can be measured separately:
`report.py kernels --write` measures one of them, and updates this page. Plain `pytest` does
not run `benchmarks/`, because timings are unreliable beside other work.

## Where to go next

[How compiled functions run](compiled-code.md) shows where the time of a program goes, and [Limitations](limitations.md)
lists what is slow.
"""


# ------------------------------------------------------------------ measuring
def tables_in(text: str) -> list[Table]:
    """The Markdown tables in a text, each with its head first."""
    tables: list[Table] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            tables[-1].append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif tables[-1]:
            tables.append([])
    return [[rows[0], *rows[2:]] for rows in tables if rows]


def measured(part: Part) -> dict[str, Any]:
    """Run a part's script, and return what it found."""
    own = {} if "threads.py" in part.command or "--threads" in part.command else ONE
    command = [sys.executable, str(HERE / part.command[0]), *part.command[1:]]
    environment = {k: v for k, v in os.environ.items() if k not in ONE} | own
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    versions = ", ".join(filter(None, map(version, sorted((*part.packages, "symgrad")))))
    today = datetime.date.today().isoformat()
    return {"date": today, "machine": machine(), "versions": versions, "tables": tables_in(done.stdout)}


def version(name: str) -> str:
    """A package with its version; nothing of one that is not installed."""
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return ""


def results() -> dict[str, Any]:
    """What was measured, by part."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def save(found: dict[str, Any]) -> None:
    """Write results, a line for each row of a table."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    rows = re.compile(r"\[\s+(\"[^\[\]]*\")\s+\]")
    RESULTS.write_text(rows.sub(lambda row: "[" + re.sub(r"\n *", " ", row[1]) + "]", text) + "\n", "utf-8")


# ------------------------------------------------------------------ writing
def markdown(table: Table) -> str:
    """A table, whose columns of numbers stand to the right."""
    lines = [table[0], ["---", *["---:"] * (len(table[0]) - 1)], *table[1:]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def ratios(table: Table) -> dict[str, list[float]]:
    """How many times as fast symgrad is as each peer on the kernels of a table: those that both compute."""
    pairs = {peer: [(row[1], row[k]) for row in table[1:]] for k, peer in enumerate(PEERS, 2)}
    return {peer: [float(b) / float(a) for a, b in both if "–" not in (a, b)] for peer, both in pairs.items()}


def means(table: Table) -> dict[str, float]:
    """The geometric means of these ratios."""
    return {peer: statistics.geometric_mean(r) for peer, r in ratios(table).items()}


def summary(table: Table) -> str:
    """Say how the kernels of a table compare, and when the first results come."""
    rows, of = table[1:], means(table)
    behind = sum(float(row[4]) < 1 for row in rows)
    lines = [
        f"Over {len(rows)} kernels, symgrad is {of['jax']:.1f} times as fast as `jax.jit` and {of['torch']:.1f} times",
        f"as fast as PyTorch (geometric means). For {behind} of the kernels, one of these libraries is faster.",
    ]
    if len(table[0]) > 5:
        lines.append("First results, compilation included:")
        for name, k in (("symgrad", 5), ("`jax.jit`", 6)):
            times = [float(row[k]) for row in rows if row[k] != "–"]
            lines.append(f"{name} {statistics.median(times):.0f} ms in the median and {max(times):.0f} ms at most,")
        lines[-1] = lines[-1].removesuffix(",") + "."
    return " ".join(lines)


def kernel_rows(table: Table) -> Table:
    """A table of kernels as the page shows it: without the first results, and with a word where symgrad is behind."""
    numbers = [[row[0], *[_thousands(x) for x in row[1:4]], _verdict(row[4])] for row in table[1:]]
    return [["kernel", "symgrad", "jax.jit", "PyTorch", "ratio"], *numbers]


def _thousands(x: str) -> str:
    return x if x == "–" else f"{float(x):,.0f}" if float(x) >= 100 else x


def _verdict(ratio: str) -> str:
    return f"{ratio} behind" if float(ratio) < 1 else ratio


def summary_of_memory(table: Table) -> str:
    """Say how the peaks of memory compare with those of JAX."""
    ratios = [float(row[3]) for row in table[1:]]
    below = sum(r <= 1 for r in ratios)
    return (
        f"{below} of {len(ratios)} kernels take at most the memory of `jax.jit`; the geometric mean of "
        f"the ratios is {statistics.geometric_mean(ratios):.2f}, and the largest is {max(ratios):.2f}."
    )


def summary_of_threads(table: Table) -> str:
    """Say how many times as fast two threads are as one."""
    ratios = sorted(float(row[-1]) for row in table[1:])
    return (
        f"Over {len(ratios)} programs, two threads are {statistics.geometric_mean(ratios):.2f} times as fast as one "
        f"(geometric mean), and {ratios[0]:.2f} to {ratios[-1]:.2f} times as fast in each."
    )


def summary_of_special(table: Table) -> str:
    """Say how the times of special functions compare with those of SciPy."""
    ratios = [float(row[-1]) for row in table[1:]]
    return (
        f"{sum(r <= 1 for r in ratios)} of {len(ratios)} functions and ranges take at most SciPy's time; the geometric "
        f"mean of the ratios is {statistics.geometric_mean(ratios):.2f}, and the largest is {max(ratios):.2f}."
    )


# the parts whose first table stands on the page of kernels as it is, and is summarised here
SUMMARIES = {"memory": summary_of_memory, "threads": summary_of_threads, "special": summary_of_special}


def section(name: str, part: Part, found: dict[str, Any]) -> str:
    """A part of the page: of programs the first table, which has microseconds; of kernels the summary."""
    tables = found["tables"]
    lines = [f"## {part.question}", part.text.strip(), f"*{found['machine']}; {found['versions']}; {found['date']}.*"]
    if name in KERNELS:
        lines.append(_wrapped(f"{summary(tables[0])} {EVERY}"))
    elif name in SUMMARIES:
        lines += [_wrapped(f"{SUMMARIES[name](tables[0])} {EVERY}"), *map(markdown, tables[1:])]
    else:
        lines += [markdown(table) for table in (tables[:1] if name == "programs" else tables)]
    return "\n\n".join(lines)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 120, break_on_hyphens=False)


def pages(found: dict[str, Any]) -> dict[Path, str]:
    """The text of the page of all questions, of that with a row for each kernel, and of those with a section."""
    texts = {name: section(name, part, found[name]) for name, part in PARTS.items() if name in found}
    others = {path: with_section(path.read_text("utf-8"), texts.pop(name)) for name, path in ELSEWHERE.items()}
    sections = list(texts.values())
    text = "\n\n".join([INTRODUCTION.rstrip(), *sections, CLOSING.rstrip()]) + "\n"
    rows = {name: kernel_rows(found[name]["tables"][0]) for name in KERNELS}
    rows |= {name: found[name]["tables"][0] for name in SUMMARIES if name in found}
    tables = [f"## {PARTS[name].question}\n\n{markdown(table)}\n" for name, table in rows.items()]
    kernels = "\n".join([KERNELS_HEAD, *tables])
    return {DOCS / "performance.md": text, DOCS / "performance-kernels.md": kernels, **others}


def with_section(text: str, section: str) -> str:
    """A page with a section in place of the one with the same heading."""
    before, heading, rest = text.partition(section[: section.index("\n") + 1])
    if not heading:
        raise SystemExit(f"report: no page has the heading {section.splitlines()[0]!r}. Write it where it belongs.")
    return f"{before}{section}\n\n{rest[rest.index('## ') :]}"


def landing(text: str, found: dict[str, Any]) -> str:
    """The landing page with the means and the number of kernels."""
    table = found["kernels"]["tables"][0]
    of = means(table)
    card = f"**{of['jax']:.1f} times**\n\n" + _wrapped(
        f"as fast as `jax.jit`, and {of['torch']:.1f} times as fast as PyTorch: the geometric mean over "
        f"{len(table) - 1} kernels, value and gradient, on one thread."
    )
    return re.sub(r"\*\*[\d.]+ times\*\*\n\nas fast as `jax\.jit`.*?on\s+one\s+thread\.", card, text, flags=re.DOTALL)


def main() -> None:
    """Measure the parts that are named, and write the page if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts to measure, quick, or all")
    parser.add_argument("--write", action="store_true", help="write docs/performance*.md and docs/index.md")
    parser.add_argument("--list", action="store_true", help="say which parts there are")
    asked = parser.parse_args()
    names = [n for name in asked.parts for n in GROUPS.get(name, [name])]
    if unknown := [name for name in names if name not in PARTS]:
        raise SystemExit(f"report: no part is called {unknown[0]!r}. There are: {', '.join(PARTS)}.")
    if asked.list:
        for name, part in PARTS.items():
            print(f"{name:12} {part.minutes:4.1f} minutes  {' '.join(part.command)}")
    found = results()
    for name in names:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        found[name] = measured(PARTS[name])
        save(found)
    if asked.write:
        for path, text in pages(found).items():
            path.write_text(text, "utf-8")
        LANDING.write_text(landing(LANDING.read_text("utf-8"), found), "utf-8")


if __name__ == "__main__":
    main()
