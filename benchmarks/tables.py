"""Print what run.py found: times, ratios to symgrad, first results, and who is missing."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

Row = dict[str, dict[str, Any]]


def machine() -> str:
    """Processor, cores, system, Python."""
    name = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        name = names[0] if names else name
    return f"{name}, {os.cpu_count()} CPUs, {platform.system()}, Python {platform.python_version()}"


def digits(x: float) -> str:
    """Two or three digits that count."""
    if x >= 100:
        return f"{x:.0f}"
    return f"{x:.1f}" if x >= 10 else f"{x:.2f}" if x >= 0.1 else f"{x:.2g}"


def cell(found: dict[str, Any], key: str) -> str:
    """A time, or a word for its absence."""
    if key in found:
        return digits(found[key])
    if "over_s" in found:
        return f"> {found['over_s']:.0f} s"
    if "wrong" in found:
        return "wrong"
    return "missing" if "missing" in found else "–"


def ratio(peer: dict[str, Any], own: dict[str, Any], key: str) -> str:
    """The peer's time over symgrad's."""
    if key not in own:
        return "–"
    if "over_s" in peer and key == "first_ms":
        return f"> {digits(peer['over_s'] * 1e3 / own[key])}×"
    if key not in peer:
        return cell(peer, key)
    times = peer[key] / own[key]
    return f"{digits(times)}×" if times >= 0.01 else "< 0.01×"


def table(head: list[str], rows: list[list[str]], markdown: bool) -> str:
    """Columns, the first to the left and the others to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    aligned = [[c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths))] for r in [head, *rows]]
    if not markdown:
        return "\n".join("  ".join(row) for row in aligned)
    aligned.insert(1, ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])])
    return "\n".join(f"| {' | '.join(row)} |" for row in aligned)


def present(rows: dict[str, Row], peers: list[str]) -> list[str]:
    """Those that computed something."""
    return [p for p in peers if any("first_ms" in row.get(p, {}) for row in rows.values())]


def show(machine: str, rows: dict[str, Row], first: set[str], peers: list[str], markdown: bool) -> None:
    """Print all tables; for problems in ``first`` the time to the first result is what is compared."""
    versions = sorted({f["version"] for row in rows.values() for f in row.values() if f.get("version")})
    print(f"{machine}; {', '.join(versions)}")
    own_first = sorted(["NumPy", *(p for p in peers if p != "NumPy")], key=lambda p: not p.startswith("symgrad"))
    seen = present(rows, own_first)
    for title, key in (("µs of a call", "us"), ("ms to the first result, compilation included", "first_ms")):
        body = [[name, *(cell(row.get(p, {}), key) for p in seen)] for name, row in rows.items()]
        print(f"\n{title}\n\n{table(['problem', *seen], body, markdown)}")
    others = [p for p in seen if not p.startswith("symgrad")]
    for own in [p for p in seen if p.startswith("symgrad")]:
        body = []
        for name, row in rows.items():
            key = "first_ms" if name in first else "us"
            body.append([name, *(ratio(row.get(p, {}), row.get(own, {}), key) for p in others)])
        note = ", of programs the time to the first result" if first else ""
        print(f"\ntime of a peer / time of {own}{note}\n\n{table(['problem', *others], body, markdown)}")
    absent(rows)


def absent(rows: dict[str, Row]) -> None:
    """Name who is missing, who was too slow, who was wrong, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, row in rows.items():
        for peer, found in row.items():
            for key in ("wrong", "missing", "over_s"):
                if key in found:
                    why = {"wrong": "WRONG", "missing": "missing", "over_s": "over the limit of"}[key]
                    unit = " s" if key == "over_s" else ""
                    reasons.setdefault((peer, f"{why}: {found[key]}{unit}"), []).append(name)
    for (peer, why), names in reasons.items():
        print(f"\n{peer} {why}\n  ({'; '.join(names)})")
