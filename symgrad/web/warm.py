"""What every worker begins with: imported once by the process that workers are forked from.

Importing this module derives a formula of each kind, so that a new worker has all modules, and SymPy's memory of what
it has simplified, from its start.
"""

from __future__ import annotations

import json
import os

from symgrad.web.jobs import answered

EXAMPLES = ("x**2*sin(x)", "sum((X @ w - y)**2)")
JOBS = ("look", "derive", "steps", "graph", "numbers")


def warm() -> None:
    """Ask for everything once, as long as there is a server for which to."""
    server = os.getppid()
    requests: list[dict[str, object]] = [{"job": j, "exercise": {"formula": f}} for f in EXAMPLES for j in JOBS]
    requests += [
        {"job": "plot", "exercise": {"formula": EXAMPLES[0]}},
        {"job": "code", "target": "numpy", "exercise": {"formula": EXAMPLES[0]}},
        {"job": "problem", "topic": "chain"},
    ]
    for request in requests:
        if os.getppid() != server:
            return
        answered(json.dumps(request).encode())


warm()
