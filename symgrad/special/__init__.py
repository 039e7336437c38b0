"""``sg.special``: functions with the names of ``torch.special`` and ``scipy.special``.

SciPy's functions are created when one of them is first used, which shortens the import.
"""

from typing import Any as _Any

from symgrad import functions as _functions
from symgrad.engine.adapters import public
from symgrad.functions.elementwise_factory import published
from symgrad.ops.elementwise import bessel as _bessel
from symgrad.ops.elementwise import gamma as _gamma
from symgrad.support.namespace import missing as _missing
from symgrad.support.namespace import shown as _shown

DECLARED = published("special")
_SHARED = (
    "digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p", "logit", "logsumexp", "polygamma",
    "sinc", "xlogy",
)  # fmt: skip
_SPELLED = {
    "expit": _functions.sigmoid,
    "gammaln": _functions.lgamma,
    "psi": _functions.digamma,
    "multigammaln": public(_gamma.mvlgamma),
    "bessel_j0": public(_bessel.bessel_j0),
    "bessel_j1": public(_bessel.bessel_j1),
    "zeta": public(_gamma.zeta),
}
_OWN: dict[str, _Any] = {**DECLARED, **{name: getattr(_functions, name) for name in _SHARED}, **_SPELLED}
globals().update(_OWN)


def _complete() -> dict[str, _Any]:
    """The module with SciPy's functions and, of these too, ``__all__``."""
    module = globals()
    if "__all__" not in module:
        from symgrad.functions.library import FOUND

        module.update(FOUND)
        module["__all__"] = [*_OWN, *FOUND]
    return module


def __getattr__(name: str) -> _Any:
    if name == "__all__" or not name.startswith("__"):
        module = _complete()
        if name in module:
            return module[name]
        raise _missing(__name__, name, module["__all__"])
    raise _missing(__name__, name, ())


def __dir__() -> list[str]:
    module = _complete()
    return _shown(module, module["__all__"])
