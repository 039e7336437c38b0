"""The page's server under load: ``python benchmarks/web.py [--seconds 30] [--users 200] [--hostile 10000]``.

So many users click through the gallery, with pauses as people make them; one click in twenty is a formula
that nobody has asked for. Reported: the median and the 99th percentile of the times to an answer, wrong answers, the
same while workers are killed at random, the server's memory, and what hostile requests did.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "shared"))

from symgrad.web.gallery import gallery

from hostile import TEXTS  # isort: skip

JOBS = ("look", "derive", "steps", "graph", "numbers")
OF_EQUATIONS = JOBS[:3]  # which have neither a graph nor numbers of their own
NEW = 0.05  # of the clicks, formulas that nobody has asked for
BROKEN = (
    b"GET / HTT", b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n\r\n", b"POST /api/look HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 100_000, b"\r\n" * 1000, b"GET /" + b"a" * 70_000,
    b"POST /api/look HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n{}",
    b"POST /api/look HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"POST /api/look HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
)  # fmt: skip


def start(workers: int) -> tuple[subprocess.Popen[str], str]:
    """Return a server and its address."""
    words = [sys.executable, "-m", "symgrad", "serve", "--port", "0", "--workers", str(workers)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    return process, re.search(r"http://[^/]+/", line)[0]


def memory(pid: int) -> float:
    """Return the megabytes that a process holds."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def below(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = path.read_text().partition(" (")
        except OSError:
            continue
        if int(rest.rpartition(")")[2].split()[1]) == pid:
            found += [int(number), *below(int(number))]
    return found


def workers_of(pid: int) -> list[int]:
    """Return the workers: what the process has started that all others are forked from."""
    return [w for child in below(pid) for w in below(child)]


class Load:
    """Users who click, and what they see."""

    def __init__(self, address: str) -> None:
        self.address, self.wrong, self.busy, self.failed = address, 0, 0, 0
        self.times: dict[bool, list[float]] = {False: [], True: []}  # of examples, and of new formulas
        self.right: dict[tuple[str, str], str] = {}

    async def learn(self, client: httpx.AsyncClient) -> None:
        """Ask for everything once: what the others must see."""
        for k, example in enumerate(gallery()):
            for job in OF_EQUATIONS if "=" in example["exercise"]["formula"] else JOBS:
                found = await client.post(f"/api/{job}", json={"exercise": example["exercise"]})
                assert found.json()["ok"], (example["title"], job, found.text[:200])
                self.right[(str(k), job)] = found.text

    async def user(self, client: httpx.AsyncClient, until: float, pause: float, fresh: bool) -> None:
        """Click until it is late."""
        rng = random.Random(id(asyncio.current_task()))
        await asyncio.sleep(rng.uniform(0, pause))
        while time.monotonic() < until:
            k, job = rng.choice(list(self.right))
            data = {"exercise": gallery()[int(k)]["exercise"]}
            is_new = fresh and rng.random() < NEW
            if is_new:  # a formula that nobody has asked for
                data = {"exercise": {"formula": f"x**2*sin({rng.randrange(10**6)}*x)"}}
            began = time.monotonic()
            try:
                found = await client.post(f"/api/{job}", json=data)
            except httpx.HTTPError:
                self.failed += 1
                continue
            self.times[is_new].append(time.monotonic() - began)
            self.busy += found.status_code == 503
            if found.status_code == 200 and is_new:
                self.wrong += not found.json()["ok"]
            elif found.status_code == 200:
                self.wrong += found.text != self.right[k, job]
            else:
                self.wrong += found.status_code != 503
            await asyncio.sleep(rng.uniform(0.5, 1.5) * pause)

    def told(self, what: str) -> str:
        """Return a row of figures for examples of the gallery, and one for new formulas."""
        lost = f"{self.wrong + self.busy + self.failed}"
        kinds = ((False, f"examples{what}", lost), (True, f"new formulas{what}", ""))
        return "\n".join(f"| {name} | {_figures(self.times[new])} | {last} |" for new, name, last in kinds)


def _figures(times: list[float]) -> str:
    if not times:
        return "0 | – | –"
    ms = sorted(1000 * t for t in times)
    return f"{len(ms):,} | {statistics.median(ms):.0f} | {ms[int(0.99 * (len(ms) - 1))]:.0f}"


async def under_load(address: str, pid: int, users: int, seconds: float, pause: float) -> None:
    """Let users click, and go on for a quarter of the time while workers are killed."""
    limits = httpx.Limits(max_connections=users, max_keepalive_connections=users)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits, trust_env=False) as client:
        learner = Load(address)
        began = time.monotonic()
        await learner.learn(client)
        print(f"the gallery, once: {len(learner.right)} answers in {time.monotonic() - began:.1f} s", file=sys.stderr)
        print("| clicks | answers | median, ms | 99th percentile, ms | wrong, busy or failed |")
        print("|---|---:|---:|---:|---:|")
        for what, killing, lasts in (("", False, seconds), (", workers killed", True, seconds / 4)):
            load = Load(address)
            load.right = learner.right
            before, until = memory(pid), time.monotonic() + lasts
            tasks = [asyncio.create_task(load.user(client, until, pause, True)) for _ in range(users)]
            killed = 0
            while killing and time.monotonic() < until:
                await asyncio.sleep(0.5)
                there = workers_of(pid)
                if there:
                    os.kill(random.choice(there), signal.SIGKILL)
                    killed += 1
            await asyncio.gather(*tasks)
            print(load.told(what), flush=True)
            print(f"{killed} killed, memory {before:.0f} to {memory(pid):.0f} MB", file=sys.stderr)


