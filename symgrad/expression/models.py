"""The parameters of a model as a textbook calls them: W₁, b₁ for the first layer, γ, β for a normalisation."""

from __future__ import annotations

from collections import Counter
from typing import Any

from symgrad.core.node import AnyNode, tensor_node
from symgrad.errors import GraphError
from symgrad.expression.reachability import reachable

_USUAL = {("weight", True): "W", ("bias", True): "b", ("weight", False): "γ", ("bias", False): "β"}


def is_model(x: Any) -> bool:
    """Whether x is a module, whose parameters have names."""
    return hasattr(x, "named_parameters")


def parameters_in(model: Any, root: AnyNode | None) -> list[Any]:
    """Return the parameters of a model that a graph depends on; those without a name get one, and keep it."""
    below = reachable([root]) if root is not None else set()
    named = dict(model.named_parameters())
    used = {path: p for path, p in named.items() if tensor_node(p) in below}
    if not used:
        raise GraphError(
            f"derive: the result does not depend on a parameter of this {type(model).__name__}. It was computed "
            "without it, or under no_grad()."
        )
    letters = {path: _letter(path, named) for path in used}
    counts, seen = Counter(letters.values()), Counter[str]()
    for path, p in used.items():
        letter = letters[path]
        seen[letter] += 1
        if p.name is None:
            tensor_node(p).title = letter if counts[letter] == 1 else f"{letter}{seen[letter]}"
    return list(used.values())


def _letter(path: str, named: dict[str, Any]) -> str:
    """W for a weight, b for a bias, γ and β where the weight is a vector, as of a normalisation; else its own name."""
    owner, _, name = path.rpartition(".")
    weight = named.get(f"{owner}.weight" if owner else "weight")
    return _USUAL.get((name, weight is None or weight.ndim > 1), name)


__all__ = ["is_model", "parameters_in"]
