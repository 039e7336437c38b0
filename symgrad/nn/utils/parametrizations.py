"""Weight normalisation and spectral normalisation: parametrizations, and the older hooks with the same effect."""

from __future__ import annotations

from typing import Any

from symgrad.core.modes import no_grad
from symgrad.errors import ArgumentError
from symgrad.nn.functional import normalize
from symgrad.nn.modules.layers import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from symgrad.nn.modules.module import Module
from symgrad.nn.parameter import Parameter
from symgrad.nn.utils.orthogonal import orthogonal as orthogonal
from symgrad.nn.utils.parametrize import register_parametrization
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.random import randn

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _lengths(v: Any, dim: int | None) -> Any:
    """The norm over all axes but one; over all for -1."""
    if dim in (None, -1):
        return v.norm()
    axes = tuple(k for k in range(v.ndim) if k != dim % v.ndim)
    return v.norm(2, axes, keepdim=True)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return weight_v * (weight_g / _lengths(weight_v, self.dim))

    def right_inverse(self, weight: Any) -> Any:
        return _lengths(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Parametrize a weight as g v/‖v‖, with a learned length g and direction v.

    Args:
        module, name: the module, and the name of its weight.
        dim: the axis whose slices each have a length; None for a single length.

    Source: Salimans and Kingma 2016, "Weight normalization".
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    return module


class _SpectralNorm(Module):
    """W/σ, where σ = uᵀ W v is the largest singular value; power iterations update u and v."""

    _u: Any
    _v: Any
    left_first = True  # which vector follows the other

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations <= 0:
            raise ArgumentError(f"Expected n_power_iterations to be positive, but got {n_power_iterations}.")
        self.dim, self.eps, self.n_power_iterations = dim if weight.ndim > 1 else 0, eps, n_power_iterations
        if weight.ndim > 1:
            matrix = self._matrix(weight.detach())
            for name, n in zip(("_u", "_v"), matrix.shape, strict=True):
                self.register_buffer(name, normalize(randn(n, dtype=weight.dtype), dim=0, eps=eps))
            self._follow(matrix, 15)

    def _matrix(self, weight: Any) -> Any:
        return weight.movedim(self.dim, 0).flatten(1)

    def _follow(self, matrix: Any, count: int) -> None:
        with no_grad():
            for left in [self.left_first, not self.left_first] * count:
                product, vector = (matrix @ self._v, self._u) if left else (matrix.T @ self._u, self._v)
                vector.copy_(normalize(product, dim=0, eps=self.eps))

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._follow(matrix.detach(), self.n_power_iterations)
        return weight / (self._u.clone() @ (matrix @ self._v.clone()))

    def right_inverse(self, value: Any) -> Any:
        return value


def _usual_axis(module: Module, dim: int | None) -> int:
    transposed = isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d))
    return int(transposed) if dim is None else dim


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Parametrize a weight as W/σ, where σ is the largest singular value of its matrix.

    In training, power iterations update the estimate of σ.

    Args:
        module, name: the module, and the name of its weight.
        n_power_iterations: the number of iterations for each access in training.
        eps: the smallest length to divide by.
        dim: the axis of the outputs: 0, or 1 for transposed convolutions.

    Source: Miyato et al. 2018, "Spectral normalization for generative adversarial networks".
    """
    weight = getattr(module, name)
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, _usual_axis(module, dim), eps))
    return module


# ------------------------------------------------------------------ the older hooks
def _refresh(module: Any, name: str, norm: Module, parts: tuple[str, ...]) -> None:
    norm.train(module.training)
    object.__setattr__(module, name, norm(*(getattr(module, name + part) for part in parts)))


def _hook(module: Any, name: str, norm: Module, parts: dict[str, Any], buffers: dict[str, Any]) -> Module:
    """Replace a weight by parts, from which a hook computes it before each call."""
    if (name, type(norm)) in module.__dict__.get("_norms", {}):
        raise ArgumentError(f"Cannot register two hooks of a norm on the same parameter {name}.")
    delattr(module, name)
    for part, value in parts.items():
        module.register_parameter(name + part, Parameter(value))
    for part, buffer in buffers.items():
        module.register_buffer(name + part, buffer)
    _refresh(module, name, norm, tuple(parts))
    handle = module.register_forward_pre_hook(lambda m, args: _refresh(m, name, norm, tuple(parts)))
    norms = {**module.__dict__.get("_norms", {}), (name, type(norm)): (handle, [*parts, *buffers])}
    object.__setattr__(module, "_norms", norms)
    return module  # type: ignore[no-any-return]


def _unhook(module: Any, name: str, kind: type) -> Module:
    norms = dict(module.__dict__.get("_norms", {}))
    if (name, kind) not in norms:
        raise ArgumentError(f"A norm of {name!r} was not found in {module}.")
    handle, parts = norms.pop((name, kind))
    handle.remove()
    value = getattr(module, name).detach()
    for part in parts:
        delattr(module, name + part)
    object.__delattr__(module, name)
    object.__setattr__(module, "_norms", norms)
    module.register_parameter(name, Parameter(value))
    return module  # type: ignore[no-any-return]


class _OlderSpectralNorm(_SpectralNorm):
    left_first = False


def hooked_weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Replace a weight by g v/‖v‖, with parameters ``weight_g`` and ``weight_v``; see also ``parametrizations``."""
    norm, weight = _WeightNorm(dim), getattr(module, name).detach()
    g, v = norm.right_inverse(weight)
    return _hook(module, name, norm, {"_g": g, "_v": v}, {})


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Turn the weight into a parameter again, with its current value."""
    return _unhook(module, name, _WeightNorm)


def hooked_spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide the weight ``weight_orig`` by its largest singular value; see also ``parametrizations``."""
    weight = getattr(module, name).detach()
    norm = _OlderSpectralNorm(weight, n_power_iterations, _usual_axis(module, dim), eps)
    return _hook(module, name, norm, {"_orig": weight}, {"_u": norm._u, "_v": norm._v})


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Turn the weight into a parameter again, with its current value."""
    return _unhook(module, name, _OlderSpectralNorm)


hooked_weight_norm.__name__, hooked_spectral_norm.__name__ = "weight_norm", "spectral_norm"
__getattr__, __dir__ = namespace(globals(), __all__)
check_all(
    globals(), [*__all__, "hooked_spectral_norm", "hooked_weight_norm", "remove_spectral_norm", "remove_weight_norm"]
)
