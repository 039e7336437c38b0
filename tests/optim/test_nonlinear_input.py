"""What ``sg.optim.nlp`` and ``sg.control`` say of mistakes in a call: each is an error that names what is wrong."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError, ValueNeeded

pytest.importorskip("scipy")
NAN, INF = np.nan, np.inf
TWO = np.ones(2)


def blocks(x):
    return {"dynamics": x * 1.0, "total": x.sum()}


# what is wrong: the error, its words, and what is changed in a call that is right
PROGRAMS = {
    "f is a number": (ArgumentTypeError, "f is a function, got int", {"f": 3}),
    "f returns nothing": (ArgumentTypeError, "returned NoneType. Expected tensors", {"f": lambda x: None}),
    "f returns text": (ArgumentTypeError, "returned str. Expected tensors", {"f": lambda x: "1"}),
    "f returns a vector": (ArgumentError, r"shape \[2\]. Expected one number; sum it", {"f": lambda x: x}),
    "f is complex": (ArgumentTypeError, "got complex numbers", {"f": lambda x: (x * 1j).sum()}),
    "f has another argument": (ArgumentTypeError, r"f\(x, p\) is called with 1 argument", {"f": lambda x, p: p}),
    "f branches on x": (ValueNeeded, "sg.where instead of if", {"f": lambda x: x[0] if x[0] > 0 else x[1]}),
    "f makes a float of x": (ValueNeeded, "has no value", {"f": lambda x: float(x[0])}),
    "f makes an array of x": (ValueNeeded, "An array has no gradient", {"f": lambda x: np.asarray(x)[0]}),
    "f reads beyond the end": (IndexRangeError, "index 7 is out of bounds", {"f": lambda x: x[7]}),
    "f asks for another name": (
        ArgumentError, r"f or g asks for 'b'. The names in x0 are \['a'\]", {"f": lambda x: x["b"], "x0": {"a": 1.0}},
    ),
    "g asks for another name": (
        ArgumentError, r"f or g asks for 'b'. The names in x0 are \['a'\]",
        {"f": lambda x: x["a"], "x0": {"a": 1.0}, "constraints": lambda x: x["b"]},
    ),
    "x0 is text": (ArgumentError, "x0: got no numbers in str", {"x0": "abc"}),
    "x0 is None": (ArgumentError, "x0: got no numbers in NoneType", {"x0": None}),
    "x0 is empty": (ArgumentError, "x0: got no numbers in ndarray", {"x0": np.ones(0)}),
    "x0 is an empty dict": (ArgumentError, "x0: got no numbers in dict", {"x0": {}}),
    "x0 is complex": (ArgumentTypeError, "x0 holds complex numbers", {"x0": TWO * 1j}),
    "x0 is ragged": (ArgumentTypeError, "Expected numbers", {"x0": [[1.0], [1.0, 2.0]]}),
    "x0 holds objects": (ArgumentTypeError, "object_", {"x0": np.array([None, 1.0], object)}),
    "x0 is infinite": (ArgumentError, r"x\[0\] is inf at the start", {"x0": [INF, 1.0]}),
    "g returns nothing": (ArgumentTypeError, "returned NoneType", {"constraints": lambda x: None}),
    "g returns booleans": (ArgumentTypeError, "got booleans. Pass numbers", {"constraints": lambda x: x > 0}),
    "g is complex": (ArgumentTypeError, "got complex numbers", {"constraints": lambda x: x * 1j}),
    "g is a list of functions": (ArgumentTypeError, "constraints is a function, got list", {"constraints": [blocks]}),
    "g is SciPy's dict": (
        ArgumentTypeError, "constraints is a function, got dict", {"constraints": {"type": "eq", "fun": blocks}},
    ),
    "lb is nan": (ArgumentError, r"dynamics\[0\] are nan and 0", {"lb": NAN}),
    "lb is infinite": (ArgumentError, r"dynamics\[0\] are inf and inf", {"lb": INF, "ub": INF}),
    "lb has another name": (ArgumentError, "no block 'totl'.*Did you mean 'total'", {"lb": {"totl": 1.0}}),
    "lb has another shape": (ArgumentError, r"lb: got shape \[2\] for total", {"lb": [0.0, 0.0]}),
    "bounds are three": (ArgumentError, r"got bounds \(0, 1, 2\). Expected a pair", {"bounds": (0, 1, 2)}),
    "bounds are one number": (ArgumentError, "bounds: got 3.0. Expected a pair", {"bounds": 3.0}),
    "bounds are text": (ArgumentError, "bounds: got 'ab'. Expected a pair", {"bounds": "ab"}),
    "bounds cross": (ArgumentError, r"bounds of x\[0\] are 1 and 0", {"bounds": (1, 0)}),
    "bounds are nan": (ArgumentError, r"bounds of x\[0\] are nan and 1", {"bounds": (NAN, 1)}),
    "bounds are complex": (ArgumentTypeError, "bounds: got complex numbers", {"bounds": (0, 1j)}),
    "bounds have another name": (
        ArgumentError, r"got \['b'\], which x0 does not have",
        {"f": lambda x: x["a"], "x0": {"a": 1.0}, "constraints": None, "bounds": {"b": (0, 1)}},
    ),
    "bounds of an array have names": (ArgumentError, "Expected a pair", {"bounds": {"x": (0, 1)}}),
    "bounds are too many": (ArgumentError, "one pair for each of the 2", {"bounds": [(0, 1)] * 3}),
    "bounds have another shape": (ShapeError, r"got shape \[3\] for an unknown", {"bounds": (np.zeros(3), 1.0)}),
    "the solver is None": (ArgumentError, "solver=None is unknown", {"solver": None}),
    "the solver is in capitals": (ArgumentError, "solver='IPOPT' is unknown", {"solver": "IPOPT"}),
    "options are a list": (ArgumentTypeError, r"options=\[1\]. Expected a dictionary", {"options": [1]}),
    "tol is text": (ArgumentTypeError, "tol='a'. Expected a number", {"tol": "a"}),
    "max_steps is half": (ArgumentError, "max_steps=1.5. Expected an integer", {"max_steps": 1.5}),
    "max_time is negative": (ArgumentError, "max_time=-1. Expected seconds", {"max_time": -1}),
    "callback is a number": (ArgumentTypeError, "callback=3. Expected a function", {"callback": 3}),
    "backend is None": (ArgumentTypeError, "backend is a name, got NoneType", {"backend": None}),
    "a keyword is misspelled": (ArgumentTypeError, "unexpected keyword argument 'bound'", {"bound": (0, 1)}),
}  # fmt: skip


@pytest.mark.parametrize("mistake", PROGRAMS)
def test_a_mistake_in_a_program_is_named(mistake):
    error, words, options = PROGRAMS[mistake]
    with pytest.raises(error, match=words):
        sg.optim.nlp(**{"f": lambda x: x @ x, "x0": TWO, "constraints": blocks, **options})


def test_an_error_of_the_users_own_passes_through():
    def asks(x):
        return {"a": 1.0}["b"]

    with pytest.raises(KeyError, match="'b'"):
        sg.optim.nlp(asks, TWO)


def slopes(x, u, t, p):
    return {"x": x["v"], "v": u["u"]}


CONTROL = {
    "a state has no slope": ("dynamics: 'v' is missing", {"dynamics": lambda x, u, t, p: {"x": x["v"]}}),
    "a slope has no state": (
        "'w' is none of the states", {"dynamics": lambda x, u, t, p: {**slopes(x, u, t, p), "w": u["u"]}},
    ),
    "an unknown state": ("asks for 'w'. The states are", {"dynamics": lambda x, u, t, p: {"x": x["w"], "v": 0.0}}),
    "an unknown control": ("asks for 'w'. The controls", {"dynamics": lambda x, u, t, p: {"x": u["w"], "v": 0.0}}),
    "an unknown parameter": ("asks for 'm'. The parameters", {"dynamics": lambda x, u, t, p: {"x": p["m"], "v": 0.0}}),
    "a slope of another shape": ("'x' returned the shape", {"dynamics": lambda x, u, t, p: {"x": TWO, "v": 0.0}}),
    "dynamics of two arguments": (r"dynamics takes \(x, u\)", {"dynamics": lambda x, u: {}}),
    "no states": ("there are no states", {"states": {}}),
    "states in a list": ("Expected a dict", {"states": ["x", "v"]}),
    "a state's bounds cross": ("the lower end is above", {"states": {"x": (1, 0), "v": None}}),
    "a name twice": ("'x' is both a state and a control", {"controls": {"x": None}}),
    "an unknown start": ("start: 'y' is none of the states", {"start": {"y": 0.0}}),
    "a start that is nan": (r"states.x\[0\] is nan at the start", {"start": {"x": NAN, "v": 0.0}}),
    "time runs back": ("time goes from 1.0 to 0.0", {"time": (1.0, 0.0)}),
    "a cost of another shape": ("running returned the shape", {"running": lambda x, u, t, p: TWO * u["u"]}),
    "no intervals": ("at least one interval", {"nodes": 0}),
    "an unknown method": ("method='euler' is unknown", {"method": "euler"}),
    "an unknown guess": ("guess has 'y'", {"guess": {"y": np.zeros(3)}}),
    "slopes that are nan": (
        r"dynamics.x\[0\] is nan at the start", {"dynamics": lambda x, u, t, p: {"x": sg.log(x["x"] - 5), "v": 0.0}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", CONTROL)
def test_a_mistake_in_a_control_problem_is_named(mistake):
    words, changed = CONTROL[mistake]
    options = {"nodes": 4, **{k: changed[k] for k in ("nodes", "method", "guess") if k in changed}}
    parts = {
        "states": {"x": None, "v": None}, "controls": {"u": (-1, 1)}, "time": (0.0, 1.0), "start": {"x": 0.0, "v": 0.0},
        "running": lambda x, u, t, p: u["u"] ** 2, **{k: v for k, v in changed.items() if k not in options},
    }  # fmt: skip
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        sg.control.Problem(parts.pop("dynamics", slopes), **parts).solve(**options)
