"""Printing: fixed texts first, then the same rules against torch itself, where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.core.printing import format_tensor, set_printoptions
from symgrad.errors import ArgumentError

DEFAULT = np.dtype(np.float64)
NAN, INF = np.nan, np.inf


def text(value: Any, *suffixes: str, dtype: Any = None) -> str:
    """The text of a tensor under the default dtype float64."""
    return format_tensor(np.asarray(value, dtype=dtype), suffixes=suffixes, default_dtype=DEFAULT)


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    """Leave no print option behind."""
    yield
    set_printoptions(profile="default")


def lines(block: str) -> str:
    """A block of text, without its margin."""
    return dedent(block).strip("\n")


# ---------------------------------------------------------------- notation

NOTATIONS = [
    ([1.0, 2.0], "tensor([1., 2.])"),
    ([-1.0, 20.0, 300.0], "tensor([ -1.,  20., 300.])"),
    ([1.5, -2.25], "tensor([ 1.5000, -2.2500])"),
    ([0.29804, 0.45281], "tensor([0.2980, 0.4528])"),
    ([1.0, 1e3], "tensor([   1., 1000.])"),
    ([1.0, 1001.0], "tensor([1.0000e+00, 1.0010e+03])"),
    ([1.0, 1e8], "tensor([1.0000e+00, 1.0000e+08])"),
    ([1e8 + 1], "tensor([1.0000e+08])"),
    ([99999999.0], "tensor([99999999.])"),
    ([0.00011], "tensor([0.0001])"),
    ([9.9e-5], "tensor([9.9000e-05])"),
    ([5e-324, -1.7e308], "tensor([ 4.9407e-324, -1.7000e+308])"),
    ([0.0, -0.0], "tensor([0., -0.])"),
    ([0.0, 0.5], "tensor([0.0000, 0.5000])"),
    ([NAN, INF, -INF], "tensor([nan, inf, -inf])"),
    ([NAN, 1.0, -INF], "tensor([nan, 1., -inf])"),
    ([NAN, 0.25, -INF], "tensor([   nan, 0.2500,   -inf])"),
    ([NAN, 1e-9, -INF, 0.0], "tensor([       nan, 1.0000e-09,       -inf, 0.0000e+00])"),
    ([True, False], "tensor([ True, False])"),
    ([True], "tensor([True])"),
    ([1, 2], "tensor([1, 2])"),
    ([-1, 20, 300], "tensor([ -1,  20, 300])"),
    ([2**62], "tensor([4611686018427387904])"),
    (0.8102, "tensor(0.8102)"),
    (3.0, "tensor(3.)"),
    (-1e-9, "tensor(-1.0000e-09)"),
    (NAN, "tensor(nan)"),
    (7, "tensor(7)"),
    (False, "tensor(False)"),
]


@pytest.mark.parametrize(("value", "expected"), NOTATIONS)
def test_notation_and_width_follow_from_the_numbers(value: Any, expected: str) -> None:
    assert text(value) == expected


def test_fixed_notation_ends_just_above_1e8_and_just_below_1e_minus_4() -> None:
    assert text(np.array([1e-4])) == "tensor([0.0001])"
    assert text(np.array([np.nextafter(1e-4, 0)])) == "tensor([1.0000e-04])"
    assert text(np.array([1e8])) == "tensor([100000000.])"
    assert text(np.array([np.nextafter(1e8, INF)])) == "tensor([1.0000e+08])"


def test_a_python_float_counts_as_the_default_dtype() -> None:
    single = np.dtype(np.float32)
    assert format_tensor(0.5, default_dtype=single) == "tensor(0.5000)"
    assert format_tensor(np.float64(0.5), default_dtype=single) == "tensor(0.5000, dtype=float64)"


# ---------------------------------------------------------------- size, dtype and suffixes

DESCRIPTIONS = [
    (np.zeros(2, np.float32), "tensor([0., 0.], dtype=float32)"),
    (np.zeros(2, np.int32), "tensor([0, 0], dtype=int32)"),
    (np.zeros((), np.int32), "tensor(0, dtype=int32)"),
    (np.zeros(0), "tensor([])"),
    (np.zeros((0, 3)), "tensor([], size=(0, 3))"),
    (np.zeros((2, 0, 1)), "tensor([], size=(2, 0, 1))"),
    (np.zeros(0, np.int64), "tensor([], dtype=int64)"),
    (np.zeros((1, 0), bool), "tensor([], size=(1, 0), dtype=bool)"),
]


@pytest.mark.parametrize(("value", "expected"), DESCRIPTIONS)
def test_size_and_dtype_are_shown_where_the_numbers_do_not_tell(value: Any, expected: str) -> None:
    assert text(value) == expected


def test_suffixes_follow_in_order_after_the_dtype() -> None:
    grad_fn = "grad_fn=<BinaryCrossEntropyWithLogitsBackward0>"
    assert text(0.8102, grad_fn) == f"tensor(0.8102, {grad_fn})"
    assert text([1.0, 2.0], "requires_grad=True") == "tensor([1., 2.], requires_grad=True)"
    both = text([1.0], "requires_grad=True", dtype=np.float32)
    assert both == "tensor([1.], dtype=float32, requires_grad=True)"


@pytest.mark.parametrize("length", [30, 66, 67, 68, 100])
def test_a_suffix_that_would_pass_column_80_goes_to_a_new_line(length: int) -> None:
    suffix = "x" * length  # tensor(1.) takes 9 columns, its separator 2 and torch spares 2
    separator = ", " if 9 + 2 + 2 + length <= 80 else ",\n       "
    assert text(1.0, suffix) == f"tensor(1.{separator}{suffix})"


@pytest.mark.parametrize(("length", "separator"), [(11, ", "), (12, ",\n       ")])
def test_a_second_suffix_counts_columns_from_the_first(length: int, separator: str) -> None:
    first, second = "x" * 60, "y" * length  # on its own line, after 7 columns and before its separator
    assert text(np.full(5, 0.5), first, second).endswith(f"0.5000],\n       {first}{separator}{second})")


def test_a_suffix_counts_columns_from_the_last_line_of_numbers() -> None:
    expected = """
        tensor([[0., 0.],
                [0., 0.]], grad_fn=<SigmoidBackward0>)
        """
    assert text(np.zeros((2, 2)), "grad_fn=<SigmoidBackward0>") == lines(expected)


# ---------------------------------------------------------------- layout


def test_a_vector_wraps_at_80_columns() -> None:
    expected = """
        tensor([0.5000, 1.5000, 2.5000, 3.5000, 4.5000, 5.5000, 6.5000, 7.5000, 8.5000,
                9.5000])
        """
    assert text(np.arange(10) + 0.5) == lines(expected)


def test_a_vector_of_zeros_wraps_as_if_each_took_one_column() -> None:
    first, second = text(np.zeros(25)).split("\n")
    assert (first, second) == ("tensor([" + "0., " * 23 + "0.,", "        0.])")


def test_a_matrix_has_one_row_to_a_line_and_aligned_columns() -> None:
    expected = """
        tensor([[ 0.2980,  0.4528],
                [-0.2980, 10.4528]])
        """
    assert text([[0.298, 0.4528], [-0.298, 10.4528]]) == lines(expected)


def test_matrices_of_a_stack_are_parted_by_blank_lines() -> None:
    expected = """
        tensor([[[0, 1],
                 [2, 3]],

                [[4, 5],
                 [6, 7]]])
        """
    assert text(np.arange(8).reshape(2, 2, 2)) == lines(expected)


def test_stacks_are_parted_by_two_blank_lines() -> None:
    expected = """
        tensor([[[[0]]],


                [[[1]]]])
        """
    assert text(np.arange(2).reshape(2, 1, 1, 1)) == lines(expected)


def test_above_1000_elements_only_the_edges_are_shown() -> None:
    assert text(np.arange(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    assert "..." not in text(np.arange(1000))


def test_a_summary_takes_its_width_from_the_edges_alone() -> None:
    wide = np.ones(1001)
    wide[500] = 1e-9
    assert text(wide) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])"


def test_a_matrix_is_cut_along_each_long_axis() -> None:
    expected = """
        tensor([[   0,    1,    2,  ...,   47,   48,   49],
                [  50,   51,   52,  ...,   97,   98,   99],
                [ 100,  101,  102,  ...,  147,  148,  149],
                ...,
                [2350, 2351, 2352,  ..., 2397, 2398, 2399],
                [2400, 2401, 2402,  ..., 2447, 2448, 2449],
                [2450, 2451, 2452,  ..., 2497, 2498, 2499]])
        """
    assert text(np.arange(2500).reshape(50, 50)) == lines(expected)
    assert text(np.zeros((2, 600))).count("...") == 2


def test_an_axis_of_twice_the_edge_is_shown_whole() -> None:
    short, long = np.zeros((6, 200)), np.zeros((7, 200))
    assert text(short).count("...") == 6
    assert text(long).count("...") == 7  # six rows and the mark between them


# ---------------------------------------------------------------- options


def test_precision_sets_the_digits_after_the_point() -> None:
    set_printoptions(precision=2)
    assert text([1.12345, 2.0]) == "tensor([1.12, 2.00])"
    assert text([1e-9]) == "tensor([1.00e-09])"


def test_threshold_and_edgeitems_set_the_summary() -> None:
    set_printoptions(threshold=4, edgeitems=1)
    assert text([0, 1, 2, 3, 4]) == "tensor([0,  ..., 4])"
    set_printoptions(edgeitems=0)
    assert text([0, 1, 2, 3, 4]) == "tensor([...], size=(5,))"
    assert text([0, 1]) == "tensor([0, 1], size=(2,))"


def test_linewidth_sets_where_lines_break() -> None:
    set_printoptions(linewidth=14)
    assert text([1, 2, 3], "requires_grad=True") == "tensor([1, 2,\n        3],\n       requires_grad=True)"
    set_printoptions(linewidth=1)
    assert text([1, 2]) == "tensor([1,\n        2])"


def test_sci_mode_holds_until_the_next_call() -> None:
    set_printoptions(sci_mode=True)
    assert text([1.0, NAN]) == "tensor([1.0000e+00,        nan])"
    assert text([0.0]) == "tensor([0.])"
    set_printoptions(sci_mode=False)
    assert text([1e-9, 1e3]) == "tensor([   0.0000, 1000.0000])"
    set_printoptions(precision=4)
    assert text([1e-9]) == "tensor([1.0000e-09])"


def test_a_profile_comes_before_the_settings_given_with_it() -> None:
    set_printoptions(profile="short", edgeitems=1)
    assert text(np.full(1001, 0.125)) == "tensor([0.12,  ..., 0.12])"
    set_printoptions(profile="full")
    assert "..." not in text(np.zeros(1001))
    set_printoptions(profile="default")
    assert text([0.125]) == "tensor([0.1250])"


def test_an_unknown_profile_is_refused_and_changes_nothing() -> None:
    with pytest.raises(ArgumentError, match=r"'long'\. Expected one of default, short, full"):
        set_printoptions(profile="long", precision=1)
    assert text([0.125]) == "tensor([0.1250])"


# ---------------------------------------------------------------- against torch

SHAPES: list[tuple[int, ...]] = [
    *[(), (0,), (1,), (2,), (7,), (13,), (40,), (1000,), (1001,), (3000,)],
    *[(0, 3), (3, 0), (1, 1), (2, 3), (5, 30), (7, 7), (2, 600), (600, 2), (40, 40), (1, 1500)],
    *[(2, 0, 2), (1, 1, 1), (2, 3, 4), (3, 1, 25), (8, 8, 20), (2, 700, 1)],
    *[(2, 2, 2, 2), (1, 3, 1, 2), (7, 7, 7, 7), (2, 1, 0, 1)],
]
DTYPES = [np.float64, np.float32, np.int64, np.int32, np.bool_]
SPECIAL = [NAN, INF, -INF, 0.0, -0.0, 5e-324, 1e-45, 1e-4, 1e8, -1e8, 1e3, 1.0, 0.5, -2.0, 1e30]
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def sprinkled(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Plain numbers with special ones among them."""
    return np.where(rng.random(shape) < 0.3, rng.choice(SPECIAL, shape), rng.normal(size=shape))


