"""The package as a user gets it: installed, typed, versioned, quick to import."""

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import symgrad
from symgrad.core.upcalls import UPCALLS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "symgrad"
INSTALLED = Path(symgrad.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SOURCE.rglob("*.py")
}


def files_below(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.suffix in {".py", ".pyi", ".typed"}}


def is_editable():
    origin = importlib.metadata.distribution("symgrad").read_text("direct_url.json")
    return bool(origin) and json.loads(origin).get("dir_info", {}).get("editable", False)


def python(*args, cwd):
    """Run this Python with the current directory off its path, so that symgrad is the installed one."""
    return subprocess.run([sys.executable, "-P", *args], cwd=cwd, capture_output=True, text=True, check=True)


def test_the_installed_package_is_what_is_tested():
    if is_editable():
        pytest.skip("symgrad is installed as editable")
    assert SOURCE != INSTALLED
    assert Path(importlib.metadata.distribution("symgrad").locate_file("symgrad")) == INSTALLED


def test_the_installed_package_is_this_source():
    if not SOURCE.is_dir():
        pytest.skip("the tests were moved away from the source")
    installed, source = files_below(INSTALLED), files_below(SOURCE)
    stale = sorted(str(p) for p in installed.keys() | source.keys() if installed.get(p) != source.get(p))
    assert not stale, "the installed package differs from the source; run: pip install --no-deps ."


def test_type_hints_are_shipped():
    assert (INSTALLED / "py.typed").is_file()


def test_version_is_the_one_in_the_metadata():
    if is_editable():
        pytest.skip("the metadata of an editable installation is of the day it was made")
    assert symgrad.__version__ == importlib.metadata.version("symgrad")


def test_citation_names_the_version():
    found = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == symgrad.__version__


def test_every_public_name_exists():
    missing = [name for name in symgrad.__all__ if not hasattr(symgrad, name)]
    assert not missing


def test_transforms_at_the_top_are_those_of_func():
    names = set(symgrad.func.__all__) - {"replace_all_batch_norm_modules_"}  # which PyTorch has there alone
    assert names <= set(symgrad.__all__)
    assert all(getattr(symgrad, name) is getattr(symgrad.func, name) for name in names)


def test_import_loads_no_third_party_package_beyond_numpy_and_sympy(tmp_path):
    code = (
        "import sys, numpy, sympy; before = {n.partition('.')[0] for n in sys.modules};"
        "import symgrad; after = {n.partition('.')[0] for n in sys.modules};"
        "print(*sorted(after - before - sys.stdlib_module_names))"
    )
    assert python("-c", code, cwd=tmp_path).stdout.split() == ["symgrad"]


def test_import_compares_no_expressions_which_loads_much_of_sympy(tmp_path):
    code = "import sys, symgrad; print('sympy.tensor.tensor' in sys.modules, 'sympy.combinatorics' in sys.modules)"
    assert python("-c", code, cwd=tmp_path).stdout.split() == ["False", "False"]


def test_import_leaves_scipys_functions_and_lessons_for_later(tmp_path):
    """What few programs need is declared when it is first asked for; so are its kernels, its forms and its pickles."""
    code = (
        "import pickle, sys, symgrad as sg; from symgrad.scalars import X, declaration;"
        "f = sg.compile(lambda x: sg.exp(x)); f(sg.tensor(1.0));"
        "late = ('symgrad.scalars.library', 'symgrad.functions.library', 'symgrad.teach', 'difflib', 'traceback');"
        "print(*[m for m in late if m in sys.modules]);"
        "print(declaration('betainc').nargs, sg.special.gammainc(sg.tensor(1.0), 0.0).item());"
        "print(pickle.loads(pickle.dumps(declaration('betainc').function(*X[:3]))), 'betainc' in sg.special.__all__)"
    )
    assert python("-c", code, cwd=tmp_path).stdout.splitlines() == ["", "3 0.0", "betainc(x0, x1, x2) True"]


def test_import_leaves_rooms_for_later(tmp_path):
    """Linear algebra, transforms and their modules are imported when one of their names is first asked for."""
    code = (
        "import sys, symgrad; late = ('autograd', 'func', 'linalg', 'special', 'transforms.taylor', 'autograd.custom');"
        "print(*[m for m in late if f'symgrad.{m}' in sys.modules]);"
        "print(symgrad.linalg.inv.__name__, symgrad.grad.__name__, symgrad.autograd.grad.__name__)"
    )
    assert python("-c", code, cwd=tmp_path).stdout.splitlines() == ["", "inv grad grad"]


def test_import_is_silent_and_leaves_global_state_alone(tmp_path):
    code = (
        "import sys, numpy, sympy, warnings; limit, errors = sys.getrecursionlimit(), numpy.geterr();"
        "state = numpy.random.get_state()[1].tolist(); warnings.simplefilter('error');"
        "filters = list(warnings.filters); import symgrad;"
        "assert (limit, errors) == (sys.getrecursionlimit(), numpy.geterr());"
        "assert state == numpy.random.get_state()[1].tolist();"
        "assert filters == warnings.filters"
    )
    done = python("-c", code, cwd=tmp_path)
    assert done.stdout == done.stderr == ""


def test_no_module_is_imported_for_its_side_effect():
    """What a module offers is entered in a table that one reads, not by importing it. Sources of libraries are text."""
    sources = [p for p in INSTALLED.rglob("*.py") if "library" not in p.parts]
    assert len(sources) > 300
    assert [p.name for p in sources if "noqa: F401" in p.read_text(encoding="utf-8")] == []


