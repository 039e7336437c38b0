"""Where faults are planted, and which tests meet them: the package's rooms, each with the test files of its subject."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import symgrad

PACKAGE = Path(symgrad.__path__[0])
TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Room:
    """Some files of the package, as patterns, and the subjects of the tests that are theirs."""

    files: str
    tests: str

    @property
    def paths(self) -> list[Path]:
        """The files, each once."""
        found = {path for pattern in self.files.split() for path in PACKAGE.glob(pattern)}
        return sorted(path for path in found if path.name != "__init__.py")

    @property
    def test_files(self) -> list[str]:
        """The test files."""
        return [str(path) for name in self.tests.split() for path in TESTS.rglob(f"test_{name}.py")]


ROOMS = {
    "ops": Room(
        "ops/**/*.py",
        "cases against_torch kinks infinities errors other_dtypes numerics keywords queries calls named_sizes canon "
        "numpy_functions spellings axis tensor notation",
    ),
    "scalars": Room("scalars/*.py", "declarations accuracy kinks infinities numerics cases against_torch registry"),
    "scipy_functions": Room("scalars/library/*.py", "scipy_special"),
    "engine": Room(
        "engine/sweep.py engine/record.py engine/backward.py core/node.py core/hooks.py core/modes.py "
        "tensors/inplace.py tensors/views.py",
        "engine hooks inplace views tensor gradcheck errors cut_gradients checkpoint autograd_function queries "
        "keywords arrays_of_others",
    ),
    "transforms": Room(
        "func.py transforms/*.py transforms/loops/*.py core/trees.py",
        "func loops nesting vmap_rows structures positions cut_gradients custom_rules calls errors",
    ),
    "compiler": Room(
        "compiler/*.py compiler/passes/*.py compiler/primitives/*.py compiler/sparse/*.py compiler/backends/*.py "
        "compiler/backends/llvm/*.py",
        "compile compile_calls compile_derivatives compile_donate compile_integers compile_memory compile_programs "
        "compile_mpmath machine_code machine_code_calls sparse decompositions errors structures positions loops",
    ),
    "exports": Room(
        # not the library: it is read as text, and code of it that is replaced would not be seen
        "exports/*.py exports/targets/*.py exports/arrays/*.py",
        "exports exports_formulas exports_scalars foreign_text errors",
    ),
    "exports_loops": Room("compiler/loops/*.py", "exports_loops"),
    "forms": Room(
        "forms/*.py forms/*/*.py",
        "canon forms identities notation nodes where sympy_bridge reading named_sizes textbook names printing mathml",
    ),
    "canon": Room("forms/canon/**/*.py", "canon forms identities textbook where complex_forms"),
    "notations": Room("forms/notations/*.py", "notation printing forms textbook canon named_sizes names mathml"),
    "state": Room("core/journal.py compiler/effects.py tensors/views.py", "effects views inplace hooks"),
    "arguments": Room("support/arguments.py", "hostile_arguments errors"),
    "optim": Room("optim/*.py", "optim training saving scipy solvers distributed"),
    "utils": Room("utils/*.py core/hooks.py", "hooks checkpoint training saving"),
    "stats": Room("stats/*.py", "stats"),
    "threads": Room(
        "compiler/backends/llvm/pool.py compiler/backends/llvm/chunks.py compiler/backends/shared.py "
        "support/threads.py",
        "threads",
    ),
    "complex": Room(
        "compiler/primitives/complexes.py compiler/primitives/pairs.py compiler/backends/pairs.py forms/holomorphic.py "
        "ops/elementwise/complexes.py transforms/holomorphic.py core/pairs.py",
        "complex complex_forms complex_programs complex_steps complex_transforms compile_complex pair_forms "
        "complex_linalg complex_parts",
    ),
    "proved": Room("proved/*.py", "proved"),
    "solvers": Room("solvers/*.py", "solvers implicit integrals"),
    "ode": Room("ode/*.py", "odeint odeint_rows"),
    "backends_c": Room("compiler/backends/c/*.py support/store.py", "compile_c compile_cache"),
    "distributed": Room("distributed/*.py", "distributed"),
    "web": Room("web/*.py", "web"),
    "files": Room("utils/saving.py support/files.py support/forks.py exports/loader.py", "saving files compile_memory"),
    "taylor": Room("transforms/taylor/*.py core/streams.py", "taylor"),
    "signal": Room("ops/signal/*.py functions/interpolating.py functions/spectra.py", "fft signal lost_parts"),
    "autograd": Room("autograd/*.py", "autograd_function custom_rules gradcheck checkpoint nesting hooks"),
    "answers": Room("teach/answers/*.py", "grade grade_matlab grade_place grade_spelling exercises"),
    "expression": Room("expression/*.py", "expression guesses matlab complex_parse web"),
}
