"""The table of docs/closed-forms.md: ``python tests/rows/scoreboard.py`` prints it. SymPy gets the same functions.

SymPy is given the function as its own matrix expression and differentiates it by ``diff``. What it returns is put to
the test with the numbers of ``identities``: right, wrong, or no answer (an error, or a derivative left as it is).
"""

import signal
import warnings
from collections import Counter

import numpy as np
import sympy as sp

from symgrad.errors import FormError
from symgrad.forms.derive import expression

from identities import IDENTITIES, derived, drawn, known, known_tokens, symbolic, tokens

SECONDS = 20  # for each of SymPy's derivatives


def own(identity):
    """Whether symgrad's form is right, in matrix notation, and at most twice as long as the known one."""
    form = derived(identity)
    values = drawn(identity, 1)
    right = np.allclose(form.lambdify()(*[values[n] for n in form.args]), known(identity, values), rtol=1e-9, atol=1e-9)
    return {"right": right, "matrix": form.has_matrix, "short": tokens(str(form)) <= 2 * known_tokens(identity)}


def sympys(identity):
    """What SymPy makes of the same function: 'right', 'wrong', 'no answer', or 'not posed'."""
    y, leaves = symbolic(identity)
    if identity["order"] != "grad":
        return "not posed"
    try:
        e, x = expression(y).to_sympy(), expression(leaves[identity["wrt"]]).to_sympy()
    except FormError:
        return "not posed"
    values, form = drawn(identity, 1), expression(y)
    try:
        value = numbers(e, values)
    except Exception:  # SymPy does not evaluate its own expression
        return "not posed"
    if not np.allclose(value, form.lambdify()(*[values[n] for n in form.args])):
        raise AssertionError(f"{identity['name']}: SymPy was given another function")
    try:
        found = e.diff(x)
    except Exception:  # whatever SymPy raises is no answer
        return "no answer"
    try:
        got = numbers(found, values)
    except Exception:
        return "no answer"
    expected = known(identity, values)
    return "right" if got.size == expected.size and np.allclose(got.reshape(expected.shape), expected) else "wrong"


def numbers(e, values):
    """Evaluate a SymPy expression at arrays by name."""
    if e.has(sp.Derivative):
        raise ValueError("a derivative was left")
    env = {}
    for s in e.atoms(sp.MatrixSymbol, sp.Symbol):
        if str(s.name) in values:
            v = np.asarray(values[str(s.name)])
            env[s] = sp.Float(float(v)) if not v.ndim else sp.ImmutableMatrix(v.reshape(len(v), -1).tolist())
    done = sp.sympify(e).subs(env).doit()
    done = done.as_explicit() if hasattr(done, "as_explicit") else done
    return np.array(sp.flatten(done) if hasattr(done, "shape") else [done], dtype=float)


def timed(identity):
    """The same within a time."""
    signal.alarm(SECONDS)
    try:
        return sympys(identity)
    except TimeoutError:
        return "no answer"
    finally:
        signal.alarm(0)


def late(*_):
    raise TimeoutError


def main():
    warnings.simplefilter("ignore")  # SymPy's own
    signal.signal(signal.SIGALRM, late)
    groups = {}
    for identity in IDENTITIES:
        groups.setdefault(identity["group"], []).append(identity)
    print("| group | identities | right | matrix notation | short | SymPy: posed | right | wrong | no answer |")
    print("|---|---|---|---|---|---|---|---|---|")
    sums = Counter()
    for group, members in groups.items():
        mine, theirs = [own(i) for i in members], Counter(timed(i) for i in members)
        row = Counter({k: sum(m[k] for m in mine) for k in ("right", "matrix", "short")})
        row.update({"n": len(members), "posed": len(members) - theirs["not posed"]})
        row.update({f"sympy {k}": theirs[k] for k in ("right", "wrong", "no answer")})
        sums.update(row)
        print_row(group, row)
    print_row("**all**", sums)


def print_row(name, row):
    keys = ("n", "right", "matrix", "short", "posed", "sympy right", "sympy wrong", "sympy no answer")
    print(f"| {name} | {' | '.join(str(row[k]) for k in keys)} |")


if __name__ == "__main__":
    main()