def test_no_module_imports_another_by_a_string():
    """An import that the checker of layers does not see could go up them. What rooms above are asked is UPCALLS."""
    literal = re.compile(r"import_module\(\s*f?[\"']")
    assert [str(path) for path in SOURCE.rglob("*.py") if literal.search(path.read_text(encoding="utf-8"))] == []


ASKING = "cli distributed expression fft forms functions implicit linalg numpy_api ode ops signal special stats testing"


@pytest.mark.parametrize("room", [*ASKING.split(), "transforms", "web"])
def test_what_a_tensor_holds_is_asked_by_accessors(room):
    """``_node`` and ``_value`` may change without these rooms: tensor_node, tensor_value and has_value tell them."""
    inside = re.compile(r"(?<!self)(?<!_table)\._(node|value)\b(?!\()")
    sources = sorted((SOURCE / room).rglob("*.py"))
    assert sources
    assert [str(p) for p in sources if inside.search(p.read_text(encoding="utf-8"))] == []


def test_what_rooms_ask_of_the_rooms_above_them_is_one_short_table():
    """An entry is an import up the layers that no checker sees: each needs a reason, and a line here."""
    assert sorted(UPCALLS) == [
        "backward_symbolic",
        "export",
        "expression",
        "formula",
        "numpy_function",
        "ode_costates",
        "ode_entries",
        "ode_states",
        "parse",
        "plot",
    ]


def test_no_file_imports_itself_through_others():
    """Neither at its top nor inside of a function; what only annotations name is not imported."""
    imports = {module: imported(path) for module, path in MODULES.items()}
    assert len(imports) > 600
    rest = dict(imports)
    while free := {module for module, needs in rest.items() if not needs & rest.keys()}:
        rest = {module: needs for module, needs in rest.items() if module not in free}
    assert sorted(rest) == []


def imported(path):
    """The modules of symgrad that a file imports, other than for annotations."""
    names, ahead = set(), [ast.parse(path.read_text(encoding="utf-8"))]
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names.update(name if name in MODULES else node.module for name in inner)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "_typing.TYPE_CHECKING"):
            ahead += node.orelse
        else:
            ahead += ast.iter_child_nodes(node)
    return names & MODULES.keys()


def test_folders_of_tests_are_rooms_of_the_package():
    """A newcomer looks for the tests of a room in the folder of its name."""
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    beside = {"rows", "readers", "tools", "shared", "data", "mutation"}  # what tests are made of
    beyond = {"docs", "package", "programs"}  # tests of the pages, of what is installed, of random programs
    folders = {path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("*/*.py")}
    assert folders - rooms - beside - beyond == set()
    assert [path.name for path in (ROOT / "tests").glob("test_*.py")] == []


# ------------------------------------------------------------------ books
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
CONTRACTS = {contract["id"]: contract for contract in PROJECT["importlinter"]["contracts"]}
ALONE = """
import importlib, json, sys

names, above = json.loads(sys.argv[1])

class Above:
    def find_spec(self, name, path=None, target=None):
        if any((name + ".").startswith(room + ".") for room in above):
            raise ImportError(name + " is in a book above")

sys.meta_path.insert(0, Above())
for name in names:
    importlib.import_module(name)

import numpy as np
import symgrad as sg
"""
USES = {
    "library": """
assert sg.grad(lambda x: (sg.sin(x) * x).sum())(sg.ones(2)).shape == (2,)
""",
    "formulas": """
assert str(sg.derive("x**2", "x")) == "2*x"
""",
    "kernels": """
loss = lambda A, x, b: ((A @ x - b) ** 2).sum()
assert sg.compile(sg.grad(loss, argnums=1))(np.eye(2), np.ones(2), np.ones(2)).tolist() == [0, 0]
for target in ("c", "jax", "numpy", "python", "sympy", "torch"):
    assert "loss" in sg.export(loss, shapes=[(3, 2), 2, 3], target=target, formula=False, name="loss")
""",
    "answers": """
assert abs(float(sg.root(lambda x: x * x - 2.0, 1.0)) - 2**0.5) < 1e-12
""",
}


@pytest.mark.parametrize("book", USES)
def test_a_book_is_read_without_those_above_it(book, tmp_path):
    """Every module of it is imported, and it is used, where no module that it must not import can be."""
    rooms, above = CONTRACTS[book]["source_modules"], CONTRACTS[book]["forbidden_modules"]
    names = [m for m in MODULES if any(f"{m}.".startswith(f"{r}.") for r in rooms) and ".library." not in m]
    assert len(names) > 20
    python("-c", ALONE + USES[book], json.dumps([names, above]), cwd=tmp_path)


def test_each_room_is_in_one_book():
    rooms = {m.split(".")[1] for m in MODULES if "." in m} - {"__main__", "_version", "errors"}
    books = [room.split(".")[1] for book in USES for room in CONTRACTS[book]["source_modules"]]
    pages = {"cli", "teach", "testing", "web"}
    assert sorted([*books, *pages]) == sorted(rooms)
    assert all(pages <= {room.split(".")[1] for room in CONTRACTS[book]["forbidden_modules"]} for book in USES)
    assert {"symgrad.expression", "symgrad.forms"} <= set(CONTRACTS["kernels"]["forbidden_modules"])
