"""SciPy's special functions called on tensors: values, first and second derivatives, forms, programs, refusals.

The witness of a derivative is a difference of SciPy's values; of one by a parameter, mpmath's number to 30 digits.
"""

import math
import pickle

import mpmath
import numpy as np
import pytest
import scipy_page
import sympy as sp

import symgrad as sg
from symgrad.core.kernels import array_kernel
from symgrad.errors import ArgumentTypeError, NotDifferentiable
from symgrad.ops.elementwise.library import LIBRARY
from symgrad.ops.map import Map
from symgrad.scalars import BY_FUNCTION, SCALARS, Undeclared, X
from symgrad.scalars.library import NAMES, REFUSED, TUPLES
from symgrad.tensors.ufuncs import function_of

special = pytest.importorskip("scipy.special")

# Points of each function.
POINTS = {
    "gamma": [(2.3,), (-1.4,)], "rgamma": [(2.3,), (-1.4,), (-2.0,), (0.0,)], "gammasgn": [(2.3,), (-1.4,)],
    "loggamma": [(2.3,)], "beta": [(2.3, 0.7)], "betaln": [(2.3, 0.7), (30.0, 1e4)], "binom": [(5.5, 2.3)],
    "poch": [(2.3, 0.7)], "zetac": [(2.3,), (-3.4,), (0.3,)],
    "gammainc": [(2.3, 1.7), (0.1, 3.0), (80.0, 85.0)], "gammaincc": [(2.3, 1.7), (0.4, 3.0)],
    "gammaincinv": [(2.3, 0.3)], "gammainccinv": [(2.3, 0.3)],
    "chdtr": [(3.3, 2.7)], "chdtrc": [(3.3, 2.7)], "chdtri": [(3.3, 0.2)], "chdtriv": [(0.4, 3.3)],
    "gdtr": [(1.2, 2.3, 1.7)], "gdtrc": [(1.2, 2.3, 1.7)], "gdtria": [(0.3, 2.3, 1.7)], "gdtrib": [(1.2, 0.4, 1.7)],
    "gdtrix": [(1.2, 2.3, 0.3)], "pdtr": [(2.5, 1.7)], "pdtrc": [(2.5, 1.7)], "pdtri": [(2, 0.3)],
    "pdtrik": [(0.3, 4.2)],
    "betainc": [(2.3, 0.7, 0.4), (40.0, 60.0, 0.35)], "betaincc": [(2.3, 0.7, 0.4)], "betaincinv": [(2.3, 0.7, 0.4)],
    "betainccinv": [(2.3, 0.7, 0.4)], "btdtria": [(0.3, 2.2, 0.4)], "btdtrib": [(2.2, 0.3, 0.4)],
    "bdtr": [(2.5, 7, 0.3)], "bdtrc": [(2.5, 7, 0.3)], "bdtri": [(2.5, 7, 0.3)], "bdtrik": [(0.4, 7.0, 0.3)],
    "bdtrin": [(2.0, 0.4, 0.3)], "nbdtr": [(2, 7, 0.6)], "nbdtrc": [(2, 7, 0.6)], "nbdtri": [(2, 7, 0.3)],
    "nbdtrik": [(0.4, 5.0, 0.6)], "nbdtrin": [(2.0, 0.4, 0.6)],
    "fdtr": [(3.3, 4.2, 1.2), (3.3, 4.2, 40.0)], "fdtrc": [(3.3, 4.2, 1.2)], "fdtri": [(3.3, 4.2, 0.3)],
    "fdtridfd": [(3.3, 0.6, 1.2)],
    "stdtr": [(3.3, 1.2), (3.3, -1.2), (70.0, 0.8)], "stdtrit": [(3.3, 0.3)], "stdtridf": [(0.8, 1.0)],
    "jv": [(1.3, 2.4), (2.2, 9.0), (7.5, 3.0)], "yv": [(1.3, 2.4), (4.5, 3.0)], "iv": [(1.3, 2.4), (0.4, 0.3)],
    "kv": [(1.3, 2.4), (0.4, 0.3)], "ive": [(1.3, 2.4)], "kve": [(1.3, 2.4)], "jve": [(1.3, 2.4)],
    "yve": [(1.3, 2.4)], "j0": [(2.4,)], "j1": [(2.4,), (0.0,)], "y0": [(2.4,)], "y1": [(2.4,)], "k0": [(2.4,)],
    "k1": [(2.4,)], "k0e": [(2.4,)], "k1e": [(2.4,)], "yn": [(2, 2.4), (0, 2.4)], "kn": [(2, 2.4), (0, 2.4)],
    "ber": [(2.4,), (0.0,)], "bei": [(2.4,)], "berp": [(2.4,)], "beip": [(2.4,)], "ker": [(2.4,)], "kei": [(2.4,)],
    "kerp": [(2.4,)], "keip": [(2.4,)], "struve": [(1.3, 2.4)], "modstruve": [(1.3, 2.4)],
    "besselpoly": [(1.2, 0.5, 1.3)], "itstruve0": [(2.4,)], "it2struve0": [(2.4,)], "itmodstruve0": [(2.4,)],
    "expi": [(1.2,), (-0.7,)], "exp1": [(1.2,)], "expn": [(3, 1.2), (1, 1.2), (0, 1.2)], "spence": [(1.7,), (1.0,)],
    "erfi": [(0.7,)], "dawsn": [(0.7,)], "erfcinv": [(0.7,)], "ndtri_exp": [(-1.2,), (-40.0,)],
    "owens_t": [(0.7, 1.3)], "voigt_profile": [(0.7, 1.3, 0.4)], "wrightomega": [(0.7,)],
    "ellipk": [(0.3,), (0.0,), (-2.0,)], "ellipe": [(0.3,), (0.0,)], "ellipkm1": [(0.3,)],
    "ellipkinc": [(0.7, 0.3), (4.0, 0.3)], "ellipeinc": [(0.7, 0.3), (4.0, 0.3)],
    "elliprc": [(0.7, 1.3)], "elliprd": [(0.7, 1.3, 2.1)], "elliprf": [(0.7, 1.3, 2.1)], "elliprg": [(0.7, 1.3, 2.1)],
    "elliprj": [(0.7, 1.3, 2.1, 0.4)], "agm": [(0.7, 1.3)],
    "hyp0f1": [(1.3, 0.7)], "hyp1f1": [(0.6, 1.3, 0.7)], "hyp2f1": [(0.6, 1.3, 2.2, 0.3)], "hyperu": [(0.6, 1.3, 0.7)],
    "wright_bessel": [(0.6, 1.3, 0.7)], "log_wright_bessel": [(0.6, 1.3, 0.7)],
    "exp10": [(0.7,)], "exprel": [(0.7,), (0.0,), (-30.0,)], "cosm1": [(0.7,)], "powm1": [(1.7, 0.6)],
    "sindg": [(35.0,)], "cosdg": [(35.0,)], "tandg": [(35.0,)], "cotdg": [(35.0,)], "radian": [(35.0, 12.0, 7.0)],
    "boxcox": [(1.7, 0.6), (1.7, 0.0), (1.7, 1e-9)], "boxcox1p": [(1.7, 0.6)],
    "inv_boxcox": [(1.7, 0.6), (1.7, 0.0), (1.7, 1e-5)], "inv_boxcox1p": [(1.7, 0.6)],
    "huber": [(1.2, 0.7), (1.2, -2.3)], "pseudo_huber": [(1.2, 0.7)], "rel_entr": [(0.7, 1.3)], "kl_div": [(0.7, 1.3)],
    "nrdtrimn": [(0.3, 1.2, 0.7)], "nrdtrisd": [(0.2, 0.7, 1.3)], "tklmbda": [(0.4, 0.6)],
    "chndtr": [(2.7, 3.3, 1.2)], "chndtrix": [(0.4, 3.3, 1.2)], "chndtrinc": [(2.7, 3.3, 0.3)],
    "nctdtr": [(3.3, 0.7, 1.2)], "kolmogorov": [(0.7,), (1.3,)], "kolmogi": [(0.3,)],
    "eval_jacobi": [(3, 0.6, 1.3, 0.4), (0, 0.6, 1.3, 0.4)], "eval_gegenbauer": [(3, 0.6, 0.4), (0, 0.6, 0.4)],
    "eval_chebyt": [(3, 0.4), (0, 0.4)], "eval_chebyu": [(3, 0.4), (0, 0.4), (1, 1.0)], "eval_chebyc": [(3, 0.4)],
    "eval_chebys": [(3, 0.4)], "eval_sh_chebyt": [(3, 0.4)], "eval_sh_chebyu": [(3, 0.4)],
    "eval_legendre": [(3, 0.4), (0, 0.4), (2, 1.0)], "eval_sh_legendre": [(3, 0.4)],
    "eval_genlaguerre": [(3, 0.6, 0.4)], "eval_laguerre": [(3, 0.4), (0, 0.4)], "eval_hermite": [(3, 0.4), (0, 0.4)],
    "eval_hermitenorm": [(3, 0.4), (0, 0.4)], "eval_sh_jacobi": [(3, 2.6, 1.3, 0.4)], "lpmv": [(1, 2.0, 0.4)],
    # of several results
    "airy": [(0.7,), (-1.3,)], "airye": [(0.7,)], "sici": [(0.7,), (0.0,)], "shichi": [(0.7,)], "fresnel": [(0.7,)],
    "ellipj": [(0.7, 0.3)], "itj0y0": [(0.7,)], "iti0k0": [(0.7,)], "it2j0y0": [(0.7,)], "it2i0k0": [(0.7,)],
    "itairy": [(0.7,)], "pbdv": [(1.3, 0.7)], "pbvv": [(1.3, 0.7)], "pbwa": [(1.3, 0.7)],
    "mathieu_cem": [(2, 0.7, 35.0)], "mathieu_sem": [(2, 0.7, 35.0)], "mathieu_modcem1": [(2, 0.7, 0.6)],
    "mathieu_modcem2": [(2, 0.7, 0.6)], "mathieu_modsem1": [(2, 0.7, 0.6)], "mathieu_modsem2": [(2, 0.7, 0.6)],
    "pro_ang1": [(1, 2, 0.7, 0.4)], "obl_ang1": [(1, 2, 0.7, 0.4)], "pro_rad1": [(1, 2, 0.7, 1.4)],
    "obl_rad1": [(1, 2, 0.7, 1.4)],
}  # fmt: skip
CASES = [
    pytest.param(name, part, id=name if name not in TUPLES else f"{name}-{k}")
    for name in POINTS
    for k, part in enumerate(TUPLES.get(name, (name,)))
]
# SciPy computes these to some eight digits only, or by a search.
ROUGH = {
    "bdtrik", "bdtrin", "nbdtrik", "nbdtrin", "btdtria", "btdtrib", "chndtr", "chndtrix", "chndtrinc", "nctdtr",
    "gdtrib", "chdtriv", "pdtrik", "stdtridf", "fdtridfd", "tklmbda", "itstruve0", "it2struve0", "itmodstruve0",
    "itj0y0", "iti0k0", "it2j0y0", "it2i0k0", "itairy", "besselpoly", "pbdv", "pbvv", "pbwa", "ker", "kei", "kerp",
    "keip", "ber", "bei", "berp", "beip", "mathieu_modcem2", "mathieu_modsem2", "pro_rad1",
    "obl_rad1", "pro_ang1", "obl_ang1", "mathieu_cem", "mathieu_sem", "mathieu_modcem1", "mathieu_modsem1",
}  # fmt: skip
_STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def difference(f, point, i):
    """∂f/∂xi of eight values, whose error is of order h⁸."""
    h = 2e-3 * max(1.0, abs(point[i])) if point[i] else 2e-3

    def at(t):
        return f(*[v + t if k == i else v for k, v in enumerate(point)])

    return sum(c * (at(k * h) - at(-k * h)) for k, c in _STENCIL) / h


