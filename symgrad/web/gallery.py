"""Examples to begin with, each with a line on why."""

from __future__ import annotations

from typing import Any


def gallery() -> list[dict[str, Any]]:
    """Return the examples: title, why, group, and the exercise."""
    return [
        {
            "title": "Least squares",
            "why": "Set it to zero and the normal equations stand there.",
            "group": "Regression",
            "exercise": {"formula": "sum((X @ w - y)**2)", "wrt": "w"},
        }
    ]
