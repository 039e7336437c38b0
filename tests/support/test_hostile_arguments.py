"""Wrong types and values at every public entry: what comes out is an answer, or an error of symgrad's own.

A MemoryError stays, and so does Python's own TypeError for a wrong number of arguments of ``sg.exp`` and its like,
whose calls are too short to be watched. Calls are drawn from a seed.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import traceback
import warnings
import zlib
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symgrad as sg
import symgrad.stats
from symgrad.errors import ArgumentError, ArgumentTypeError, FormError, NumberRangeError, ShapeError, SymgradError
from symgrad.support.arguments import LONGEST, blame, checked, misfit

# What sets the state of the process, writes to the disk, opens a page, prints, or wraps a user's function.
LEFT_OUT = {
    "set_default_dtype", "set_printoptions", "set_grad_enabled", "manual_seed", "seed", "set_rng_state", "save", "load",
    "detect_anomaly", "set_detect_anomaly", "load_c", "report", "once_differentiable", "plot", "exercises",
    "set_num_threads", "coverage", "checkpoint",
}  # fmt: skip
MODULES = {
    "sg": sg, "F": sg.nn.functional, "linalg": sg.linalg, "special": sg.special, "fft": sg.fft, "signal": sg.signal,
    "autograd": sg.autograd, "autograd.functional": sg.autograd.functional, "func": sg.func, "optim": sg.optim,
    "lr_scheduler": sg.optim.lr_scheduler, "testing": sg.testing, "init": sg.nn.init, "nn.utils": sg.nn.utils,
    "nn": sg.nn, "solvers": sg.solvers, "utils.checkpoint": sg.utils.checkpoint, "distributed": sg.distributed,
}  # fmt: skip
METHODS = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "median", "rvs", "mean",
           "var", "entropy", "score", "hessian", "fisher_information")  # fmt: skip
OPERATORS = ("__getitem__", "__add__", "__mul__", "__matmul__", "__pow__", "__truediv__", "__and__", "__lt__",
             "__eq__", "__setitem__", "__radd__", "__rpow__", "__iadd__", "__contains__")  # fmt: skip
PYTHONS_WORDS = re.compile("unsupported operand type")  # of operators
PYTHONS = (MemoryError, ImportError, AssertionError, NotImplementedError, Warning)  # each has a meaning of its own


class Odd:
    """An object of the user's, which is nothing in particular."""

    def __repr__(self):
        return "Odd()"


def hostile():
    """Values that hardly any argument may have; made anew, since calls may write to them."""
    holds_itself = [1.0]
    holds_itself.append(holds_itself)
    return [
        None, "hello", "", {"a": 1.0}, [[1.0], [2.0, 3.0]], Odd(), len, lambda *args, **named: None, 2 + 1j, np.nan,
        np.inf, 10**25, -7, 7, 0, 0.5, True, np.zeros(0), np.zeros((0, 3)),
        np.array([Odd(), None], dtype=object), np.array([5, -9]), sg.tensor([1.0, 2.0]),
        sg.tensor(np.arange(12.0).reshape(3, 4) / 5), sg.tensor(2.0), np.array([True, False, True]),
        np.array(["a", "b"]), np.array(["2020-01-01"], "datetime64[D]"), (1, 2), ((0,), (1,)), (), [], {1, 2},
        np.array([1j, 2.0]), float, np.float32, slice(None), ..., b"abc", iter([1]), sg.symbol("q", (2,)),
        sg.symbol("n"), sg.nn, sg.tensor([1, 2], dtype=sg.int8), ValueError("x"), [None, None], ["a"], (-1, -2),
        np.float64(0.3), range(3), np.array([np.nan, 1.0]), 10**400, 2**63, -0.0, holds_itself, Decimal("1.5"),
        Fraction(1, 3), date(2020, 1, 1), np.timedelta64(1, "D"), bytearray(b"x"), "\0", np.uint8(200), np.str_("a"),
        sg.Tensor, sg.symbol("k", ("n", "m")), sg.tensor([1j]), np.array([1, None, "a"], object), slice("a"), [[]],
        float("-inf"), 5e-324, sg.ones(0), {1: 2}, (((),),),
    ]  # fmt: skip