def arguments(part):
    """The places of the arguments in which there is a derivative."""
    return [i for i, d in enumerate(SCALARS[part].partials) if not isinstance(d, Undeclared)]


def ours(part, places):
    """The gradient of one result by these arguments, as a function of numbers."""

    def gradient(*point):
        xs = [sg.tensor(float(v), requires_grad=True) if i in places else v for i, v in enumerate(point)]
        y = sg.engine.record.apply(LIBRARY[part], xs)
        found = sg.autograd.grad(y, [xs[i] for i in places], allow_unused=True)
        return [0.0 if g is None else g.item() for g in found]

    return gradient


@pytest.mark.parametrize(("name", "part"), CASES)
def test_derivative_is_that_of_scipys_values(name, part):
    k = TUPLES.get(name, (name,)).index(part)
    tolerance = 1e-5 if name in ROUGH else 1e-8

    def value(*point):
        found = getattr(special, name)(*point)
        return found[k] if name in TUPLES else found

    for point in POINTS[name]:
        xs = [sg.tensor(float(v)) if i in arguments(part) else v for i, v in enumerate(point)]
        y = getattr(special, name)(*xs)
        assert (y[k] if name in TUPLES else y).item() == pytest.approx(value(*point), rel=1e-13)
        found = ours(part, arguments(part))(*point)
        for i, g in zip(arguments(part), found, strict=True):
            wanted = difference(value, point, i)
            assert g == pytest.approx(wanted, rel=tolerance, abs=tolerance * abs(value(*point)) + 1e-12), (point, i)


