"""torch.utils.checkpoint's names: ``checkpoint`` of a function and its arguments, and of a sequence of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import Any

from symgrad.autograd.recompute import checkpoint as _checkpoint
from symgrad.errors import ArgumentError
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace

__all__ = ["checkpoint", "checkpoint_sequential", "noop_context_fn", "set_checkpoint_early_stop"]


def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True,
    context_fn: Callable[[], tuple[Any, Any]] | None = None, determinism_check: str = "default", debug: bool = False,
    early_stop: bool = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """Return function(*args, **kwargs); its values are recomputed in the backward pass. See ``sg.checkpoint``.

    Args:
        function: the function to run.
        use_reentrant: accepted; symgrad has one implementation, which supports the features of both variants of
            PyTorch.
        preserve_rng_state: accepted; the second run always draws the same random numbers.
        context_fn: returns two context managers, one for the first run of function and one for the second.
        determinism_check, debug: accepted; a second run that differs is always an error.
        early_stop: accepted; the second run always runs to its end.

    >>> sg.utils.checkpoint.checkpoint(sg.exp, sg.tensor(0.0), use_reentrant=False)
    tensor(1.)
    """
    if context_fn is None or context_fn is noop_context_fn:
        return _checkpoint(function)(*args, **kwargs)
    contexts = list(context_fn())

    def run(*inner: Any, **options: Any) -> Any:
        with contexts.pop(0) if contexts else nullcontext():
            return function(*inner, **options)

    return _checkpoint(run)(*args, **kwargs)


def noop_context_fn() -> tuple[Any, Any]:
    """Return two context managers that do nothing."""
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Accept either in the block: what is computed again is computed to its end."""
    yield


def checkpoint_sequential(
    functions: Sequence[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Return fₙ(…f₁(input)), with the functions in this many checkpointed segments, of which the last keeps its values.

    Raises:
        ArgumentError: if ``segments`` is not between 1 and the number of functions.
    """
    each = list(functions)
    if not 1 <= segments <= len(each):
        raise ArgumentError(
            f"checkpoint_sequential: got segments={segments} for {len(each)} functions. Expected 1 to {len(each)}."
        )

    def run(start: int, stop: int, x: Any) -> Any:
        for f in each[start:stop]:
            x = f(x)
        return x

    cuts = [*range(0, (segments - 1) * (len(each) // segments) + 1, len(each) // segments)]
    for start, stop in pairwise(cuts):
        input = checkpoint(run, start, stop, input)
    return run(cuts[-1], len(each), input)


__getattr__, __dir__ = namespace(globals(), __all__)
check_all(globals(), __all__)