def usual():
    """Values that many functions take."""
    square = np.array([[2.0, 0.5, 0.3], [0.5, 3.0, 0.2], [0.3, 0.2, 1.5]])
    return [
        sg.tensor(square, requires_grad=True), sg.tensor([0.5, 1.0, 2.0]), 1, 0.5, (3, 3), "x**2",
        lambda *xs: sum([x for x in xs if isinstance(x, sg.Tensor)], 0.0),
        [sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0])],
    ]  # fmt: skip


def method(name):
    """A method of a matrix that requires grad."""
    own = getattr(sg.Tensor, name)

    def call(*args, **named):
        leaf = sg.tensor(np.arange(12.0).reshape(3, 4) / 7 + 0.1, requires_grad=True)
        return own(leaf if name in ("backward", "requires_grad_", "retain_grad") else leaf * 1.0, *args, **named)

    with contextlib.suppress(TypeError, ValueError):
        signature = inspect.signature(own)
        call.__signature__ = signature.replace(parameters=[*signature.parameters.values()][1:])
    return call


def entries():
    """Every public function and class, each method of a tensor and of a distribution, by name."""
    seen, found = set(), {}
    for prefix, module in MODULES.items():
        for name in module.__all__:
            f = getattr(module, name)
            own = str(getattr(f, "__module__", "")).startswith("symgrad")
            error = isinstance(f, type) and issubclass(f, Exception)
            if callable(f) and own and not error and name not in LEFT_OUT and id(f) not in seen:
                seen.add(id(f))
                found[f"{prefix}.{name}"] = f
    names = [n for n in dir(sg.Tensor) if (not n.startswith("_") and n not in LEFT_OUT) or n in OPERATORS]
    found |= {f"Tensor.{n}": method(n) for n in names if callable(getattr(sg.Tensor, n))}
    for name in sg.stats.__all__:
        for m in METHODS:
            f = getattr(getattr(sg.stats, name), m, None)
            if not isinstance(getattr(sg.stats, name), type) and callable(f):
                found[f"stats.{name}.{m}"] = f
    return found


ENTRIES = entries()