# What stands for itself has no second derivative in these arguments, of which the first one is computed.
@pytest.mark.parametrize(("name", "part"), CASES)
def test_second_derivative_is_that_of_the_first(name, part):
    places = arguments(part)
    tolerance = 1e-5 if name in ROUGH else 1e-7
    point = POINTS[name][0]
    xs = [sg.tensor(float(v), requires_grad=True) if i in places else v for i, v in enumerate(point)]
    first = sg.autograd.grad(
        sg.engine.record.apply(LIBRARY[part], xs), [xs[i] for i in places], create_graph=True, allow_unused=True
    )
    gradient = ours(part, places)
    for j, g in enumerate(first):
        if g is None or not g.requires_grad:
            continue
        found = sg.autograd.grad(g, [xs[i] for i in places], allow_unused=True, retain_graph=True)
        for i, h in zip(places, found, strict=True):
            wanted = difference(lambda *p, j=j: gradient(*p)[j], point, i)
            near = tolerance * (abs(g.item()) + 1e-3)
            assert (0.0 if h is None else h.item()) == pytest.approx(wanted, rel=tolerance, abs=near), (i, j)


# ------------------------------------------------------------------ what they mean
def _standing_for_itself(part):
    """Whether SymPy has no word for it."""
    return any(str(f.func) == part and f.func not in BY_FUNCTION for f in SCALARS[part].meaning.atoms(sp.Function))


@pytest.mark.parametrize(("name", "part"), CASES)
def test_meaning_has_scipys_value(name, part):
    if _standing_for_itself(part):
        return
    for point in POINTS[name][:2]:
        exact = [sp.Float(v, 30) if isinstance(v, float) else sp.Integer(v) for v in point]
        meant = SCALARS[part].meaning.xreplace(dict(zip(X, exact, strict=False))).evalf(20)
        value = getattr(special, name)(*point)
        value = value[TUPLES[name].index(part)] if name in TUPLES else value
        assert complex(meant) == pytest.approx(value, rel=1e-8, abs=1e-14) or np.isinf(value), point


# slopes that have a kernel for their digits, and points where the formula that is shown has them too
SLOPES = {
    "rgamma_slope": [(2.3,), (-1.4,)], "digamma_gain": [(2.3, 0.7), (-1.3, 0.4), (0.2, 30.0)],
    "gamma_density": [(2.3, 1.7), (30.0, 27.0), (0.4, 1.7)],
    "beta_density": [(2.3, 0.7, 0.4, 0.6), (40.0, 30.0, 0.45, 0.55), (0.7, 40.0, 0.02, 0.98)],
    "dawsn_slope": [(0.7,), (9.0,)], "ellipd": [(0.3,), (-2.0,)], "ellipk_slope": [(0.3,), (-2.0,)],
    "ellipkinc_m": [(0.7, 0.3), (4.0, 0.3), (-1.9, -1.3)], "ellipeinc_m": [(0.7, 0.3), (4.0, 0.3), (-1.9, -1.3)],
    "exprel_nth": [(1, 0.7), (2, -1.4), (2, 7.3), (3, 40.0)], "log1p_bend": [(0.7,), (0.2,), (-0.4,)],
    "skew_tail": [(0.0, 0.7), (0.7, 1.3), (2.1, 0.3)], "sinhc": [(0.7,)], "spence_slope": [(0.2,), (1.3,), (2.4,)],
    "j0_over_x": [(0, 1.3), (1, 2.1), (2, 4.2), (3, 7.7)], "i0_over_x": [(0, 1.3), (1, 2.1), (2, 4.2), (3, 7.7)],
    "carlson": [(1, 0, 1, 0, 0.7, 1.3, 2.1, 1.0), (0, 0, 2, 0, 0.7, 1.3, 2.1, 1.0), (1, 0, 0, 1, 0.7, 1.3, 2.1, 0.4),
                (0, 0, 0, 2, 0.7, 1.3, 2.1, 0.4)],
}  # fmt: skip


@pytest.mark.parametrize("name", SLOPES)
def test_kernel_of_a_slope_agrees_with_what_is_shown(name):
    s = SCALARS[name]
    formula = s.shown or s.meant
    for point in SLOPES[name]:
        letters = dict(zip(X, map(sp.Integer, point[: s.ordered]), strict=False))
        shown = formula(*[letters.get(x, x) for x in X[: s.nargs]])
        wanted = float(array_kernel(shown, X[: s.nargs])(*[np.float64(v) for v in point]))
        assert s.numpy(*point) == pytest.approx(wanted, rel=1e-9), point
        if s.shown and not _standing_for_itself(name):
            exact = [sp.Integer(v) if k < s.ordered else sp.Float(v, 30) for k, v in enumerate(point)]
            assert s.numpy(*point) == pytest.approx(float(s.meant(*exact).evalf(20)), rel=1e-9), point


