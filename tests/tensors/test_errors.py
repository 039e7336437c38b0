"""Bad input gets PyTorch's exception type and first sentence, and its warnings; then what to do."""

import ast
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors

CASES = json.loads((Path(__file__).parents[1] / "data" / "torch_errors.json").read_text(encoding="utf-8"))
BY_NAME = {case["name"]: case for case in CASES}

TYPES = {
    "RuntimeError": RuntimeError,
    "ValueError": ValueError,
    "TypeError": TypeError,
    "IndexError": IndexError,
    "torch._C._LinAlgError": np.linalg.LinAlgError,
    "torch.autograd.gradcheck.GradcheckError": sg.autograd.GradcheckError,
}

# Where symgrad differs on purpose: the statement works here, and this is what it gives.
VALUES = "[2.7183, 7.3891]"
DIFFERENT = {
    # Tensors are values: what was saved never changes, so the gradient is right.
    "saved tensor modified (exp)": ("x.grad", f"tensor({VALUES})"),
    "saved tensor modified (mul)": ("x.grad", "tensor([2., 4.])"),
    "saved tensor modified via view": ("x.grad", "tensor([ 0.5403, -0.4161])"),
    "saved tensor modified under no_grad (leaf)": ("x.grad", "tensor([2., 4.])"),
    ".data modification (silent wrong)": ("x.grad", "tensor([2., 4.])"),
    "detach_ view": ("y", "tensor([2.])"),
    "unbind view inplace": ("(a.tolist(), x)", "(2.0, tensor([2., 2.], grad_fn=<IndexPutBackward0>))"),
    # A conjugate is computed where it is taken.
    "numpy() on conj": ("sg.tensor([1.+1j]).conj()", "tensor([1.-1.j])"),
    # How entries lie in memory is not the user's concern.
    "view noncontig": ("sg.ones(2, 3).T.view(6)", "tensor([1., 1., 1., 1., 1., 1.])"),
    # dtypes follow NumPy's promotion.
    "matmul dtype mismatch": (
        "sg.ones(2,2)@sg.ones(2,2,dtype=sg.float64)",
        "tensor([[2., 2.],\n        [2., 2.]], dtype=float64)",
    ),
    # NumPy's functions are recorded.
    "np.sin(tensor rg)": ("np.sin(x)", "tensor([0.8415], grad_fn=<SinBackward0>)"),
}  # fmt: skip
# Where the type is the same and the text is not: (a start of the text, why).
OTHER_TEXT = {
    # Random numbers, and the two matrices as each library prints them.
    "gradcheck float32 warns": (RuntimeError, "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:"),
    "gradcheck wrong jac": (RuntimeError, "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:"),
    # NumPy promotes an integer tensor and a Python float to float64, whatever the default dtype.
    "inplace int += float": (RuntimeError, "result type Double can't be cast to the desired output type Long"),
}
# Where nothing fails and the result prints otherwise: NumPy's dtypes, tuples as shapes, other names of nodes.
PRINTED = {
    "gradient wrong dtype": "float32",
    "squeeze multi": "(2, 3)",
    "create_graph backward warns": "tensor(3., grad_fn=<MapBackward0>)",
}

PLAIN = [c for c in CASES if c["name"] not in set(DIFFERENT) | set(OTHER_TEXT)]
FAILING = [c for c in PLAIN if c["type"] != "no error"]
WORKING = [c for c in PLAIN if c["type"] == "no error"]


@pytest.fixture(autouse=True)
def float32_by_default():
    sg.set_default_dtype(sg.float32)
    yield
    sg.set_default_dtype(sg.float64)


def run(source, then=None):
    """Run torch's statements with symgrad; return the value of the last expression, or of ``then``."""
    source = re.sub(r"\btorch\b", "sg", source)
    tree = ast.parse(source)
    env = {"sg": sg, "np": np, "F": sg.nn.functional}
    last = tree.body.pop() if then is None and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<statements>", "exec"), env)
    expression = ast.Expression(last.value) if last is not None else then and ast.parse(then, mode="eval")
    return eval(compile(expression, "<result>", "eval"), env) if expression else None


