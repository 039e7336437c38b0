"""Names of the neighbours that do not exist here: the one sentence that says what to use."""

import re

import pytest

import symgrad as sg
from symgrad.support.neighbours import _ABSENT, _TWINS

MISTAKES = {
    "sg.integrate": "Use sg.quad(f, a, b)",
    "sg.Adam": "Use sg.optim.Adam",
    "sg.DataLoader": "Use sg.utils.data.DataLoader",
    "sg.cross_entropy": "Use sg.nn.functional.cross_entropy",
    "sg.nn.softmax": "Use sg.softmax",
    "sg.optim.StepLR": "Use sg.optim.lr_scheduler.StepLR",
    "sg.linalg.sin": "Use sg.sin",
    "sg.nn.functional.Linear": "Use sg.nn.Linear",
    "sg.distributions": "Use sg.stats",
    "sg.array": "Use sg.tensor",
    "sg.symbols": "Use sg.symbol",
    "sg.PRNGKey": "Use sg.Generator",
    "sg.fsolve": "Use sg.root",
    "sg.GradientTape": "Use x.requires_grad_()",
    "sg.autocast": "numbers keep the precision",
    "sg.bfloat16": "NumPy has no bfloat16",
    "sg.cuda.Stream": "symgrad computes on the CPU",
    "sg.ones(2).stride()": "Use x.numpy().strides",
    "sg.ones(2).data_ptr()": "Use x.numpy(), a copy",
    "sg.ones(2).to_numpy()": "Use x.numpy()",
    "sg.ones(2).to_sparse()": "tensors are dense",
    "sg.sni": "Did you mean 'sin'?",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_name_that_does_not_exist_is_answered_by_what_to_use(line):
    with pytest.raises(AttributeError, match=re.escape(MISTAKES[line])):
        eval(line)


def test_no_name_in_the_table_exists():
    assert [name for name in {**_TWINS, **_ABSENT} if name in sg.__all__] == []


def test_python_is_answered_briefly():
    for module in (sg, sg.nn, sg.optim):
        with pytest.raises(AttributeError, match=r"no attribute '__\w+__'$"):
            module.__wrapped_by__  # noqa: B018
    assert not hasattr(sg.ones(2), "__array_interface__")


def test_tensors_answer_without_slowing_their_attributes():
    assert "__getattr__" not in {name for base in sg.Tensor.__mro__ for name in vars(base)}
    assert not hasattr(sg.ones(2), "stride")
    assert "stride" not in {*dir(sg.Tensor), *dir(sg.ones(2))}
    assert {"sum", "shape"} <= set(dir(sg.ones(2)))
