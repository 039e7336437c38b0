"""Statements about programs that are certain for every point of a box, each with a certificate to check.

The extra ``proved`` installs python-flint, whose numbers are rounded outward.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.errors import ArgumentError
from symgrad.proved.covering import flat_of
from symgrad.proved.flow import Flow, Solution, ode
from symgrad.proved.integrals import Integral, Pieces, integral
from symgrad.proved.interval import flint
from symgrad.proved.minima import Minimum, Search, minimum
from symgrad.proved.statements import (
    Convex,
    Lipschitz,
    Monotone,
    Positive,
    Proof,
    Same,
    convex,
    difference,
    lipschitz,
    monotone,
    positive,
    same,
)
from symgrad.proved.zeros import Problem, Zero, Zeros, all_roots, root
from symgrad.support.arguments import checked
from symgrad.support.namespace import namespace

__all__ = [
    "Integral", "Minimum", "Proof", "Solution", "Zero", "Zeros", "all_roots", "check", "convex", "integral",
    "lipschitz", "minimum", "monotone", "ode", "positive", "root", "same",
]  # fmt: skip

_STATEMENTS: dict[str, Callable[..., Any]] = {
    "root": Problem,
    "all_roots": Problem,
    "positive": Positive,
    "monotone": Monotone,
    "convex": Convex,
    "same": Same,
    "minimum": Search,
    "lipschitz": Lipschitz,
    "integral": Pieces,
    "ode": Flow,
}
_OPTIONS = {
    "positive": ("strict",),
    "monotone": ("signs", "at"),
    "same": ("within",),
    "lipschitz": ("constant",),
    "ode": ("order",),
}


@checked
def check(certificate: dict[str, Any], *functions: Callable[..., Any], box: Any = None) -> bool:
    """Return whether a certificate proves its statement about f, by verifying each claim without repeating the search.

    Args:
        certificate: the ``certificate`` of a result of ``sg.prove``; it may have been written to JSON and read again.
        functions: f; for ``same``, f and g; for ``minimum``, f and the functions of its constraints.
        box: the box of the statement; needed if the arguments are structures, which a certificate does not store.

    Returns:
        True if all claims hold and their boxes cover the whole box.

    Raises:
        ArgumentError: if the certificate belongs to an unknown statement, or to another box.

    >>> proof = sg.prove.positive(lambda x: x**2 - x + 0.3, (0.0, 1.0))
    >>> sg.prove.check(proof.certificate, lambda x: x**2 - x + 0.3), sg.prove.check(proof.certificate, lambda x: x - 1)
    (True, False)
    """
    name = certificate.get("statement")
    if name not in _STATEMENTS:
        raise ArgumentError(f"prove.check: the certificate is of {name!r}. Expected one of {sorted(_STATEMENTS)}.")
    expected = 2 if name == "same" else 1 + len(certificate.get("kinds", ()))
    if len(functions) != expected:
        raise ArgumentError(
            f"prove.check: a certificate of {name!r} is about {expected} functions. Got {len(functions)}."
        )
    f = difference(*functions) if name == "same" else functions[0]
    with flint().ctx.workprec(certificate["bits"]):
        flat = flat_of(certificate, f, box)
        if name == "minimum":
            constraints = [flat_of(certificate, h, box) for h in functions[1:]]
            return Search(flat, constraints, certificate["kinds"]).holds(certificate)
        options = {key: certificate[key] for key in _OPTIONS.get(name, ())}
        return bool(_STATEMENTS[name](flat, **options).holds(certificate))


__getattr__, __dir__ = namespace(globals(), __all__)