def first_sentence(text):
    """The text up to a full stop that ends a sentence, without the stop."""
    return re.split(r"(?<=[.?])\s+(?=[A-Z])", text)[0].rstrip(".")


def cases(found):
    return pytest.mark.parametrize("case", found, ids=[c["name"] for c in found])


@cases(FAILING)
def test_the_error_has_torchs_type_and_first_sentence(case):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(TYPES[case["type"]]) as failure:
            run(case["src"])
    text = case["text"].removeprefix("torch.").replace("grad_and_value(f)", "grad(f)")  # the name that was called
    assert str(failure.value).startswith(first_sentence(text))
    assert isinstance(failure.value, sg.SymgradError)
    told = [str(w.message) for w in caught if w.category is UserWarning]
    assert [text.splitlines()[0] for text in told] == [text for _, text in case.get("warn", [])]


@cases(WORKING)
def test_what_works_in_torch_works_with_its_result_and_warnings(case):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = run(case["src"])
    assert str(result) == PRINTED.get(case["name"], case["text"])
    expected = [[kind, text.replace("torch.tensor(", "symgrad.tensor(")] for kind, text in case.get("warn", [])]
    assert [[w.category.__name__, str(w.message)] for w in caught] == expected
    assert all(w.filename == "<statements>" or w.filename == "<result>" for w in caught)


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_fails_in_torch_or_is_wrong_there_has_this_result_instead(name):
    then, expected = DIFFERENT[name]
    source = BY_NAME[name]["src"]
    if ast.unparse(ast.parse(re.sub(r"\btorch\b", "sg", source))).strip() == ast.unparse(ast.parse(then)).strip():
        assert str(run(source)) == expected
    else:
        assert str(run(source, then)) == expected


@pytest.mark.parametrize("name", OTHER_TEXT)
def test_the_error_differs_from_torchs_as_documented(name):
    kind, text = OTHER_TEXT[name]
    with pytest.raises(kind, match=re.escape(text)) as failure:
        run(BY_NAME[name]["src"])
    assert isinstance(failure.value, sg.SymgradError)


def test_every_exception_is_the_builtin_that_torch_or_numpy_would_raise():
    kinds = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, sg.SymgradError)]
    builtins = (
        RuntimeError,
        ValueError,
        TypeError,
        IndexError,
        AttributeError,
        BufferError,
        AssertionError,
        ImportError,
    )
    assert len(kinds) > 10
    assert all(issubclass(e, builtins) for e in kinds if e is not sg.SymgradError)


def test_a_parameter_that_is_differentiated_as_an_integer_says_how_to_convert_it():
    with pytest.raises(sg.SymgradError, match=r"Got int64; convert it with \.to\(sg\.float64\)"):
        sg.tensor([1, 2]).requires_grad_()