def parameters(f):
    """The parameters by position, whether there may be more of them, and those that may be given by name."""
    try:
        ps = [*inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):
        return [], True, []
    places = [p for p in ps if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = [p.name for p in ps if p.kind is p.KEYWORD_ONLY]
    return places, any(p.kind is p.VAR_POSITIONAL for p in ps), names


def drawn(rng, f):
    """Arguments for f, at least one of them hostile."""
    places, more, names = parameters(f)
    least = sum(p.default is p.empty for p in places)
    count = int(rng.integers(least, max(least, min(len(places), 4)) + 1)) if not more else int(rng.integers(0, 4))
    odd, good = hostile(), usual()
    bad = rng.random(count) < 0.4
    if count:
        bad[rng.integers(count)] = True
    args = [odd[rng.integers(len(odd))] if b else good[rng.integers(len(good)) if k else 0] for k, b in enumerate(bad)]
    named = {}
    if names and rng.random() < 0.3:
        named[names[rng.integers(len(names))]] = odd[rng.integers(len(odd))]
    return args, named, odd[rng.integers(len(odd))]


def raw(f, args, named, point):
    """The error of Python's own that a call ends in, and where; None where it ends in an answer, or as it should."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            y = f(*args, **named)
            if inspect.isfunction(y) or isinstance(y, sg.nn.Module):
                y(point)
    except (SymgradError, *PYTHONS):
        return None
    except Exception as error:
        if isinstance(error, TypeError) and PYTHONS_WORDS.search(str(error)):
            return None
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
    return None


def problems(calls, seed, names=None):
    """The calls of each entry that end in an error of Python's own."""
    found = []
    for name in names or ENTRIES:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        for _ in range(calls):
            args, named, point = drawn(rng, ENTRIES[name])
            error = raw(ENTRIES[name], args, named, point)
            if error:
                found.append(f"{name}(*{args!r}, **{named!r}) → {error}"[:400])
    return found


SHARDS = 10


@pytest.fixture(autouse=True)
def quiet():
    """Warnings of odd numbers, and what calls do to modes and generators, stay inside a test."""
    state = sg.get_rng_state()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
    sg.set_rng_state(state)


def test_a_few_hundred_hostile_calls_end_in_answers_or_in_errors_that_say_why():
    assert problems(1, 1, list(ENTRIES)[::4]) == []


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_thousands_of_hostile_calls_end_in_answers_or_in_errors_that_say_why(shard):
    assert 4 * len(ENTRIES) > 5000
    assert problems(4, 2, list(ENTRIES)[shard::SHARDS]) == []


# ------------------------------------------------------------------ what is said
X = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
P = sg.tensor([1.0, 2.0], requires_grad=True)
SAID = {
    "Adam: got betas={}. Expected a tuple (a number, a number).": lambda: sg.optim.Adam([P], betas={}),
    "LBFGS: got max_iter='a'. Expected an integer.": lambda: sg.optim.LBFGS([P], max_iter="a"),
    "SGD: got lr=1j. Expected a number, or a tensor of one.": lambda: sg.optim.SGD([P], lr=1j),
    "MultiStepLR: got milestones=[1, 'a']. Expected a list or a tuple (entries: an integer).": lambda: (
        sg.optim.lr_scheduler.MultiStepLR(sg.optim.SGD([P]), [1, "a"])
    ),
    "step: got closure=3. Expected a function or None.": lambda: sg.optim.SGD([P]).step(3),
    "takes 2 positional arguments but 4 were given. Expected forward(input).": lambda: sg.nn.Linear(2, 2)(X, X, X),
    "missing 1 required positional argument: 'cov'. Expected expectation(f, mean, cov, *args, order=32).": lambda: (
        sg.expectation(len, 0.0)
    ),
    "minimize: got method=3. Expected a string or a function or None.": lambda: sg.optim.minimize(len, X, method=3),
    "minimize: got options=3. Expected a dictionary (keys: a string) or None.": lambda: sg.optim.minimize(
        lambda x: x.sum(), X, options=3
    ),
    "minimize: got 1 in bounds. Expected a pair (lower, upper)": lambda: sg.optim.minimize(
        lambda x: x.sum(), [1.0], bounds=[1]
    ),
    "minimize: SciPy rejects the arguments: An upper bound is less": lambda: sg.optim.minimize(
        lambda x: x.sum(), [1.0], bounds=[(2, 1)]
    ),
    "minimize: got the constraint 1. Expected a dict with 'type'": lambda: sg.optim.minimize(
        lambda x: x.sum(), [1.0], constraints=1
    ),
    "x0: got 'a' in (1, 'a'). Expected numbers": lambda: sg.optim.minimize(lambda x: x.sum(), (1, "a")),
    "odeint: got 'a' in (1, 'a'). Expected numbers": lambda: sg.odeint(lambda y, t: y, (1, "a"), [0.0, 1.0]),
    "odeint: f returned complex numbers, and y0 is real.": lambda: sg.odeint(lambda y, t: 1j * y, 1.0, [0.0, 1.0]),
    "sizes and dims must be integers. Got 1.5.": lambda: sg.topk(X, 1.5),
    "the formula 'self**2' takes self; got 2 arguments": lambda: sg.parse("self**2", shapes={"self": ()})(2.0, self=2),
    "root: got tol=inf. Expected a positive number.": lambda: sg.root(lambda x: x, 1.0, tol=np.inf),
    "taylor: got the order an integer of 1329 bits.": lambda: sg.taylor(sg.exp, 0.0, 10**400),
    "unexpected keyword argument 'seed'. Expected Generator(device=None).": lambda: sg.Generator(seed=1),
    "chunk: got chunks=None. Expected an integer.": lambda: X.chunk(None),
    "rfftfreq: got n='n'. Expected an integer.": lambda: sg.fft.rfftfreq("n"),
    "LambdaLR: got optimizer=3. Expected an optimiser.": lambda: sg.optim.lr_scheduler.LambdaLR(3, len),
    "constant_: got tensor=array of shape (2,). Expected a tensor.": lambda: sg.nn.init.ones_(np.ones(2)),
    "std: got keepdim=array of shape (2,). Expected True or False.": lambda: sg.std(X, 0, keepdim=np.ones(2, bool)),
}


@pytest.mark.parametrize("words", SAID)
def test_an_error_says_which_argument_it_is_and_what_is_expected(words):
    with pytest.raises((ArgumentError, ArgumentTypeError)) as error:
        SAID[words]()
    assert words in str(error.value)


def test_an_integer_that_no_float_holds_is_named():
    for call in (
        lambda: sg.optim.SGD([P], lr=10**400),
        lambda: sg.optim.LBFGS([P], max_iter=10**400),
        lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 1.0], rtol=10**400),
        lambda: sg.optim.minimize(lambda x: x**2, 1.0, tol=10**400),
        lambda: sg.quad(lambda x: x, 0.0, 1.0, order=10**400),
    ):
        with pytest.raises(
            NumberRangeError, match=r"=an integer of 1329 bits\. Expected numbers below (2\*\*63|1.8e308)"
        ):
            call()


