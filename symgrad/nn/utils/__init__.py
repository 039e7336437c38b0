"""Tools for training models, as in ``torch.nn.utils``."""

from symgrad.nn.utils import parametrizations, parametrize, rnn
from symgrad.nn.utils.gradients import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
    parameters_to_vector,
    vector_to_parameters,
)
from symgrad.nn.utils.parametrizations import hooked_spectral_norm as spectral_norm
from symgrad.nn.utils.parametrizations import hooked_weight_norm as weight_norm
from symgrad.nn.utils.parametrizations import remove_spectral_norm, remove_weight_norm
from symgrad.support.namespace import namespace as _namespace

__all__ = [
    "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm", "parameters_to_vector",
    "parametrizations", "parametrize", "remove_spectral_norm", "remove_weight_norm", "rnn", "spectral_norm",
    "vector_to_parameters", "weight_norm",
]  # fmt: skip

__getattr__, __dir__ = _namespace(globals(), __all__)
