"""What checkers and editors know: stubs say what is there, user code has no fault, and mistakes are reported.

``python tests/package/test_types.py mypy`` asks a checker about the files in ``tests/package/typing``, as .ci/run does.
"""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import symgrad as sg

sys.path.insert(0, str(Path(__file__).parents[1] / "rows"))  # as a script it is not pytest that finds these
sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
import stubs

from cases import CASES

STUBS = stubs.stubs()
HERE = Path(__file__).parent / "typing"
USER_CODE, MISTAKES = HERE / "user_code.py", HERE / "mistakes.py"


def run(*command):
    return subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=HERE.parents[2]).stdout


def of_mypy():
    found = run(
        "mypy",
        "--config-file=",
        "--strict",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        str(USER_CODE),
        str(MISTAKES),
    )
    return [(Path(name).name, int(line), text) for name, line, text in re.findall(r"(.*):(\d+): error: (.*)", found)]


def of_pyright():
    found = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, str(USER_CODE), str(MISTAKES)))
    assert found["summary"]["filesAnalyzed"] == 2
    return [
        (Path(d["file"]).name, d["range"]["start"]["line"] + 1, d["message"])
        for d in found["generalDiagnostics"]
        if d["severity"] == "error"
    ]


def check(reported):
    """User code has no fault, and all mistakes are found where they are."""
    lines = MISTAKES.read_text(encoding="utf-8").splitlines()
    wrong = {k for k, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert len(wrong) > 40
    found = {(name, line) for name, line, _ in reported}
    unexpected = [r for r in reported if r[0] != MISTAKES.name or r[1] not in wrong]
    assert not unexpected, "\n".join(map(str, unexpected))
    missed = [lines[k - 1] for k in sorted(wrong) if (MISTAKES.name, k) not in found]
    assert not missed, "not reported:\n" + "\n".join(missed)


MODULES = (
    sg, sg.autograd, sg.func, sg.linalg, sg.nn, sg.nn.functional, sg.optim, sg.special, sg.testing, sg.utils
)  # fmt: skip


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_dir_shows_public_names_only(module):
    names = {n for n in dir(module) if not n.startswith("__")} - {"errors"}
    assert names == set(module.__all__)
    assert all(hasattr(module, n) for n in names)


@pytest.mark.parametrize(
    ("module", "name", "meant"),
    [
        (sg, "softmx", "softmax"), (sg, "compille", "compile"), (sg.linalg, "sovle", "solve"),
        (sg.nn, "functionl", "functional"), (sg.nn.functional, "reluu", "relu"), (sg.special, "erfxc", "erfc"),
        (sg.optim, "Adamm", "Adam"), (sg.autograd, "gradchek", "gradcheck"), (sg.testing, "croscheck", "crosscheck"),
        (sg.func, "jacrew", "jacrev"), (sg.utils, "chekpoint", "checkpoint"),
    ],
)  # fmt: skip
def test_misspelt_name_is_answered_by_the_nearest(module, name, meant):
    told = f"module '{module.__name__}' has no attribute '{name}'. Did you mean '{meant}'?"
    with pytest.raises(AttributeError, match=re.escape(told)):
        getattr(module, name)


@pytest.mark.parametrize("name", ["qqqqqq", "_softmx", "__wrapped__"])
def test_name_that_resembles_none_is_only_refused(name):
    with pytest.raises(AttributeError, match=f"^module 'symgrad' has no attribute '{name}'$"):
        getattr(sg, name)


@pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="needs the group lint")
def test_pyright_finds_the_mistakes_and_no_other():
    check(of_pyright())


def test_user_code_runs(capsys):
    exec(compile(USER_CODE.read_text(encoding="utf-8"), str(USER_CODE), "exec"), {"__name__": "user_code"})
    assert "Xᵀ*(σ(X*W + 1*cᵀ) - Y)/(n*k)" in capsys.readouterr().out


@pytest.mark.parametrize("path", STUBS, ids=lambda p: p.name)
def test_stub_is_what_the_module_has(path):
    assert path.read_text(encoding="utf-8") == STUBS[path], "run python tests/tools/stubs.py"


class Observed:
    """A module whose functions note what they return, beside what the stub says: (function, stub, result)."""

    def __init__(self, module, seen):
        self._module, self._seen = module, seen

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return Observed(found, self._seen)
        noted = NOTED.get((self._module, name))
        if noted is None:
            return found

        def call(*args, **kwargs):
            y = found(*args, **kwargs)
            signature = noted[0] if len(args) < 2 and not set(stubs.VARIES.get(name, ())) & set(kwargs) else noted[-1]
            self._seen.append((name, signature, y))
            return y

        return call


def results(place, module):
    """What a stub says that each function returns, of each of its signatures."""
    found = {}
    for d in ast.parse(STUBS[stubs.ROOT / place]).body:
        if isinstance(d, ast.FunctionDef):
            found.setdefault((module, d.name), []).append(ast.unparse(d.returns))
    return found


MODULES_OF_STUBS = [*stubs.MODULES.items(), ("functions/__init__.pyi", sg)]
NOTED = {key: noted for place, module in MODULES_OF_STUBS for key, noted in results(place, module).items()}


def holds(noted, y):
    """Whether a value is what an annotation says."""
    outer, _, inner = noted.partition("[")
    if noted in ("Any", "Tensor"):
        return noted == "Any" or isinstance(y, sg.Tensor)
    assert set(re.findall(r"\w+", inner)) == {"Tensor"}, noted
    entries = [e for part in y for e in (part if type(part) is tuple else (part,))]
    return outer == type(y).__name__ and all(isinstance(e, sg.Tensor) for e in entries)


def test_functions_return_what_the_stubs_say():
    seen = []
    for case in {case.row.name: case for case in CASES if not case.empty}.values():
        case.function(Observed(sg, seen), sg.as_tensor)(*map(sg.as_tensor, case.points))
    assert len({name for name, _, _ in seen}) > 300
    assert not [(name, noted, type(y)) for name, noted, y in seen if not holds(noted, y)]


if __name__ == "__main__":
    check({"mypy": of_mypy, "pyright": of_pyright}[sys.argv[1]]())
