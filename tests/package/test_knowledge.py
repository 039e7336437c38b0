"""One fact, one place: what is known of an operation stands in its class, of a dtype in its room, and all else asks."""

import ast
import contextlib
import importlib
import pkgutil
from functools import cache
from pathlib import Path

import pytest

import symgrad as sg
from symgrad.compiler.loops import words as loops
from symgrad.compiler.primitives.decompose import is_written
from symgrad.core.promotion import positions, truths
from symgrad.exports.arrays import operations as arrays
from symgrad.ops.contract import Einsum
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.signature import read
from symgrad.transforms import batching
from symgrad.transforms.loops.op import Scan

PACKAGE = Path(sg.__file__).parent
SOURCES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


# ------------------------------------------------------------------ operations
@cache
def operations():
    """All classes of operations that the package applies, wherever they are."""
    for info in pkgutil.walk_packages(sg.__path__, "symgrad."):
        if not info.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of an extra
                importlib.import_module(info.name)
    found, ahead = set(), [Op]
    while ahead:
        kinds = ahead.pop().__subclasses__()
        ahead += kinds
        found |= {k for k in kinds if k.__module__.startswith("symgrad.")}
    whole = [k for k in found if k.forward is not Op.forward and k.out_shape is not Op.out_shape]
    return sorted(whole, key=lambda k: (k.__name__, k.__module__))


def has_no_derivative(kind):
    return kind.flat or kind.gives in (positions, truths)


def overrides(kind, *names):
    return any(getattr(kind, name) is not getattr(Op, name) for name in names)


def along_axes(kind):
    return {"axis", "axes"} & set(getattr(kind, "__names__", ()))


def arithmetic(kind):
    """What the compiler reads entry by entry: scalar functions, and sums of products."""
    return issubclass(kind, (Map, MapTotal, Einsum))


def answers_batching(kind):
    return batching.is_known(kind) or kind.looped


def answers_sparsity(kind):
    stated = (
        kind.rearranges or kind.signature is not None or along_axes(kind) or overrides(kind, "origins", "reads", "adds")
    )
    return has_no_derivative(kind) or arithmetic(kind) or stated or kind.dense


def answers_exports(kind):
    if kind.not_exportable or issubclass(kind, Map) or is_written(kind):
        return True
    as_array = kind is Scan or words_for(arrays.WORDS, kind)  # a loop of arrays has a writer of its own
    as_loop = kind.__name__ in {"Flip", "Slice", "Diagonal"} or words_for(loops.WORDS, kind)  # the three are views
    return as_array and as_loop


def words_for(table, kind):
    """Whether a class is registered, or has its forward from one that is."""
    return table.of_class(kind) is not None


def answers_explanations(kind):
    return issubclass(kind, Map) or has_no_derivative(kind) or kind.explained


READERS = [answers_batching, answers_sparsity, answers_exports, answers_explanations]


@pytest.mark.parametrize("answers", READERS, ids=lambda f: f.__name__)
def test_every_operation_has_an_answer_or_says_why_not(answers):
    assert [kind.__qualname__ for kind in operations() if not answers(kind)] == []


@pytest.mark.parametrize("answers", READERS, ids=lambda f: f.__name__)
def test_what_says_nothing_is_noticed(answers):
    class Silent(Op):
        pass

    assert not answers(Silent)


SAMPLES = {"to": "float64", "kind": "isnan", "upper": False, "left": True}  # of fields; others are 3


def test_signatures_fit_the_shapes():
    signed = [kind for kind in operations() if isinstance(kind.signature, str) and hasattr(kind, "__names__")]
    assert len(signed) > 25
    for kind in signed:
        signature = read(kind.signature)
        op = kind(**{n: SAMPLES.get(n, 3) for n in kind.__names__ if n not in kind.__defaults__})
        for lead in ((), (2,), (4, 2)):
            found = op.out_shape(*[(*lead, *(3 for _ in letters)) for letters in signature.inputs])
            assert len(found) == len(lead) + len(signature.result), kind
        assert set(kind.independent_axes) <= set(signature.result), kind


