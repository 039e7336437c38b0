"""The command ``symgrad``. It answers ``--version``, ``--help`` and completion before the library is loaded.

NumPy, SymPy and symgrad take half a second to import, which a shell that completes a word does not wait for. So the
package is located first, which is enough to import its parser, and executed when a command needs it.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec


def main() -> int:
    """Run the command of this process, and return its exit status."""
    spec = find_spec("symgrad")
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("No module named 'symgrad'", name="symgrad")
    package = sys.modules["symgrad"] = module_from_spec(spec)
    from symgrad.cli.parser import parse_early

    args = parse_early(sys.argv[1:])
    spec.loader.exec_module(package)
    from symgrad.cli.main import run

    return run(args)


if __name__ == "__main__":
    sys.exit(main())
