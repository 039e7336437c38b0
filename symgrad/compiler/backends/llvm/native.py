"""A program in machine code's instructions, and the kernel of what is compiled of it.

Small programs become straight-line code, larger ones nests of loops; what has no nest runs between stretches of
machine code.
"""

from __future__ import annotations

from symgrad.compiler.backends import python
from symgrad.compiler.backends.backend import Kernel, Unsuitable
from symgrad.compiler.backends.llvm import python_api, scalars
from symgrad.compiler.backends.llvm.build import Interface, finished
from symgrad.compiler.backends.llvm.code import KNOWN, Used
from symgrad.compiler.backends.llvm.module import Assemble, straight_level
from symgrad.compiler.primitives.scalarise import Written
from symgrad.core import trees
from symgrad.engine.program import Program

LONGEST = 400_000  # scalar operations in straight-line code
SHORT = 600  # up to which programs of arrays are written out
_WORTH_TRYING = 20 * SHORT  # before zeros and repetitions fold
_STORED, _PER_OPERATION = (
    1500,
    4,
)  # entries of results, for which LLVM's time grows faster than their number; or so many
_PER_STEP, _ENTRIES = 6, 40  # scalar operations for each step on arrays: when arrays are tiny, after and before folding


def compiled(name: str, assemble: Assemble, program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Write the program as instructions, and have it compiled to the kernel of the backend of this name."""
    if not python_api.supported():
        raise Unsuitable(f"the {name} backend needs 64-bit CPython with its lock. Use backend='numpy'.")
    interface = Interface(name, assemble, program, args, results)
    return _straight(program, interface) or _in_loops(program, interface)


def _in_loops(program: Program, interface: Interface) -> Kernel:
    """Write the program as nests of loops; what writes them is imported on first use."""
    from symgrad.compiler.backends.llvm.arrays import build

    return build(program, interface)


def _straight(program: Program, interface: Interface) -> Kernel | None:
    """Write the program out entry by entry, if that stays short, or if its arrays are tiny anyway."""
    steps = len(program.steps())
    try:
        python.check(program, min(LONGEST, max(_WORTH_TRYING, _ENTRIES * steps)))
    except Unsuitable:
        return None
    written = Written(program)
    count = written.operations()
    names = {written.scalars.ops[k][0] for k in written.needed}
    stored = sum(program.values[k].size for k in program.outputs)
    if stored > max(_STORED, _PER_OPERATION * count):
        return None
    if count > max(SHORT, _PER_STEP * steps) or not names <= KNOWN or not interface.supported:
        return None
    used = Used()
    body = scalars.body(written, interface.inputs, interface.outputs, used)
    level = straight_level(count, len(interface.inputs) + len(interface.outputs))
    stages = {"scalars": lambda: python.listing(written)}
    return finished(body, used, interface, level, stages, operations=count, kernels=1)