# result, point, the argument of each derivative in turn, mpmath's number
HIGHER = [
    ("betainc_aa", (2.3, 0.7, 0.4), (2,), 0.095743752337137),
    ("betainc_ab", (2.3, 0.7, 0.4), (2,), -0.26835394401563),
    ("betainc_bb", (2.3, 0.7, 0.4), (2,), 0.10489147874354),
    ("gammainc_aa", (2.3, 1.7), (1,), -0.16783213628669),
    ("stdtr_dfdf", (3.3, 1.2), (1,), -0.0035761390487886),
    ("voigt_profile", (0.7, 0.8, 1.3), (0, 1, 2), -0.13642603622462),
    ("voigt_profile", (7.7, 0.2, 1.3), (1, 1), 0.00065484525955426),
    ("elliprj", (0.7, 1.3, 2.1, 0.4), (0, 3), 0.83440424474991),
    ("elliprj", (0.7, 1.3, 2.1, 0.4), (1, 2, 3), -0.10708535698934),
    ("elliprd", (0.7, 1.3, 2.1), (1, 2), 0.061519860228658),
    ("beta", (-0.5, -2.5), (0, 0), 49.044139584114),
    ("beta", (-0.5, -2.5), (0, 1), 27.597533735608),
    ("poch", (-5.0, 6.0), (0, 0), 548.0),
    ("binom", (3.0, 5.0), (0, 1), 0.10583333333333),
    ("binom", (5.5, -2.0), (1, 1), -0.067992060819731),
    ("binom", (3.0, 5.0), (0, 0), -0.083333333333333),
    ("poch", (2.3, 0.7), (0, 1), 1.1875383988637),
    ("hurwitz", (2.3, 1.7), (1,), -0.55287943870587),
    ("hurwitz", (2.3, 1.7), (0, 1), 0.16593745490813),
]


@pytest.mark.parametrize(("part", "point", "places", "wanted"), HIGHER)
def test_higher_derivatives_in_several_arguments(part, point, places, wanted):
    xs = [sg.tensor(v, requires_grad=i in places) for i, v in enumerate(point)]
    y = sg.engine.record.apply(Map.of(SCALARS[part].function(*X[: len(xs)]), len(xs)), xs)
    for i in places:
        (y,) = sg.autograd.grad(y, xs[i], create_graph=True)
    assert y.item() == pytest.approx(wanted, rel=1e-8)


# ------------------------------------------------------------------ by parameters
# function, point, argument, mpmath's derivative to 17 digits
BY_PARAMETER = [
    ("gammainc", (0.01, 0.001), 0, -5.9579056034468649),
    ("gammainc", (0.5, 20.0), 0, -1.2713224714768203e-9),
    ("gammainc", (3.0, 2.0), 0, -0.23184867204398959),
    ("gammainc", (1000.0, 1010.0), 0, -0.011945731337225442),
    ("gammainc", (30.0, 200.0), 0, -1.8848341938606564e-51),
    ("betainc", (0.02, 3.0, 0.1), 0, -0.99496435718951676),
    ("betainc", (0.02, 3.0, 0.1), 1, 0.0059260420331105226),
    ("betainc", (50.0, 0.5, 0.999), 0, -0.0024071967163648132),
    ("betainc", (50.0, 0.5, 0.999), 1, 0.75625555390558268),
    ("betainc", (300.0, 200.0, 0.55), 0, -0.0011922526075783897),
    ("betainc", (300.0, 200.0, 0.55), 1, 0.0016143972291957273),
    ("jv", (0.0, 0.001), 0, -7.023684788718984),
    ("jv", (0.5, 200.0), 0, -0.043107475769245865),
    ("jv", (3.0, 3.0), 0, -0.21086105721617664),
    ("jv", (40.0, 30.0), 0, -0.00029701804199646876),
    ("jv", (-0.7, 2.0), 0, 0.78343788086648428),
    ("yv", (0.0, 0.001), 0, -1.5707959340958395),
    ("yv", (2.5, 100.0), 0, -0.059235264207023173),
    ("yv", (40.0, 30.0), 0, -25.523823555667345),
    ("iv", (0.0, 3.0), 0, -0.034739504386279248),
    ("iv", (2.5, 60.0), 0, -2.349287579934656e23),
    ("iv", (40.0, 30.0), 0, -26.621402602623606),
    ("kv", (0.3, 1e-08), 0, 7221.4786027608092),
    ("kv", (2.5, 60.0), 0, 6.151022366585461e-29),
    ("kv", (40.0, 30.0), 0, 0.00045337083555012356),
    ("kv", (-1.5, 2.0), 0, -0.10756345321584431),
    ("stdtr", (0.3, 50.0), 0, 0.48875594750072496),
    ("stdtr", (4.0, -0.01), 0, -5.6950792440912949e-5),
    ("stdtr", (10000.0, 2.0), 0, 1.3499023216265779e-9),
    ("stdtr", (1000000.0, 0.5), 0, 5.5010190288118006e-14),
    ("zeta", (1.001, 0.01), 0, -999537.29144180523),
    ("zeta", (30.0, 2.5), 0, -1.0564710072825998e-12),
    ("zetac", (-7.5,), 0, 0.0043497876618448268),
    ("zetac", (0.0,), 0, -0.91893853320467274),
    ("zetac", (1.5,), 0, -3.9322397374311015),
]


@pytest.mark.parametrize(("name", "point", "i", "wanted"), BY_PARAMETER)
def test_derivative_by_a_parameter_has_ten_digits(name, point, i, wanted):
    xs = [sg.tensor(v, requires_grad=True) for v in point]
    (found,) = sg.autograd.grad(getattr(sg.special, name)(*xs), xs[i])
    assert found.item() == pytest.approx(wanted, rel=1e-10)