SETTINGS = ["a", 1j, [1], np.ones(2), {}, 10**400, None, (1, "a"), (0.9,), np.nan, [print], lambda t: "a", object()]
SCHEDULES = {"StepLR": {"step_size": 1}, "MultiStepLR": {"milestones": [1]},
             "ExponentialLR": {"gamma": 0.5}, "CosineAnnealingLR": {"T_max": 3},
             "LambdaLR": {"lr_lambda": lambda t: 0.9}, "ReduceLROnPlateau": {}}  # fmt: skip


@pytest.mark.parametrize("kind", [sg.optim.SGD, sg.optim.Adam, sg.optim.AdamW, sg.optim.Adagrad, sg.optim.RMSprop,
                                  sg.optim.LBFGS])  # fmt: skip
def test_settings_of_an_optimiser_are_checked_where_it_is_made_and_where_they_are_loaded(kind):
    def closure():
        p.grad = None
        (p**2).sum().backward()
        return (p**2).sum()

    for name in [*inspect.signature(kind).parameters][1:]:
        for value in SETTINGS:
            for grouped in (False, True):
                p = sg.tensor([1.0, 2.0], requires_grad=True)
                with contextlib.suppress(SymgradError):
                    (kind([{"params": [p], name: value}]) if grouped else kind([p], **{name: value})).step(closure)
            optimizer, p = kind([p]), sg.tensor([1.0, 2.0], requires_grad=True)
            state = optimizer.state_dict()
            state["param_groups"][0][name] = value
            with contextlib.suppress(SymgradError):
                optimizer.load_state_dict(state)
                optimizer.step(closure)
    for params in (3, [{}], [{"params": 3}], [3], "x", [{"params": [3]}]):
        with pytest.raises(SymgradError):
            kind(params)


@pytest.mark.parametrize("name", SCHEDULES)
def test_settings_of_a_schedule_are_checked(name):
    kind = getattr(sg.optim.lr_scheduler, name)
    for setting in [*inspect.signature(kind).parameters][1:]:
        for value in SETTINGS:
            optimizer = sg.optim.SGD([P], lr=0.1)
            with contextlib.suppress(SymgradError):
                schedule = kind(optimizer, **{**SCHEDULES[name], setting: value})
                for _ in range(3):
                    schedule.step(*([1.0] if name == "ReduceLROnPlateau" else []))


def test_calls_with_a_wrong_number_of_arguments_say_what_the_signature_is():
    optimizer = sg.optim.SGD([P])
    owners = [
        X, P, sg.nn.Linear(2, 2), sg.nn.Sequential(), sg.nn.ReLU(), sg.nn.BatchNorm1d(2), optimizer, sg.Generator(),
        sg.optim.lr_scheduler.StepLR(optimizer, 1), sg.derive("x**2", "x"), sg.explain("x**2", "x"), sg.stats.norm,
        sg.CubicSpline([0.0, 1.0, 2.0], [1.0, 2.0, 0.0]), sg.utils.data.DataLoader([1.0]), sg.no_grad,
        sg.nn.LazyLinear(2),
    ]  # fmt: skip
    for owner in owners:
        own = [n for n in dir(owner) if not n.startswith("_") and inspect.isfunction(getattr(type(owner), n, None))]
        for name in [n for n in own if getattr(type(owner), n).__module__.startswith("symgrad")]:
            if {p.kind for p in inspect.signature(getattr(owner, name)).parameters.values()} & {4}:  # **kwargs
                continue
            with pytest.raises(SymgradError, match=r"argument|keyword|in-place"):
                getattr(owner, name)(unknown_to_all=1)


def test_errors_of_a_users_function_stay_as_they_are():
    def mine(x):
        return "text" + 1

    with pytest.raises(TypeError, match="can only concatenate str") as error:
        sg.grad(mine)(1.0)
    assert not isinstance(error.value, SymgradError)
    with pytest.raises(TypeError, match="can only concatenate str"):
        sg.fori_loop(0, 2, lambda i, x: mine(x), 1.0)


