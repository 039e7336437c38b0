"""The page on coverage is true, and of torch's functions the common ones are there."""

import json

import pytest
from coverage_page import TIERS, exists, found_in, pages, rows

import symgrad as sg
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.map import Map
from symgrad.testing.coverage import Readings, functions, operations, readings, together


def test_pages_are_what_the_tests_observe():
    for page, text in pages().items():
        assert page.read_text(encoding="utf-8") == text, "run python tests/rows/coverage_page.py"


def test_every_function_of_the_most_common_tier_is_there():
    assert [n for n in json.loads(TIERS.read_text(encoding="utf-8"))["tier_1"] if not exists(n)] == []


def test_nine_tenths_of_the_common_tier_are_there():
    names = json.loads(TIERS.read_text(encoding="utf-8"))["tier_2"]
    missing = [n for n in names if not exists(n)]
    assert len(missing) <= 0.1 * len(names), missing


def test_a_name_that_is_not_there_does_not_exist():
    assert not exists("linalg.no_factor")
    assert not exists("no.such.name")


# Tested on complex numbers in test_complex.py and test_complex_linalg.py; the page tells what there is for real ones.
# Solvers of operators are tested in test_solvers.py, attention of several heads and draws in tests/nn, SciPy's factors
# in tests/linalg, and functions that write to their tensor in tests/tensors.
NOT_IN_THE_TABLE = [
    "nn.functional.gumbel_softmax", "nn.functional.multi_head_attention_forward", "linalg.cg", "linalg.gmres",
    "linalg.cho_factor", "linalg.cho_solve", "linalg.ldl_factor", "linalg.ldl_solve",
    "linalg.lsqr", "adjoint", "angle", "complex", "imag", "istft", "linalg.eig", "linalg.eigvals", "polar",
    "resolve_conj", "resolve_neg", "stft", "view_as_complex", "view_as_real",
]  # fmt: skip


@pytest.mark.parametrize(
    "path", [name for name in functions() if name not in NOT_IN_THE_TABLE and not name.endswith("_")]
)
def test_every_function_and_its_other_names_are_on_the_page(path):
    assert id(found_in(path)) in rows()
    for name in functions()[path]:
        assert hasattr(sg.Tensor, name[1:]) if name.startswith(".") else found_in(name) is found_in(path)


def test_readings_of_operations_are_as_their_classes_say():
    assert readings(Map) == Readings("rule", "rule", "products", "fused", "rule")
    assert readings(Inverse).compiled == "step"
    assert operations()["Arg"].derivative == operations()["Arg"].forward == "none"
    assert operations()["Det"].forward == "transposed"
    assert operations()["Cumprod"].compiled == "written"


def test_a_function_of_several_operations_has_what_the_least_of_them_has():
    found = together([operations()["exp"], operations()["Det"], operations()["Arg"]])
    assert (found.derivative, found.forward, found.formula, found.compiled) == ("rule", "transposed", "name", "step")