# ------------------------------------------------------------------ at special points
# result, point, argument, mpmath's derivative: at poles and zeros of Γ, at 0, where arguments coincide
AT_SPECIAL_POINTS = [
    ("poch", (-4.0, 2.0), 0, -7.0),
    ("poch", (-5.0, 6.0), 0, -120.0),
    ("poch", (1e-08, -3.0), 0, -0.30555556342592606),
    ("poch", (100000.0, 0.5), 0, 0.0015811408065040214),
    ("binom", (3.0, 5.0), 0, -0.05),
    ("binom", (3.0, 5.0), 1, 0.05),
    ("binom", (5.5, -2.0), 1, -0.020512820512820513),
    ("binom", (-2.5, 0.5), 0, 16 / 3),
    ("binom", (-2.5, -0.5), 1, 4 / 3),
    ("beta", (-0.5, -2.5), 0, -20.106192982974677),
    ("beta", (1e-08, 30.0), 1, -0.033895059009191202),
    ("betaln", (2.0, 1e12), 1, -1.999999999999e-12),
    ("voigt_profile", (3.0, 0.02, 1e5), 1, -1.2732395378593636e-17),
    ("voigt_profile", (0.7, 1e-08, 0.3), 1, 1.3508168936824951e-8),
    ("voigt_profile", (0.7, 1e-08, 0.3), 0, -0.39741424553267597),
    ("voigt_profile", (0.7, 0.0, 0.3), 2, 0.3784897576501676),
    ("voigt_profile", (-2.0, 1.3, 100.0), 1, -8.2478831889511894e-7),
    ("voigt_profile", (2.1, 0.2, 0.0), 0, -1.201036092511713e-22),
    ("voigt_profile", (2.1, 0.2, 0.0), 1, 1.2496494581609966e-21),
    ("elliprj", (0.7, 1.3, 2.1, 0.7), 3, -0.75859931635972168),
    ("elliprj", (0.7, 1.3, 2.1, 0.7), 0, -0.37929965817986084),
    ("elliprj", (0.7, 1.3, 2.1, 1.3000001), 1, -0.15970259233629582),
    ("elliprj", (0.7, 1.3, 2.1, -0.4), 0, 0.34268022474672773),
    ("elliprd", (0.7, 1.3, 0.7), 0, -0.57936608152031821),
    ("elliprd", (0.7, 1.3, 0.7), 2, -1.7380982445609546),
    ("elliprd", (0.0, 1.3, 0.7), 2, -4.9567672094722141),
    ("elliprd", (0.0, 1.3, 0.7), 0, -math.inf),
    ("elliprc", (0.0, 1.3), 1, -0.52987673658211113),
    ("elliprg", (0.0, 1.3, 2.1), 1, 0.16130271373172127),
    ("it2j0", (0.0,), 0, 0.0),
    ("it2i0", (1e-08,), 0, 2.5e-9),
    ("it2j0", (1e-05,), 0, 2.4999999999843752e-6),
    ("it2j0", (2.7,), 0, 0.42312939631333771),
    ("it2i0", (7.3,), 0, 30.364219160686558),
    ("spence", (1e-20,), 0, -46.051701859880914),
    ("shi", (1e-300,), 0, 1.0),
    ("fdtr", (60.0, 3.5, 1e5), 1, 1.614074071913735e-8),
    ("fdtr", (0.5, 2.3, 0.0), 0, 0.0),
    ("stdtr", (2.3, -1e-08), 0, -1.5729383664229116e-10),
    ("stdtr", (0.3, 0.04), 0, 0.010642852308034296),
    ("powm1", (0.0, 2.5), 1, 0.0),
    ("powm1", (0.0, 1.0), 0, 1.0),
    ("spherical_jn", (1, 1e-300), 1, 1 / 3),
    ("spherical_in", (2, 1.3), 1, 0.21823040058734986),
    ("spherical_kn", (2, 1.3), 1, -4.445195423043387),
    ("spherical_yn", (2, 1.3), 1, 3.4158085543708761),
    ("gammaincinv", (2.3, 0.0), 0, 0.0),
    ("chdtri", (2.3, 1.0), 0, 0.0),
    ("betaincinv", (2.3, 0.7, 0.0), 1, 0.0),
    ("fdtri", (3.5, 2.3, 0.0), 1, 0.0),
    ("bdtr", (7.0, 7, 0.3), 2, 0.0),
    ("tklmbda", (0.4, 1e-3), 1, 0.068572979578932616),
    ("tklmbda", (-0.5, -0.3), 1, -0.068580967457943858),
    ("tklmbda", (-3.0, 0.5), 1, 0.0),
    ("nbdtr", (2.7, 7, 0.6), 2, math.factorial(9) / math.factorial(6) / 2 * 0.6**6 * 0.4**2),
    ("bdtr", (2.7, 7, 0.3), 2, -7 * 15 * 0.3**2 * 0.7**4),
    ("betainc", (1.0, 2.3, 0.0), 2, 2.3),
    ("betainc", (2.3, 1.0, 1.0), 2, 2.3),
    ("betainc", (0.7, 2.3, 0.0), 2, math.inf),
    ("betaincc", (2.3, 1.4, 1.0), 2, 0.0),
    ("gammainc", (1.0, 0.0), 1, 1.0),
    ("gammainc", (0.7, 0.0), 1, math.inf),
    ("gammainc", (2.3, 0.0), 1, 0.0),
    ("jv", (0.7, 0.0), 0, 0.0),
    ("iv", (0.0, 1.3), 0, -0.27824764630002698),
    ("ive", (0.0, 1.3), 0, -0.075831329953640093),
    ("kv", (0.0, 1.3), 0, 0.0),
    ("iv", (-0.7, 1.3), 0, 1.1054306003958911),
    ("kve", (-0.7, 1.3), 0, -0.48193262306256516),
    ("jv", (2.3, 60.0), 0, -0.12415293810893599),
    ("yv", (-0.7, 0.4), 0, -2.9472989206332984),
    ("spherical_jn", (0, 1.3), 1, -0.36438444272498778),
    ("spherical_in", (0, 1.3), 1, 0.51112784741538531),
    ("spherical_kn", (0, 1.3), 1, -0.58261033177225094),
    ("kolmogorov", (0.01,), 0, 0.0),
    ("kolmogorov", (0.3,), 0, -0.00081939341969312957),
    ("gammainc", (2.3, 0.0), 0, 0.0),
    ("betainc", (2.3, 0.7, 1.0), 0, 0.0),
    ("dawsn", (9.3,), 0, -0.0058842973861029261),
    ("exprel", (-40.0,), 0, 0.00062499999999999989),
    ("lambertw", (0.7, 0.0), 0, 0.44162788384378917),
    ("lambertw", (-0.2, -1.0), 0, -8.2411940564179042),
    ("inv_boxcox", (1.7, 0.31), 1, -3.1873000389226892),
    ("zetac", (1.0001,), 0, -99999999.92720715),
    ("hurwitz", (40.0, 0.3), 0, 9.9029933697429612e20),
    ("ndtri_exp", (-0.001,), 0, 296.83167796258702),
    ("ellipkinc", (4.0, -1.3), 1, 0.35555285848305782),
    ("ellipeinc", (-4.0, 0.6), 1, 1.1884291126396741),
    ("gammainc", (0.3, 200.0), 0, -9.9481540304166592e-89),
    ("betainc", (30.0, 2.3, 0.999), 1, 0.0005407176504310592),
    ("stdtr", (51.0, -3.7), 0, -3.991052738012651e-6),
    ("stdtr", (51.0, -4.7), 0, -3.1872800768790775e-7),
]


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize(("part", "point", "i", "wanted"), AT_SPECIAL_POINTS)
def test_slopes_at_special_points(part, point, i, wanted):
    xs = [sg.tensor(float(v), requires_grad=True) if k == i else v for k, v in enumerate(point)]
    y = sg.engine.record.apply(Map.of(SCALARS[part].function(*X[: len(xs)]), len(xs)), xs)
    (slope,) = sg.autograd.grad(y, xs[i], allow_unused=True)
    assert (0.0 if slope is None else slope.item()) == pytest.approx(wanted, rel=3e-11, abs=1e-300)


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize(("name", "f"), [
    ("yn", lambda n, x: special.yn(n, x)), ("kn", lambda n, x: special.kn(n, x)),
    ("expn", lambda n, x: special.expn(n, x)), ("spherical_jn", lambda n, x: sg.special.spherical_jn(n, x)),
])  # fmt: skip
def test_an_order_that_scipy_cuts_to_a_whole_number_has_the_slope_of_that_one(name, f):
    assert sg.grad(lambda x: f(2.7, x))(1.3) == sg.grad(lambda x: f(2.0, x))(1.3)