def test_an_error_where_every_argument_is_as_its_annotation_says_stays_as_it_is():
    def broken(n: int, x: Any = None) -> None: ...

    assert blame(broken, IndexError("ours"), (3,), {}) is None
    assert blame(broken, IndexError("ours"), (), {"n": np.int64(3), "x": [1.0, 2.0]}) is None
    with pytest.raises(ArgumentTypeError, match=r"broken: got n='3'\. Expected an integer\."):
        blame(broken, IndexError("ours"), ("3",), {})
    with pytest.raises(ArgumentTypeError, match=r"broken: got x=\[\[1\], \[2, 3\]\]\. Expected numbers"):
        blame(broken, IndexError("ours"), (3,), {"x": [[1], [2, 3]]})


_T, _N = sg.tensor([1.0, 2.0]), sp.Symbol("n")
_SIZES = [3, (2, 3), [1], range(2), np.array([2, 3]), (), _N, (_N, 2)]
_NO_SIZES = [(2, "a"), 2.5, np.ones((2, 2), int), "3", (True,), np.array([0.5])]
ASKED = {  # annotation or name: in words, what fits, and what does not
    "int": ("an integer", [3, np.int64(-2), _N, np.array(3)], [True, 2.5, "3", None, np.array([3, 4])]),
    "float": ("a number", [2, 0.5, np.float32(1), sg.tensor(2.0), np.array(2.0), _N], ["2", 2j, np.ones(1), _T, None]),
    "bool": ("True or False", [True, np.True_, 1], ["yes", None, 1.5]),
    "str | None": ("a string or None", ["a", None], [3, b"a"]),
    "Sequence": ("a list or a tuple", [[1], (2,), np.ones(2)], ["abc", b"ab", iter([1]), 3]),
    "Sequence[int]": ("a list or a tuple (entries: an integer)", [[1], (2,)], [[1, 0.5], ["a"], "abc", 3]),
    "Iterable[a.B]": ("a list or a tuple", [iter([1]), [2]], ["abc", 3]),
    "Mapping[str, Any]": ("a dictionary (keys: a string)", [{"a": 1}], [[1], 3, {2: 1}]),
    "dict": ("a dictionary", [{}], [[1], "a"]),
    "'Callable[..., Any]'": ("a function", [len], [3]),
    "trees.Sizes": ("an integer, or a tuple of them", _SIZES, [None, *_NO_SIZES]),
    "Axes": ("an integer, a tuple of them, or None", [None, *_SIZES], _NO_SIZES),
    "Any": (
        "numbers, as a tensor, an array or a list has them",
        [2, 2j, [[1, 2], [3, 4]], [], np.ones(2, complex), _T, True, _N],
        ["a", [1, "a"], [[1], [2, 3]], np.array(["a"]), np.array([None]), None, [[1, 2], [[1], [2, 3]]]],
    ),
    "parameters": ("a tensor, or a list of them", [_T, [_T], (_T, _T)], [3, [_T, 3], (3, _T)]),
    "dtype": ("a dtype, such as sg.float32", [sg.float32, "float64", float], ["hello", 3]),
    "type": ("a class", [int], [3]),
    "Tensor": ("a tensor", [_T], [np.ones(2), 3.0]),
    "int | Odd": ("", [3, "anything"], []),
}  # fmt: skip


@pytest.mark.parametrize("annotation", ASKED)
def test_an_annotation_tells_what_fits_and_in_words_what_is_asked_for(annotation):
    words, good, bad = ASKED[annotation]
    assert [misfit(annotation, value) for value in good] == [None] * len(good)
    assert [misfit(annotation, value) for value in bad] == [words] * len(bad)


def _takes(x: Any, n: int = "three", *sizes: int, axis: int = 0, f: Any = None, **more: float) -> None: ...


class _Made:
    def __init__(self, n: int) -> None: ...


