"""What models are trained with: ``sg.nn.utils`` as ``torch.nn.utils``."""

from symgrad.nn.utils.gradients import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
    parameters_to_vector,
    vector_to_parameters,
)
from symgrad.support.namespace import namespace as _namespace

__all__ = [
    "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm", "parameters_to_vector",
    "vector_to_parameters",
]  # fmt: skip

__getattr__, __dir__ = _namespace(globals(), __all__)