def test_tukeys_distribution_near_the_logistic_one():
    """SciPy's value has nine digits there, and so has the slope."""
    assert sg.grad(lambda p: special.tklmbda(0.4, p))(1e-8) == pytest.approx(0.068523830997976137, rel=1e-8)


def test_a_search_without_an_answer_has_no_slope():
    assert special.stdtridf(0.6, 0.2) == 1e10  # where the search ends: no df has this probability
    assert np.isnan(sg.grad(lambda p: special.stdtridf(p, 0.2))(0.6))
    assert np.isnan(sg.grad(lambda t: special.stdtridf(0.5, t))(0.0))


def test_second_derivatives_at_special_points():
    bend = sg.grad(sg.grad(lambda x: special.elliprd(x, 1.3, 0.7)))(0.7)
    assert bend == pytest.approx(0.87056645753323796, rel=1e-12)
    for part, x, exact in (
        ("spence", 1.0, 0.5), ("spence", 2.5, 0.14057365861073562), ("spence", 1e-20, 1e20), ("shi", 1e-8, 1e-8 / 3),
        ("it2j0", 5.0, -0.1126196983708666), ("it2i0", 5.0, 3.8175335555459276),
    ):  # fmt: skip
        bend = sg.grad(sg.grad(lambda t, part=part: sg.engine.record.apply(LIBRARY[part], [t])))(x)
        assert bend == pytest.approx(exact, rel=1e-12)
    mixed = sg.grad(lambda g: sg.grad(lambda s: special.voigt_profile(0.7, s, g))(sg.tensor(0.05)))(2.3)
    assert mixed == pytest.approx(0.0010865941258646781, rel=1e-11)


def test_derivatives_by_parameters_at_the_ends_of_a_range_are_those_of_constants():
    a, b = sg.tensor(2.0, requires_grad=True), sg.tensor(3.0, requires_grad=True)
    s = sg.special
    for y in (s.gammainc(a, 0.0), s.betainc(a, b, 0.0), s.betainc(a, b, 1.0), s.stdtr(a, 0.0)):
        assert sg.autograd.grad(y, a)[0].item() == 0.0


# ------------------------------------------------------------------ the whole of scipy.special
UFUNCS = sorted(n for n in dir(special) if isinstance(getattr(special, n), np.ufunc))


@pytest.mark.parametrize("name", UFUNCS)
def test_every_universal_function_is_answered_or_refused_with_a_reason(name):
    known = getattr(special, name).__name__
    assert (function_of(known) is None) == (known in REFUSED)
    if known in REFUSED:
        with pytest.raises(ArgumentTypeError, match=f"special.{known}: .*detach"):
            getattr(special, known)(*[sg.tensor(0.5)] * getattr(special, known).nin)
    else:
        assert callable(getattr(sg.special, name))


def test_every_function_of_scipys_has_points():
    assert {*NAMES, *TUPLES} == set(POINTS)
    assert all(SCALARS[name].words and SCALARS[name].letters for name in NAMES)


def test_an_order_that_is_whole_has_no_gradient():
    n = sg.tensor(2.0, requires_grad=True)
    with pytest.raises(NotDifferentiable, match=r"yn: no derivative with respect to n is declared. Pass n as a number"):
        special.yn(n, sg.tensor(1.5)).backward()
    with pytest.raises(NotDifferentiable, match="with respect to a is declared"):
        sg.grad(sg.grad(sg.grad(lambda a: special.gammainc(a, 2.0))))(1.5)
    assert sg.grad(lambda m: special.pdtr(2, m))(1.5) == pytest.approx(-math.exp(-1.5) * 1.5**2 / 2)