DRAWS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "whole": lambda rng, shape: rng.integers(-150, 150, shape).astype(float),
    "hundreds": lambda rng, shape: np.round(rng.uniform(1, 1000, shape), rng.integers(0, 3)),
    "wide": lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.integers(-12, 12, shape),
    "scaled": lambda rng, shape: rng.uniform(1, 5, shape) * 10.0 ** rng.integers(-7, 11),
    "tiny": lambda rng, shape: rng.integers(-9, 9, shape) * 5e-324,
    "special": lambda rng, shape: rng.choice(SPECIAL, shape),
    "sprinkled": sprinkled,
    "no finite": lambda rng, shape: rng.choice([NAN, INF, -INF, 0.0, -0.0], shape),
}


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Torch with symgrad's default dtype and names of dtypes, all restored afterwards."""
    module: Any = pytest.importorskip("torch", reason="the differential part of printing needs torch")
    before = module.get_default_dtype()
    module.set_default_dtype(module.float64)
    joined = module._tensor_str._add_suffixes

    # our dtypes have shorter names, so torch must place its line breaks after the prefix is gone
    def without_prefix(numbers: str, suffixes: list[str], *rest: Any, **named: Any) -> Any:
        return joined(numbers, [s.replace("torch.", "") for s in suffixes], *rest, **named)

    monkeypatch.setattr(module._tensor_str, "_add_suffixes", without_prefix)
    yield module
    module.set_default_dtype(before)
    module.set_printoptions(profile="default")


