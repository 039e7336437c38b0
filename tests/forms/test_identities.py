"""Matrix identities: every closed form is right, nearly all are in matrix notation and as short as by hand."""

import pytest
from checks import close

from symgrad.forms.evaluate import evaluate
from symgrad.forms.evaluate_matrix import evaluate_matrix
from symgrad.forms.verify import where_value

from identities import IDENTITIES, derived, drawn, known, known_tokens, tokens


def emitted(form, values):
    """The value of the formula that is printed."""
    if form.has_matrix:
        return evaluate_matrix(form.expr, form.shape, values)
    return evaluate(form.expr, form._free(()), form.shape, values)


@pytest.mark.parametrize("identity", IDENTITIES, ids=[i["name"] for i in IDENTITIES])
def test_printed_formula_and_function_have_the_known_value(identity):
    form = derived(identity)
    for seed in (1, 2):
        values = drawn(identity, seed)
        expected = known(identity, values)
        close(emitted(form, values), expected, 1e-9)
        close(form.lambdify()(*[values[name] for name in form.args]), expected, 1e-9)


@pytest.mark.parametrize("identity", IDENTITIES, ids=[i["name"] for i in IDENTITIES])
def test_formula_with_named_intermediates_has_the_known_value(identity):
    form = derived(identity)
    if form._where is not None:
        values = drawn(identity, 1)
        close(where_value(form._where, form.shape, values), known(identity, values), 1e-9)


def test_identities_are_in_matrix_notation_and_short():
    forms = [derived(i) for i in IDENTITIES]
    matrix = sum(form.has_matrix for form in forms)
    short = sum(tokens(str(form)) <= 2 * known_tokens(i) for form, i in zip(forms, IDENTITIES, strict=True))
    assert matrix >= 0.95 * len(IDENTITIES)
    assert short >= 0.85 * len(IDENTITIES)