OTHERS = {
    "jn": (lambda x: special.jn(2, x), lambda x: (special.jv(1, x) - special.jv(3, x)) / 2),
    "lambertw": (special.lambertw, lambda x: 1 / (x + np.exp(special.lambertw(x).real))),
    "zeta": (special.zeta, lambda x: (special.zeta(x + 1e-5) - special.zeta(x - 1e-5)) / 2e-5),
    "hurwitz": (lambda x: special.zeta(x, 1.5), lambda x: sum(-math.log(k + 1.5) * (k + 1.5) ** -x for k in range(99))),
    "spherical_jn": (lambda x: sg.special.spherical_jn(2, x), lambda x: special.spherical_jn(2, x, derivative=True)),
    "spherical_yn": (lambda x: sg.special.spherical_yn(0, x), lambda x: special.spherical_yn(0, x, derivative=True)),
    "spherical_in": (lambda x: sg.special.spherical_in(1, x), lambda x: special.spherical_in(1, x, derivative=True)),
    "factorial": (sg.special.factorial, lambda x: special.gamma(x + 1) * special.psi(x + 1)),
    "softplus": (sg.special.softplus, special.expit),
    "log_expit": (special.log_expit, lambda x: special.expit(-x)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_functions_that_scipy_writes_in_python(name):
    f, slope = OTHERS[name]
    x = 7.3 if name == "hurwitz" else 1.7
    assert sg.grad(f)(x) == pytest.approx(float(slope(x)), rel=1e-8)


# ------------------------------------------------------------------ complex numbers
Z = np.array([1 + 2j, 0.5 - 1j, -0.7 + 0.3j])
OF_COMPLEX = {
    **{name: getattr(special, name) for name in (
        "gamma", "rgamma", "loggamma", "psi", "expi", "exp1", "erf", "erfc", "erfi", "dawsn", "wofz", "spence",
        "lambertw",
    )},
    **{name: lambda z, name=name: getattr(special, name)(1.3, z) for name in (
        "jv", "yv", "iv", "kv", "kve", "hankel1", "hankel2", "hankel1e", "hankel2e",
    )},
    "hyp1f1": lambda z: special.hyp1f1(0.6, 1.3, z), "eval_legendre": lambda z: special.eval_legendre(3, z),
    "airy": lambda z: special.airy(z)[3], "fresnel": lambda z: special.fresnel(z)[0],
    "elliprf": lambda z: special.elliprf(z + 2, 1.0, 2.0),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_holomorphic_functions_take_complex_numbers(name):
    f = OF_COMPLEX[name]
    z = sg.tensor(Z, requires_grad=True)
    y = f(z)
    np.testing.assert_allclose(np.asarray(y.detach()), f(Z), rtol=1e-13)
    (first,) = sg.autograd.grad(y.real.sum(), z, create_graph=True)
    slope = difference(lambda t: f(Z + t), (0.0,), 0)
    np.testing.assert_allclose(np.asarray(first.detach()), np.conj(slope), rtol=1e-8)
    (second,) = sg.autograd.grad(first.real.sum(), z)
    bend = difference(lambda t: difference(lambda s: f(Z + t + s), (0.0,), 0), (0.0,), 0)
    np.testing.assert_allclose(np.asarray(second), np.conj(bend), rtol=1e-6)


def test_complex_results_of_real_numbers_have_real_gradients():
    t = np.array([0.5, 1.5])
    for f, slope in (
        (special.wofz, lambda x: -2 * x * special.wofz(x) + 2j / math.sqrt(math.pi)),
        (lambda x: special.hankel1(1, x), lambda x: special.h1vp(1, x)),
        (lambda x: special.kelvin(x)[1], lambda x: special.kelvin(x)[3]),
    ):
        x = sg.tensor(t, requires_grad=True)
        y = f(x)
        (y.real.sum() + 2 * y.imag.sum()).backward()
        wanted = slope(t)
        np.testing.assert_allclose(x.grad.numpy(), wanted.real + 2 * wanted.imag, rtol=1e-10)


def test_an_order_of_a_complex_function_has_no_gradient():
    v = sg.tensor(1.5, requires_grad=True)
    with pytest.raises(NotDifferentiable, match="jv: no derivative with respect to v"):
        special.jv(v, sg.tensor(Z)).real.sum().backward()


def test_softmax_is_over_all_entries_where_no_axis_is_said():
    a = np.arange(6.0).reshape(2, 3)
    for axis in (None, 1, (0, 1)):
        np.testing.assert_allclose(np.asarray(sg.special.softmax(a, axis=axis)), special.softmax(a, axis=axis))
        np.testing.assert_allclose(np.asarray(sg.special.log_softmax(a, axis=axis)), special.log_softmax(a, axis=axis))


# ------------------------------------------------------------------ every reading
x = sg.symbol("x", ("n",))
FORMS = {
    "gamma": (lambda x: special.gamma(x), "Γ(x) ⊙ digamma(x)", r"\Gamma\left(x\right) \odot \psi\left(x\right)"),
    "jv": (lambda x: special.jv(2, x), "(J1(x) - J3(x))/2",
           r"\frac{1}{2} \left(J_{1}\left(x\right) - J_{3}\left(x\right)\right)"),
    "beta": (lambda x: special.betaln(x, 2.0), "digamma(x) - digamma(x + 2)",
             r"\psi\left(x\right) - \psi\left(x + 2\right)"),
    "dawsn": (lambda x: special.dawsn(x), "1 - 2*(x ⊙ dawsn(x))",
              r"1 - 2 \left(x \odot \operatorname{dawsn}\left(x\right)\right)"),
    "ellipk": (lambda x: special.ellipe(x), "((ellipe(x) - ellipk(x)) ⊘ x)/2", "E"),
    "by a parameter": (lambda x: special.gammainc(x, 2.0), "gammainc_a(x, 2)",
                       r"\operatorname{gammainc\_a}\left(x, 2\right)"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_forms_name_the_functions(name):
    f, text, latex = FORMS[name]
    found = sg.derive(f(x).sum(), x)
    assert str(found) == text
    assert latex in found.latex()
    assert "<math" in found.mathml()


def program(v, x):
    return (special.jv(v, x) * special.gammainc(x, 2.0) + special.betainc(v, 1.5, x / 9) * special.gamma(x)).sum()


def test_programs_are_compiled_mapped_and_differentiated_forward():
    v, at = np.array([0.5, 1.5, 2.2]), np.array([1.0, 2.0, 3.0])
    eager = sg.grad(program, argnums=(0, 1))(v, at)
    compiled = sg.compile(sg.grad(program, argnums=(0, 1)))(v, at)
    for a, b in zip(eager, compiled, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-13)
    mapped = sg.vmap(sg.grad(lambda v, x: program(v, x)))(v, at)
    np.testing.assert_allclose(np.asarray(mapped), np.asarray(eager[0]), rtol=1e-13)
    _, tangent = sg.func.jvp(lambda x: program(v, x), (at,), (np.ones(3),))
    assert float(tangent) == pytest.approx(float(np.sum(np.asarray(eager[1]))), rel=1e-13)


def test_sources_for_numpy_call_scipys_functions():
    v, at = np.array([0.5, 1.5, 2.2]), np.array([1.0, 2.0, 3.0])
    f = sg.value_and_grad(lambda v, x: program(v, x) + (special.sici(x)[1] * special.airy(x)[2]).sum(), argnums=1)
    text = sg.export(f, (v, at), target="numpy", name="f")
    assert "import symgrad" not in text
    assert "from symgrad" not in text
    space = {}
    exec(text, space)
    for found, wanted in zip(space["f"](v, at), f(v, at), strict=True):
        np.testing.assert_allclose(found, np.asarray(wanted), rtol=1e-13)
    with pytest.raises(sg.errors.SymgradError, match="cannot write the operation"):
        sg.export(f, (v, at), target="c")


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_short_floats_stay_short(dtype):
    t = sg.tensor(np.array([0.5, 1.5], dtype), requires_grad=True)
    y = special.kv(1, t) + special.gammainc(t, 2.0)
    y.sum().backward()
    assert y.dtype == t.grad.dtype == dtype


def test_operations_are_pickled():
    again = pickle.loads(pickle.dumps(LIBRARY["gamma"]))
    assert again(sg.tensor(2.5)).item() == special.gamma(2.5)


def test_arguments_have_scipys_names():
    assert sg.special.betainc(a=2.0, b=3.0, x=sg.tensor(0.5)).item() == special.betainc(2.0, 3.0, 0.5)
    with pytest.raises(ArgumentTypeError, match="It takes a, b, x"):
        sg.special.betainc(2.0, 3.0)


def test_without_scipy_the_call_says_what_to_install(monkeypatch):
    from symgrad.scalars.library import kernels

    kernels._special.cache_clear()
    monkeypatch.setattr("symgrad.support.extras.is_installed", lambda extra: False)
    with pytest.raises(sg.errors.MissingExtra, match=r"special\.kv needs scipy"):
        sg.special.kv(1, sg.tensor(2.0))
    kernels._special.cache_clear()


def test_page_of_the_documentation_is_what_the_declarations_say():
    for path, text in scipy_page.pages().items():
        assert path.read_text(encoding="utf-8") == text, "run python tests/tools/scipy_page.py"


@pytest.mark.parametrize(
    "call",
    [
        lambda: sg.special.mathieu_modsem1(float("inf"), [1.0, 2.0], 1.0),
        lambda: sg.special.mathieu_modcem1(3.0, float("inf"), 1.0),
        lambda: sg.special.pro_ang1(1e9, 1e9, 1.0, 0.5),
        lambda: sg.special.pbdv(float("inf"), 1.0),
    ],
)
def test_orders_that_scipy_does_not_survive_are_refused(call):
    pytest.importorskip("scipy")
    with pytest.raises(sg.errors.ArgumentError, match="order"):
        call()


@pytest.mark.parametrize("degree", [2, 30, 100])
@pytest.mark.parametrize(("name", "x"), [("laguerre", 10.0), ("legendre", 0.3), ("chebyt", 0.999)])
def test_polynomials_of_high_degree_keep_their_digits(name, x, degree):
    """SciPy's series for degrees that are floats gives the Laguerre polynomial of degree 100 no digit at all."""
    mpmath = pytest.importorskip("mpmath")
    exact = {"laguerre": lambda n, x: mpmath.laguerre(n, 0, x), "legendre": mpmath.legendre, "chebyt": mpmath.chebyt}
    f = getattr(sg.special, f"eval_{name}")
    with mpmath.workdps(40):
        y, slope = float(exact[name](degree, x)), float(mpmath.diff(lambda t: exact[name](degree, t), x))
    assert f(float(degree), sg.tensor(x)).item() == pytest.approx(y, rel=1e-12)
    assert sg.grad(lambda t: f(degree, t))(x) == pytest.approx(slope, rel=1e-11)
    space: dict = {}
    exec(sg.export(lambda t: f(degree, t), (x,), target="numpy", name="p"), space)
    assert float(space["p"](x)) == pytest.approx(y, rel=1e-12)


def test_slopes_reach_the_ends_of_what_scipy_takes():
    """Against mpmath's numerical derivatives of the same functions."""
    special = sg.special
    chi2 = lambda t, k: mpmath.gammainc(k / 2, 0, t / 2, regularized=True)
    with mpmath.workdps(40):
        for x, df in ((3.0, 2.0), (1.0, 5.0)):
            expected = float(mpmath.diff(lambda t, df=df: chi2(t, mpmath.mpf(df)), x))
            assert sg.grad(lambda t, df=df: special.chndtr(t, df, 0.0))(x) == pytest.approx(expected, rel=1e-13)
            assert sg.grad(lambda t, df=df: special.chndtr(t, df, 1e-20))(x) == pytest.approx(expected, rel=1e-13)
            by_nc = float(chi2(mpmath.mpf(x), df + 2) - chi2(mpmath.mpf(x), df)) / 2
            assert sg.grad(lambda c, x=x, df=df: special.chndtr(x, df, c))(0.0) == pytest.approx(by_nc, rel=1e-13)
        for k in range(3):
            at = lambda v, k=k: special.elliprg(*[v if j == k else 0.0 for j in range(3)])  # R_G(0, 0, v) = √v/2
            assert sg.grad(at)(2.0) == pytest.approx(1 / (4 * math.sqrt(2)), rel=1e-14)
        for a, b in ((1.0, 1e-155), (1.0, 1e-300), (1e-155, 1.0), (1e300, 1e-5), (1e200, 3e200), (3.0, 0.7)):
            by_a = float(mpmath.diff(lambda t, a=a, b=b: mpmath.agm(t * mpmath.mpf(a), b), 1) / mpmath.mpf(a))
            assert sg.grad(lambda a, b=b: special.agm(a, b))(a) == pytest.approx(by_a, rel=1e-12)
            assert sg.grad(lambda a, b=b: special.agm(b, a))(a) == pytest.approx(by_a, rel=1e-12)
        for x, y in ((1e-300, 1e300), (1e300, 1e-300), (3.0, 4.0)):
            ratio = float(mpmath.log(mpmath.mpf(x) / mpmath.mpf(y)))
            assert sg.grad(lambda x, y=y: special.rel_entr(x, y))(x) == pytest.approx(ratio + 1, rel=1e-13)
            assert sg.grad(lambda x, y=y: special.kl_div(x, y))(x) == pytest.approx(ratio, rel=1e-13)