HOSTILE = ["__import__('os').system('x')", "\\input{x}", "a\nb", "", "a" * 5000, "\x00", "{}", "%s", "🦄"]
x = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
M = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
BAD = {
    "text": lambda: sg.tensor("1.0"),
    "bytes": lambda: sg.tensor(b"1"),
    "None": lambda: sg.tensor(None),
    "dictionary": lambda: sg.tensor({}),
    "text among numbers": lambda: sg.tensor([1.0, "a"]),
    "None among numbers": lambda: sg.tensor([[1.0], [None]]),
    "huge integer": lambda: sg.tensor(10**30),
    "huge integer among numbers": lambda: sg.tensor([1, 10**400]),
    "ragged below": lambda: sg.tensor([[[1], [2]], [[3]]]),
    "complex as real": lambda: sg.tensor(1j, dtype=float),
    "dates": lambda: sg.tensor(np.array(["2020-01-01"], dtype="datetime64[D]")),
    "unknown dtype": lambda: sg.tensor([1.0], dtype="foo"),
    "object dtype": lambda: sg.tensor([1.0], dtype=object),
    "long complex dtype": lambda: sg.ones(2, dtype=np.clongdouble),
    "negative size": lambda: sg.zeros(2, -1),
    "fractional size": lambda: sg.zeros(2.0),
    "text as size": lambda: sg.zeros("3"),
    "size beyond memory": lambda: sg.zeros(2**40, 2**40),
    "nested size": lambda: sg.zeros((2,), (3,)),
    "negative symbolic size": lambda: sg.symbol("x", (-1,)),
    "fractional symbolic size": lambda: sg.symbol("x", ("n", 2.5)),
    "unknown assumption": lambda: sg.symbol("x", "n", lucky=True),
    "Tensor called": lambda: sg.Tensor("text"),
    "text as axis": lambda: x.sum("a"),
    "fraction as axis": lambda: x.sum(0.0),
    "axis twice": lambda: M.sum(dim=(0, 0)),
    "axis outside": lambda: M.mean(dim=2),
    "two sizes to infer": lambda: x.reshape(-1, -1),
    "text as shape": lambda: x.reshape("a"),
    "axes to permute twice": lambda: M.permute(0, 0),
    "expansion of a long axis": lambda: x.expand(2),
    "nothing to join": lambda: sg.cat([]),
    "nothing to stack": lambda: sg.stack([]),
    "parts of size 0": lambda: x.split(0),
    "parts that do not add up": lambda: x.split([1, 1]),
    "no parts": lambda: x.chunk(0),
    "clamp without a bound": lambda: x.clamp(),
    "clamp to text": lambda: x.clamp("a"),
    "text as index": lambda: x["a"],
    "fraction as index": lambda: x[0.5],
    "huge index": lambda: x[10**30],
    "step 0": lambda: x[::0],
    "mask of another size": lambda: x[np.array([True, False])],
    "indices of two sizes": lambda: M[[0, 1], [0, 1, 0]],
    "floats as indices": lambda: x[sg.tensor([0.0])],
    "minus of booleans": lambda: -sg.tensor([True]),
    "difference of booleans": lambda: sg.tensor([True]) - sg.tensor([True]),
    "number beyond floats": lambda: x * 10**400,
    "scalar and number beyond floats": lambda: sg.tensor(1.0) * 10**400,
    "roll by text": lambda: x.roll("a"),
    "einsum of hostile text": lambda: sg.einsum(HOSTILE[0], x),
    "einsum without operands": lambda: sg.einsum("ij,jk->ik", M),
    "einsum of an unknown output": lambda: sg.einsum("ij->ijk", M),
    "einsum of a number": lambda: sg.einsum(5, M),
    "inverse of a vector": lambda: sg.linalg.inv(x),
    "inverse of an oblong": lambda: sg.linalg.inv(sg.ones(2, 3)),
    "system of another size": lambda: sg.linalg.solve(M, x),
    "determinant of an oblong": lambda: sg.det(sg.ones(2, 3)),
    "trace of a vector": lambda: sg.trace(x),
    "unknown norm": lambda: sg.norm(x, p="a"),
    "classes as fractions": lambda: sg.nn.functional.cross_entropy(M, sg.tensor([0.0, 1.0])),
    "classes of another number": lambda: sg.nn.functional.cross_entropy(M, sg.tensor([0])),
    "label smoothing above 1": lambda: sg.nn.functional.cross_entropy(M, sg.tensor([0, 1]), label_smoothing=5),
    "weight of another size": lambda: sg.nn.functional.binary_cross_entropy_with_logits(x, x, weight=sg.ones(5)),
    "unknown mode of backward": lambda: x.sum().backward(mode="foo"),
    "number as cotangent": lambda: x.sum().backward(1.0),
    "no inputs": lambda: x.sum().backward(inputs=[]),
    "numbers as inputs": lambda: x.sum().backward(inputs=[5]),
    "nothing to differentiate by": lambda: sg.autograd.grad(x.sum(), []),
    "nothing to differentiate": lambda: sg.autograd.grad([], [x]),
    "number to differentiate": lambda: sg.autograd.grad(5, x),
    "number to differentiate by": lambda: sg.autograd.grad(x.sum(), 5),
    "too many cotangents": lambda: sg.autograd.grad(x.sum(), x, grad_outputs=[None, None]),
    "unused refused and filled": lambda: sg.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True),
    "number as data": lambda: setattr(sg.ones(2), "data", 5),
    "array as data": lambda: setattr(sg.ones(2), "data", np.ones(2)),
    "integers as data of a parameter": lambda: setattr(x, "data", sg.tensor([1, 2, 3])),
    "number as gradient": lambda: setattr(x, "grad", 5),
    "number as name": lambda: setattr(sg.ones(2), "name", 5),
    "empty name": lambda: sg.ones(2, name=""),
    "endless name": lambda: sg.ones(2, name="a" * 5000),
    "name of a result": lambda: setattr(x * 2, "name", "y"),
    "length of a symbol": lambda: len(sg.symbol("x", "n")),
    "iteration over a symbol": lambda: list(sg.symbol("x", "n")),
    "number of a symbol": lambda: float(sg.symbol("x")),
    "array of a symbol": lambda: np.asarray(sg.symbol("x", 3)),
    "backward of a symbol": lambda: sg.symbol("x").requires_grad_().backward(),
    "truth of a symbol": lambda: bool(sg.symbol("x")),
    "sizes of two names": lambda: sg.symbol("x", "n") + sg.symbol("y", "m"),
    "oblong symbol inverted": lambda: sg.linalg.inv(sg.symbol("x", ("n", "m"))),
    "NumPy's out": lambda: np.add(x, 1.0, out=np.zeros(3)),
    "unknown default dtype": lambda: sg.set_default_dtype(sg.int64),
    "endless range": lambda: sg.arange(0, float("inf")),
    "differences taken -1 times": lambda: sg.diff(x, -1),
    "narrowed number": lambda: sg.narrow(sg.tensor(1.0), 0, 0, 1),
    "repeats of another number": lambda: x.repeat_interleave(sg.tensor([1] * 5)),
    "negative repeats": lambda: x.repeat_interleave(sg.tensor([-1])),
    "repeats of another sum": lambda: x.repeat_interleave(sg.tensor([2]), output_size=1),
    "more cut off than there is": lambda: sg.nn.functional.pad(x, (-9, 1), mode="replicate"),
    "windows that stand still": lambda: sg.nn.functional.max_pool1d(M, 1, 0),
    "windows without entries": lambda: sg.nn.functional.avg_pool1d(M, 0),
    "padding wider than half a window": lambda: sg.nn.functional.max_pool1d(M, 1, padding=1),
    "mean of sums over 0": lambda: sg.nn.functional.avg_pool2d(M[None], 1, divisor_override=0),
    "no groups": lambda: sg.nn.functional.conv1d(M, sg.ones(1, 2, 1), groups=0),
    "unknown driver": lambda: sg.linalg.lstsq(sg.eye(2), sg.ones(2, 1), driver="fast"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_an_error_of_symgrad(name):
    with pytest.raises(sg.SymgradError) as failure:
        BAD[name]()
    assert len(str(failure.value)) > 20
    assert "\n\n" not in str(failure.value)


def test_python_itself_refuses_operands_that_are_no_numbers():
    for other in (None, "a", {}, object()):
        with pytest.raises(TypeError, match="unsupported operand"):
            x + other


def test_a_failed_statement_in_place_leaves_the_tensor_as_it_was():
    y = sg.tensor([1.0, 2.0])
    for bad in (lambda: y.add_(sg.ones(2, 2)), lambda: y.fill_("a"), lambda: y.copy_(sg.ones(3)), lambda: y.add_("a")):
        with pytest.raises(sg.SymgradError):
            bad()
    assert y.tolist() == [1.0, 2.0]