@pytest.mark.parametrize(
    ("fn", "args", "named", "words"),
    [
        (_takes, ("0",), {}, "_takes: got x='0'. Expected numbers, as a tensor, an array or a list has them."),
        (_takes, (0, "a"), {}, "_takes: got n='a'. Expected an integer."),
        (_takes, ("0", 2.5), {}, "_takes: got n=2.5. Expected an integer."),
        (_takes, (0, 1, 2, 3.5), {}, "_takes: got sizes=3.5. Expected an integer."),
        (_takes, (0,), {"rate": "a"}, "_takes: got rate='a'. Expected a number."),
        (_takes, (0,), {"axis": "a"}, "_takes: got axis='a'. Expected an integer, a tuple of them, or None."),
        (_takes, (0, "a" * (LONGEST - 2)), {}, f"_takes: got n='{'a' * (LONGEST - 2)}'. Expected an integer."),
        (_takes, (0, "a" * (LONGEST - 1)), {}, "_takes: got n=a value of type str. Expected an integer."),
        (_takes, (0, np.array(0.5)), {}, "_takes: got n=array(0.5). Expected an integer."),
        (_takes, (0, np.ones(2)), {}, "_takes: got n=array of shape (2,). Expected an integer."),
        (_Made.__init__, (None, 0.5), {}, "_Made: got n=0.5. Expected an integer."),
    ],
)
def test_the_argument_that_does_not_fit_is_named(fn, args, named, words):
    with pytest.raises(ArgumentTypeError) as error:
        blame(fn, IndexError("ours"), args, named)
    assert str(error.value) == words


def test_no_argument_is_named_where_all_fit():
    for args, named in [((0,), {}), ((0, "three"), {}), ((0, 1, 2, 3), {"rate": 0.5})]:
        assert blame(_takes, IndexError("ours"), args, named) is None


def _deep(n: int, f: Any) -> None:
    f(n)


@pytest.mark.parametrize("kind", [TypeError, ValueError, AttributeError, KeyError, ZeroDivisionError])
@pytest.mark.parametrize("place", ["symgrad.ops", "json", "numpy.linalg", "mine", "__main__"])
def test_an_error_of_the_users_own_code_stays(kind, place):
    def run(n):
        raise kind("from " + place)

    ours = {"__name__": "symgrad.ops"}
    run = FunctionType(run.__code__, {"__name__": place}, "run", None, run.__closure__)
    checks = checked(FunctionType(_deep.__code__, ours, "deep"))
    checks.__wrapped__.__annotations__ = _deep.__annotations__
    error = kind if place in ("mine", "__main__") else ArgumentTypeError
    with pytest.raises(error):
        checks("a", run)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: sg.fft.fftfreq(-1), ArgumentError),
        (lambda: sg.fft.rfftfreq(0), ArgumentError),
        (lambda: X.min((0, 0)), ArgumentError),
        (lambda: X.broadcast_to(3), ShapeError),
        (lambda: sg.tensordot(X, X, 1.5), ArgumentTypeError),
        (lambda: sg.utils.data.default_collate([]), ArgumentError),
        (lambda: sg.utils.data.default_collate([{"a": 1}, {"b": 1}]), ArgumentError),
        (lambda: sg.utils.data.DataLoader(3), ArgumentTypeError),
        (lambda: sg.utils.data.DataLoader([1.0], collate_fn=3), ArgumentTypeError),
        (lambda: sg.nn.ReLU().get_parameter(1), ArgumentTypeError),
        (lambda: list(sg.nn.ReLU().named_modules(memo=1)), ArgumentTypeError),
        (lambda: X[[np.ones(2, int), np.ones(3, int)]], ShapeError),
        (lambda: sg.derive("x**2", "x").subs([1], 2), ArgumentError),
        (lambda: sg.derive("x**2", "x").series(np.ones(2)), ArgumentError),
        (lambda: sg.derive("sin(x)", "x").series("x", 0, 10**400), ArgumentError),
        (lambda: sg.mvlgamma(X + 9, 10**400), ArgumentError),
        (lambda: sg.CubicSpline([0.0, 1.0], [1.0, 2.0]).derivative(-(10**400)), ArgumentError),
        (lambda: X.new_zeros(10**400), NumberRangeError),
        (lambda: sg.explain("inf*x", "x"), FormError),
        (lambda: sg.stats.multinomial.logpmf([1, 1], 2, logits=[0.0, 0.0]), ArgumentTypeError),
        (lambda: sg.compile(lambda x: sg.exp(x.reshape((1,) * 40)))(np.ones(1)), SymgradError),
        (lambda: sg.export(lambda x: sg.exp(x.reshape((1,) * 40)), np.ones(1), target="c"), SymgradError),
        (lambda: sg.ones(1).reshape((1,) * 70), ArgumentError),
        (lambda: X[:"a"], ArgumentTypeError),
        (lambda: sg.fft.fft2(X, 0.5), ArgumentTypeError),
        (lambda: sg.polar([[]], (3.0, 3.0)), ShapeError),
        (lambda: sg.nn.ReLU().get_submodule("a"), SymgradError),
        (lambda: sg.optim.lr_scheduler.ReduceLROnPlateau(sg.optim.SGD([P])).step(((),)), ArgumentTypeError),
        (lambda: sg.special.lambertw(sg.tensor([1j])).imag.sqrt_("a"), ArgumentTypeError),
        (lambda: sg.stats.norm.rvs(sg.symbol("k", ("n",))), SymgradError),
        (lambda: sg.isclose(X, {"a": 1}), ArgumentTypeError),
        (lambda: sg.stats.wishart.logpdf(2.0, 3.0, 1.0), ShapeError),
        (lambda: sg.stats.dirichlet.rvs(2.0), ShapeError),
        (lambda: sg.stats.norm.rvs(size=-2), ShapeError),
        (lambda: sg.stats.categorical.rvs([0.3, 0.3]), ArgumentError),
        (lambda: sg.nn.functional.adaptive_avg_pool1d(sg.ones(1, 2, 4), 10**12), ArgumentError),
        (lambda: sg.nn.functional.max_pool1d(sg.ones(1, 2, 4), (1, 1)), ArgumentError),
        (lambda: sg.tensordot(X, X, (1,)), ArgumentError),
        (lambda: X.new_zeros(-1), ShapeError),
        (lambda: (1.0, 2.0, 3.0) in X, ShapeError),
        (lambda: sg.nn.TransformerEncoder(sg.nn.ReLU(), 10**25), ArgumentError),
        (lambda: sg.nn.RNNBase("lstm", 2, 3), ArgumentError),
        (lambda: sg.nn.Dropout("a"), ArgumentTypeError),
        (lambda: sg.nn.functional.relu(np.ones(2), inplace=True), ArgumentTypeError),
        (lambda: sg.nn.functional.mish(X, np.ones(2)), ArgumentTypeError),
        (lambda: sg.nn.utils.weight_norm(3), ArgumentTypeError),
        (lambda: sg.tree_unflatten(3, []), ArgumentTypeError),
        (lambda: sg.ShapeDtypeStruct(len), ArgumentTypeError),
        (lambda: sg.DoubleTensor(np.timedelta64(1, "D")), ArgumentTypeError),
    ],
)
def test_values_that_make_no_sense_are_errors(call, error):
    with pytest.raises(error):
        call()


