"""What every worker begins with: imported once by the process that workers are forked from.

Importing this module derives a formula of each kind, so that a new worker has all modules, and SymPy's memory of what
it has simplified, from its start.
"""

from __future__ import annotations

import json

from symgrad.web.jobs import answered

EXAMPLES = ("x**2*sin(x)", "sum((X @ w - y)**2)")
JOBS = ("look", "derive", "steps", "graph", "numbers")


def warm() -> None:
    """Ask for everything once."""
    for formula in EXAMPLES:
        for job in JOBS:
            answered(json.dumps({"job": job, "exercise": {"formula": formula}}).encode())
    answered(json.dumps({"job": "plot", "exercise": {"formula": EXAMPLES[0]}}).encode())
    answered(json.dumps({"job": "code", "target": "numpy", "exercise": {"formula": EXAMPLES[0]}}).encode())
    answered(json.dumps({"job": "problem", "topic": "chain"}).encode())


warm()