# ------------------------------------------------------------------ tables outside of the classes
MANY = 4  # classes of operations, from which on naming them is a table
READERS_OF_TABLES = {
    "forms": ["forms/canon/lower.py"],
    "scalar steps": ["compiler/primitives/pairs.py", "compiler/primitives/scalarise.py"],  # of complex and real numbers
    "words of array targets": ["exports/arrays/operations.py"],
    "loops": ["compiler/loops/matrices.py", "compiler/loops/operations.py", "compiler/loops/rows.py"],
    "exact numbers": ["compiler/backends/mpmath/operations.py"],
}


def name_of(node):
    """The last name of an expression such as ``linalg.Inverse``."""
    return getattr(node, "attr", getattr(node, "id", None))


def tables(tree, names):
    """Yield how many classes each literal or registration of a module names."""

    def named(nodes):
        return names.intersection(map(name_of, nodes))

    registered = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield len(named(node.keys))
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            yield len(named(node.elts))
        elif isinstance(node, ast.Call) and name_of(node.func) in ("register", "writes"):
            registered |= named(node.args)
        elif isinstance(node, ast.FunctionDef) and any("register" in ast.unparse(d) for d in node.decorator_list):
            registered |= named(ast.walk(node.args.args[0].annotation)) if node.args.args[0].annotation else set()
    yield len(registered)


def mentions(path, names):
    source = path.read_text("utf-8")
    return sum(name in source for name in names)


TABLE = "rules = {Inverse: 1, Solve: 2, Det: 3, Cat: 4}"
LIST = "isinstance(op, (Inverse, Solve, Det, Cat))"
REGISTERED = "".join(f"@rule.register\ndef _(op: {k}):\n    pass\n" for k in ("Inverse", "Solve", "Det", "Cat"))


@pytest.mark.parametrize("text", [TABLE, LIST, REGISTERED], ids=["table", "list", "registered"])
def test_a_table_of_operations_is_noticed(text):
    assert max(tables(ast.parse(text), {k.__name__ for k in operations()})) == MANY


def test_at_most_five_readers_have_a_table_of_operations():
    names = {k.__name__ for k in operations()}
    outside = {n: path for n, path in SOURCES.items() if not n.startswith("ops/") and mentions(path, names) >= MANY}
    found = {n for n, path in outside.items() if max(tables(parsed(path), names)) >= MANY}
    assert len(READERS_OF_TABLES) <= 5
    assert found == {name for files in READERS_OF_TABLES.values() for name in files}, "let the class say it"


# ------------------------------------------------------------------ dtypes
DTYPE_ROOMS = {"core/promotion.py", "engine/dtypes.py", "core/kernels.py", "scalars/numerics.py"}
LETTERS = [set(s) for s in ("f", "iu", "b", "biu", "i", "u", "biuf", "fb", "fO", "O", "OUS", "fc")]


def asks_a_dtype(node):
    """Whether an expression looks at the letter of a dtype: ``x.dtype.kind``, or ``found.kind in "iu"``."""
    if isinstance(node, ast.Attribute) and node.attr == "kind":
        return "dtype" in ast.unparse(node.value)
    if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Attribute) or node.left.attr != "kind":
        return False
    (other, *_) = node.comparators
    return isinstance(other, ast.Constant) and isinstance(other.value, str) and set(other.value) in LETTERS


@pytest.mark.parametrize("text", ["x.dtype.kind", 'found.kind != "f"', 'np.dtype(d).kind in "biu"', "dtypes[k].kind"])
def test_a_question_to_a_dtype_is_recognised(text):
    assert any(map(asks_a_dtype, ast.walk(ast.parse(text))))


@pytest.mark.parametrize("text", ["t.kind == SUM", 'line.kind == "rule"', "is_floating(x.dtype)", "x.dtype.name"])
def test_other_kinds_are_let_alone(text):
    assert not any(map(asks_a_dtype, ast.walk(ast.parse(text))))


def test_only_the_rooms_of_dtypes_look_at_their_letters():
    found = {
        name
        for name, path in SOURCES.items()
        if ".kind" in path.read_text("utf-8") and any(map(asks_a_dtype, ast.walk(parsed(path))))
    }
    assert found <= DTYPE_ROOMS, "ask a predicate of symgrad.core.promotion"