def test_odd_arguments_that_make_sense_are_taken():
    assert sg.parse("self**2*x", shapes={"self": (), "x": ()})(x=3.0, self=2.0).item() == 12.0
    assert 10**400 not in X
    assert X.new_full(3, 1.0).tolist() == [1.0, 1.0, 1.0]
    assert sg.stats.norm(0.0, 1.0).name == sg.stats.norm.name
    assert sg.squeeze(sg.ones(1, 2), axis=np.uint8(0)).shape == (2,)
    np.testing.assert_allclose(sg.special.lambertw(sg.tensor([1j])).numpy(), [0.3746990207371175 + 0.576412723031435j])


def test_an_order_beyond_the_degree_of_a_spline_gives_zeros_and_a_negative_one_integrals():
    spline = sg.CubicSpline([0.0, 1.0, 3.0], [1.0, 2.0, 0.5])
    assert spline.derivative(10**400)(0.7).item() == 0.0
    assert spline.antiderivative(-1)(0.7).item() == spline.derivative()(0.7).item()
    twice = spline.antiderivative().antiderivative()
    assert spline.antiderivative(2)(0.7).item() == twice(0.7).item()
    assert sg.fft.fftfreq(0).shape == (0,)


def test_a_mean_at_a_number_where_it_is_infinite_takes_locations_that_are_whole():
    np.testing.assert_array_equal(sg.stats.invgamma.mean(2.0, sg.tensor([1, 2])).numpy(), [2.0, 3.0])
    np.testing.assert_array_equal(sg.stats.invgamma.mean(0.5, sg.tensor([1, 2])).numpy(), [np.inf, np.inf])