def drawn(rng: np.random.Generator, draw: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array of the dtype: floats as drawn, integers within range."""
    with np.errstate(over="ignore", under="ignore"):
        array = np.asarray(DRAWS[draw](rng, shape))
        if np.issubdtype(dtype, np.integer):
            array = np.clip(np.nan_to_num(array), -2e9, 2e9)
        return np.asarray(array.astype(dtype))


def assert_prints_as_torch(torch: Any, array: np.ndarray) -> None:
    """The texts agree, plain, as a leaf and as a result."""

    def agrees(tensor: Any, *suffixes: str) -> None:
        shown = format_tensor(array, suffixes=suffixes, default_dtype=DEFAULT)
        assert shown == repr(tensor)

    plain = torch.from_numpy(array)
    agrees(plain)
    if array.dtype.kind == "f":
        leaf = plain.clone().requires_grad_()
        agrees(leaf, "requires_grad=True")
        agrees(leaf.clone(), "grad_fn=<CloneBackward0>")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("draw", DRAWS)
def test_every_shape_prints_as_torch_prints_it(torch: Any, draw: str, dtype: Any) -> None:
    rng = np.random.default_rng([len(draw), DTYPES.index(dtype)])
    for shape in SHAPES:
        assert_prints_as_torch(torch, drawn(rng, draw, shape, dtype))


@pytest.mark.parametrize("seed", range(40))
def test_every_option_prints_as_torch_prints_it(torch: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices: dict[str, list[Any]] = {
        "precision": [None, 0, 1, 2, 8],
        "threshold": [None, 0, 5, 100, INF],
        "edgeitems": [None, 0, 1, 2, 5],
        "linewidth": [None, 1, 20, 79, 120],
        "profile": [None, "default", "short", "full"],
        "sci_mode": [None, True, False],
    }
    options = {name: values[rng.integers(len(values))] for name, values in choices.items()}
    torch.set_printoptions(**options)
    set_printoptions(**options)
    for shape in [(), (0,), (9,), (3, 4), (7, 7), (2, 0), (3, 2, 9)]:
        for draw in DRAWS:
            assert_prints_as_torch(torch, drawn(rng, draw, shape, DTYPES[rng.integers(len(DTYPES))]))


@pytest.mark.parametrize("edge", [1e-4, 1e-3, 1.0, 1e5, 1e8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_notation_changes_at_the_same_number_as_in_torch(torch: Any, edge: float, dtype: Any) -> None:
    middle = dtype(edge)
    near = [np.nextafter(middle, dtype(0)), middle, np.nextafter(middle, dtype(INF))]
    for number in near:
        assert_prints_as_torch(torch, np.array(number))
        for other in [edge * 1e3, edge / 1e3]:
            assert_prints_as_torch(torch, np.array([number, other], dtype=dtype))


def test_a_tensor_without_a_value_prints_as_its_formula():
    X, w, y = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("y", "n")
    loss = ((X @ w - y) ** 2).sum()
    assert str(loss) == "‖X*w - y‖²"
    assert f"{X} {w}" == "X w"
    assert repr(loss) == "symbol(shape=[])"
    assert str(sg.tensor([1.0])) == "tensor([1.])"