async def hostile(address: str, pid: int, count: int) -> None:
    """Send what nobody should, many at a time, and see that the server still answers."""
    host, port = re.match(r"http://([^:]+):(\d+)", address).groups()
    rng, answers = random.Random(0), {}
    gate = asyncio.Semaphore(100)

    async def raw(data: bytes) -> str:
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            writer.write(data)
            await writer.drain()
            first = await asyncio.wait_for(reader.read(12), 0.5 if rng.random() < 0.9 else 12)
            return first[9:12].decode("latin-1") or "closed"
        except (TimeoutError, OSError) as error:
            return "left open" if isinstance(error, TimeoutError) else "closed"
        finally:
            writer.close()

    async def one(client: httpx.AsyncClient, k: int) -> None:
        async with gate:
            if k % 4 == 0:
                said = await raw(rng.choice(BROKEN))
            else:
                text = rng.choice(TEXTS) + "".join(chr(rng.randrange(32, 1000)) for _ in range(rng.randrange(4)))
                place = rng.randrange(4)
                data = {"exercise": [{"formula": text}, {"formula": "x", "names": {text: {}}},
                                     {"formula": "x", "wrt": text}, text][place]}  # fmt: skip
                body = json.dumps(data).encode() if k % 3 else rng.randbytes(rng.choice((10, 1000, 200_000)))
                try:
                    found = await client.post(f"/api/{rng.choice(JOBS)}", content=body,
                                              headers={"content-type": "application/json"})  # fmt: skip
                    said = str(found.status_code)
                except httpx.HTTPError:
                    said = "closed"
            answers[said] = answers.get(said, 0) + 1

    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits, trust_env=False) as client:
        before = memory(pid)
        await asyncio.gather(*[one(client, k) for k in range(count)])
        found = await client.post("/api/derive", json={"exercise": {"formula": "x**3"}})
        print(f"{count} hostile requests: {answers}; the server then says {found.json()['text']}", end="; ")
        print(f"memory {before:.0f} to {memory(pid):.0f} MB")


def main() -> None:
    """Run all, and print the figures."""
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--seconds", type=float, default=30)
    p.add_argument("--users", type=int, default=200)
    p.add_argument("--pause", type=float, default=2.0, help="seconds between a user's clicks")
    p.add_argument("--hostile", type=int, default=10_000)
    p.add_argument("--workers", type=int, default=2)
    args = p.parse_args()
    process, address = start(args.workers)
    try:
        asyncio.run(under_load(address, process.pid, args.users, args.seconds, args.pause))
        if args.hostile:
            asyncio.run(hostile(address, process.pid, args.hostile))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


if __name__ == "__main__":
    main()
