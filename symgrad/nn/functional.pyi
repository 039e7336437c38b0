"""The functions of ``torch.nn.functional`` that symgrad provides: activations, losses, the linear layer."""

# Written by `python tests/tools/stubs.py`; a test compares.

from collections.abc import Callable
from collections.abc import Sequence
from symgrad.engine.generator import Generator
from symgrad.tensors.tensor import Tensor
from typing import Any
from typing import overload

__all__ = [
    "relu",
    "sigmoid",
    "tanh",
    "softplus",
    "logsigmoid",
    "softmax",
    "log_softmax",
    "gelu",
    "silu",
    "mish",
    "softsign",
    "tanhshrink",
    "leaky_relu",
    "prelu",
    "elu",
    "selu",
    "celu",
    "hardtanh",
    "relu6",
    "hardsigmoid",
    "hardswish",
    "hardshrink",
    "softshrink",
    "threshold",
    "glu",
    "softmin",
    "linear",
    "mse_loss",
    "l1_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "nll_loss",
    "cross_entropy",
    "smooth_l1_loss",
    "huber_loss",
    "kl_div",
    "gaussian_nll_loss",
    "poisson_nll_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "cosine_embedding_loss",
    "pairwise_distance",
    "cosine_similarity",
    "normalize",
    "layer_norm",
    "rms_norm",
    "group_norm",
    "batch_norm",
    "instance_norm",
    "local_response_norm",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "alpha_dropout",
    "feature_alpha_dropout",
    "rrelu",
    "gumbel_softmax",
    "embedding",
    "embedding_bag",
    "one_hot",
    "scaled_dot_product_attention",
    "multi_head_attention_forward",
    "bilinear",
    "unfold",
    "fold",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "triplet_margin_with_distance_loss",
    "ctc_loss",
    "pad",
    "conv1d",
    "conv2d",
    "conv3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "interpolate",
    "upsample",
    "grid_sample",
    "affine_grid",
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "pdist",
    "celu_",
    "elu_",
    "hardtanh_",
    "leaky_relu_",
    "relu_",
    "rrelu_",
    "selu_",
    "threshold_",
]

def relu(input: Any, inplace: bool = False, *, out: Any = None) -> Tensor:
    """Return max(x, 0)."""
def sigmoid(input: Any, *, out: Any = None) -> Tensor:
    """Return σ(x) = 1/(1 + e⁻ˣ)."""
def tanh(input: Any, *, out: Any = None) -> Tensor:
    """Return tanh x."""
def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Tensor:
    """Return log(1 + exp(β x)) / β."""
def logsigmoid(input: Any, *, out: Any = None) -> Tensor:
    """Return log σ(x), without overflow."""
def softmax(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """Return exp x / Σ exp x along one axis."""
def log_softmax(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """Return x - log Σ exp x along one axis, accurate even where softmax rounds to 0 or 1."""
def gelu(input: Any, approximate: str = 'none') -> Tensor:
    """Return x Φ(x), where Φ is the normal distribution function."""
def silu(input: Any, inplace: bool = False) -> Tensor:
    """Return x σ(x), also called swish."""
def mish(input: Any, inplace: bool = False) -> Tensor:
    """Return the function x tanh(softplus(x))."""
def softsign(input: Any) -> Tensor:
    """Return x/(1 + |x|)."""
def tanhshrink(input: Any) -> Tensor:
    """Return x - tanh x, accurate near 0."""
def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x for x > 0, and ``negative_slope`` times x otherwise."""
def prelu(input: Any, weight: Any) -> Tensor:
    """Return x for x > 0, and w x otherwise, with a single w or one for each channel."""
def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x for x > 0, and α (eˣ - 1) otherwise."""
def selu(input: Any, inplace: bool = False) -> Tensor:
    """Return 1.0507 times elu with α = 1.6733, which preserves mean 0 and variance 1."""
def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x for x > 0, and α (exp(x/α) - 1) otherwise."""
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x limited to [min_val, max_val]."""
def relu6(input: Any, inplace: bool = False) -> Tensor:
    """Return x limited to [0, 6]."""
def hardsigmoid(input: Any, inplace: bool = False) -> Tensor:
    """Return (x + 3)/6 limited to [0, 1]."""
def hardswish(input: Any, inplace: bool = False) -> Tensor:
    """Return x · hardsigmoid(x): 0 for x ≤ -3, x for x ≥ 3, and x (x + 3)/6 in between."""
def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """Return x where |x| > λ, and 0 elsewhere."""
def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """Return x moved towards 0 by λ, and 0 where |x| ≤ λ."""
def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return x where x > threshold, and value elsewhere."""
def glu(input: Any, dim: int = -1) -> Tensor:
    """Return a σ(b), where a and b are the halves of x along ``dim``."""
def softmin(input: Any, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Return exp(-x) / Σ exp(-x) along one axis."""
def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """Return X Wᵀ + b along the last axis."""
def mse_loss(input: Any, target: Any, *, reduction: str = 'mean', weight: Any = None) -> Tensor:
    """Return Σ (x - t)² / n, the mean squared error."""
def l1_loss(input: Any, target: Any, *, reduction: str = 'mean', weight: Any = None) -> Tensor:
    """Return Σ |x - t| / n, the mean absolute error."""
def binary_cross_entropy(input: Any, target: Any, weight: Any = None, *, reduction: str = 'mean') -> Tensor:
    """Return Σ -(t log p + (1 - t) log(1 - p)) / n for probabilities p."""
def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None, *, reduction: str = 'mean', pos_weight: Any = None) -> Tensor:
    """Return Σ (log(1 + eᶻ) - t z) / n: the cross entropy of t and σ(z), without overflow."""
def nll_loss(input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = 'mean') -> Tensor:
    """Return -Σ w_t x_t / Σ w_t over samples, where x_t is the log probability of the sample's class t."""
def cross_entropy(input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = 'mean', label_smoothing: float = 0.0) -> Tensor:
    """Return -Σ w_t log softmax(x)_t / Σ w_t over samples with classes t, or -Σ t log softmax(x) / N for probabilities."""
def smooth_l1_loss(input: Any, target: Any, *, reduction: str = 'mean', beta: float = 1.0) -> Tensor:
    """Return the mean of (x - t)²/(2β) where |x - t| < β, and of |x - t| - β/2 elsewhere."""
def huber_loss(input: Any, target: Any, *, reduction: str = 'mean', delta: float = 1.0, weight: Any = None) -> Tensor:
    """Return the mean of (x - t)²/2 where |x - t| < δ, and of δ (|x - t| - δ/2) elsewhere."""
def kl_div(input: Any, target: Any, *, reduction: str = 'mean', log_target: bool = False) -> Tensor:
    """Return Σ t (log t - x): the Kullback-Leibler divergence of probabilities t from log probabilities x."""
def gaussian_nll_loss(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-06, reduction: str = 'mean') -> Tensor:
    """Return Σ (log v + (x - t)²/v) / (2n) with v = max(var, ε): the negative log density of normal distributions."""
def poisson_nll_loss(input: Any, target: Any, log_input: bool = True, *, full: bool = False, eps: float = 1e-08, reduction: str = 'mean') -> Tensor:
    """Return the negative log-likelihood of Poisson counts t: Σ (eˣ - t x) / n, or Σ (x - t log(x + ε)) / n of rates."""
def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, *, reduction: str = 'mean') -> Tensor:
    """Return the mean of x where t = 1, and of max(0, m - x) where t = -1."""
def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, *, reduction: str = 'mean') -> Tensor:
    """Return Σ max(0, m - t (x₁ - x₂)) / n, where t = 1 requires x₁ > x₂, and t = -1 requires x₁ < x₂."""
def soft_margin_loss(input: Any, target: Any, *, reduction: str = 'mean') -> Tensor:
    """Return Σ log(1 + e^(-t x)) / n, without overflow."""
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-06, swap: bool = False, *, reduction: str = 'mean') -> Tensor:
    """Return the mean of max(0, m + d(a, p) - d(a, n)) over triplets, where d is the distance along the last axis."""
def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, *, reduction: str = 'mean') -> Tensor:
    """Return the mean over pairs of 1 - cos(x₁, x₂) where t = 1, and of max(0, cos(x₁, x₂) - m) where t = -1."""
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> Tensor:
    """Return ‖x₁ - x₂ + ε‖ₚ over the last axis."""
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-08, *, axis: int | None = None) -> Tensor:
    """Return ⟨x₁, x₂⟩ / (max(‖x₁‖, ε) max(‖x₂‖, ε)) along one axis: the cosine of the angle between vectors."""
def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, *, axis: int | None = None) -> Tensor:
    """Return x / max(‖x‖ₚ, ε) along one axis."""
def layer_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-05) -> Tensor:
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and the variance over the last axes."""
def rms_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, eps: float | None = None) -> Tensor:
    """Return x/√(mean x² + ε) w, with the mean over the last axes."""
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-05) -> Tensor:
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and the variance over each group of channels of each sample."""
def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and variance of each channel over the batch."""
def instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and variance of each channel of each sample."""
def local_response_norm(input: Any, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Return x/(k + α m)^β with the mean m of x² over ``size`` neighbouring channels; channels beyond the ends are 0."""
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Set entries of x to 0 at random: x m/(1 - p), where each entry of m is 0 with probability p, and 1 otherwise."""
def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Set channels of x, (N, C, L) or (C, L), to 0 with probability p, and divide the others by 1 - p."""
def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Set channels of x, (N, C, H, W) or (N, C, L), to 0 with probability p, and divide the others by 1 - p."""
def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Set channels of x, (N, C, D, H, W) or (C, D, H, W), to 0 with probability p, and divide the others by 1 - p."""
def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Replace entries of x by -1.758 with probability p, and return a x + b, with mean 0 and variance 1."""
def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Apply ``alpha_dropout`` to whole channels of x, (N, C, …)."""
def rrelu(input: Any, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Return x for x > 0, and a x otherwise."""
def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1, *, generator: Generator | None = None) -> Tensor:
    """Draw a smooth sample of a class with probabilities softmax(z): softmax((z + g)/τ), g = -log(-log u), u uniform."""
def embedding(input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """Return the rows of the weight at the indices: y[i] = W[input[i]]."""
def embedding_bag(input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False, padding_idx: int | None = None) -> Tensor:
    """Return the sum, mean or maximum of the rows of the weight in each bag of indices."""
def one_hot(input: Any, num_classes: int = -1) -> Tensor:
    """Return a tensor with a new last axis, which is 1 at the class and 0 elsewhere."""
def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """Compute scaled dot-product attention, softmax(Q Kᵀ s + M) V with s = 1/√d."""
def multi_head_attention_forward(query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any, in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Any, out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None, use_separate_proj_weight: bool = False, q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor]:
    """Compute attention in several heads, as ``nn.MultiheadAttention`` does."""
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """Return x₁ᵀ Wₖ x₂ + bₖ for each k."""
def unfold(input: Any, kernel_size: int | Sequence[int], dilation: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, stride: int | Sequence[int] = 1) -> Tensor:
    """Return the windows of x as columns: row c·K·L + k·L + l is x[c, i·stride + k·dilation, j·stride + l·dilation]."""
def fold(input: Any, output_size: int | Sequence[int], kernel_size: int | Sequence[int], dilation: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, stride: int | Sequence[int] = 1) -> Tensor:
    """Return the sum of all windows, each at its position: the adjoint of unfold."""
def conv_transpose1d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1, dilation: int | Sequence[int] = 1) -> Tensor:
    """Return y[n, f, i·stride + k·dilation - padding] = Σ x[n, c, i] W[c, f, k] + b[f], the adjoint of conv."""
def conv_transpose2d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1, dilation: int | Sequence[int] = 1) -> Tensor:
    """Return y[n, f, i·stride + k·dilation - padding] = Σ x[n, c, i] W[c, f, k] + b[f], the adjoint of conv."""
def conv_transpose3d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1, dilation: int | Sequence[int] = 1) -> Tensor:
    """Return y[n, f, i·stride + k·dilation - padding] = Σ x[n, c, i] W[c, f, k] + b[f], the adjoint of conv."""
def adaptive_avg_pool1d(input: Any, output_size: int | Sequence[int] | None) -> Tensor:
    """Return the mean of x in each of m parts along the last axis; part i is from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
def adaptive_avg_pool2d(input: Any, output_size: int | Sequence[int] | None) -> Tensor:
    """Return the mean of x in each of m parts along the last two axes; part i is from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
def adaptive_avg_pool3d(input: Any, output_size: int | Sequence[int] | None) -> Tensor:
    """Return the mean of x in each of m parts along the last three axes; part i is from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
@overload
def adaptive_max_pool1d(input: Any, output_size: int | Sequence[int] | None) -> Tensor: ...
@overload
def adaptive_max_pool1d(input: Any, output_size: int | Sequence[int] | None, return_indices: bool = False) -> Any:
    """Return the largest entry of x in each of m parts along the last axis; part i is from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
@overload
def adaptive_max_pool2d(input: Any, output_size: int | Sequence[int] | None) -> Tensor: ...
@overload
def adaptive_max_pool2d(input: Any, output_size: int | Sequence[int] | None, return_indices: bool = False) -> Any:
    """Return the largest entry of x in each of m parts along the last two axes; part i is from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
@overload
def adaptive_max_pool3d(input: Any, output_size: int | Sequence[int] | None) -> Tensor: ...
@overload
def adaptive_max_pool3d(input: Any, output_size: int | Sequence[int] | None, return_indices: bool = False) -> Any:
    """Return the largest entry of x in each of m parts along the last three axes; part i is from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
def multi_margin_loss(input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, *, reduction: str = 'mean') -> Tensor:
    """Return the mean over rows x of Σ_{j≠t} w_t max(0, m - x_t + x_j)ᵖ / C: class t should win by the margin m."""
def multilabel_margin_loss(input: Any, target: Any, *, reduction: str = 'mean') -> Tensor:
    """Return Σ max(0, 1 - (x_j - x_i)) / C, summed over the labels j of a sample and all other classes i."""
def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, *, reduction: str = 'mean') -> Tensor:
    """Return the mean over C classes of -(t log σ(x) + (1 - t) log σ(-x)) w, a binary cross entropy for each class."""
def triplet_margin_with_distance_loss(anchor: Any, positive: Any, negative: Any, *, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = 'mean') -> Tensor:
    """Return the mean of max(0, m + d(a, p) - d(a, n)) over triplets, for a user-defined distance d."""
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = 'mean', zero_infinity: bool = False) -> Tensor:
    """Return -log Σ Π p over all alignments of a label sequence with T steps: connectionist temporal classification."""
def pad(input: Any, pad: Sequence[int], mode: str = 'constant', value: float | None = None) -> Tensor:
    """Return x with entries added before and after, from the last axis on; negative numbers cut entries off."""
def conv1d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """Return y[n, f, i] = Σ W[f, c, k] x[n, c, i·stride + k·dilation] + b[f], with i and k along the last axis."""
def conv2d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """Return y[n, f, i] = Σ W[f, c, k] x[n, c, i·stride + k·dilation] + b[f], with i and k along the last two axes."""
def conv3d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """Return y[n, f, i] = Σ W[f, c, k] x[n, c, i·stride + k·dilation] + b[f], with i and k along the last three axes."""
@overload
def max_pool1d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor: ...
@overload
def max_pool1d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """Return the largest entry of each window along the last axis."""
@overload
def max_pool2d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor: ...
@overload
def max_pool2d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """Return the largest entry of each window along the last two axes."""
@overload
def max_pool3d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor: ...
@overload
def max_pool3d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """Return the largest entry of each window along the last three axes."""
def avg_pool1d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """Return the mean of each window along the last axis."""
def avg_pool2d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """Return the mean of each window along the last two axes."""
def avg_pool3d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """Return the mean of each window along the last three axes."""
def lp_pool1d(input: Any, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """Return (Σ xᵖ)^(1/p) of each window along the last axis."""
def lp_pool2d(input: Any, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """Return (Σ xᵖ)^(1/p) of each window along the last two axes."""
def lp_pool3d(input: Any, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """Return (Σ xᵖ)^(1/p) of each window along the last three axes."""
def max_unpool1d(input: Any, indices: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, output_size: Sequence[int] | None = None) -> Tensor:
    """Undo max pooling along the last axis in part: return x at its positions, with zeros elsewhere."""
def max_unpool2d(input: Any, indices: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, output_size: Sequence[int] | None = None) -> Tensor:
    """Undo max pooling along the last two axes in part: return x at its positions, with zeros elsewhere."""
def max_unpool3d(input: Any, indices: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, output_size: Sequence[int] | None = None) -> Tensor:
    """Undo max pooling along the last three axes in part: return x at its positions, with zeros elsewhere."""
def fractional_max_pool2d(input: Any, kernel_size: int | Sequence[int], output_size: int | Sequence[int] | None = None, output_ratio: float | Sequence[float] | None = None, return_indices: bool = False, _random_samples: Any = None, *, generator: Generator | None = None) -> Tensor:
    """Return the maximum of each window along the last two axes. Window i starts at ⌊α (i + u)⌋ - ⌊α u⌋."""
def fractional_max_pool3d(input: Any, kernel_size: int | Sequence[int], output_size: int | Sequence[int] | None = None, output_ratio: float | Sequence[float] | None = None, return_indices: bool = False, _random_samples: Any = None, *, generator: Generator | None = None) -> Tensor:
    """Return the maximum of each window along the last three axes, like ``fractional_max_pool2d`` along two."""
def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = 'nearest', align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """Resample x to other sizes of its last axes."""
def upsample(input: Any, size: int | Sequence[int] | None = None, scale_factor: Any = None, mode: str = 'nearest', align_corners: bool | None = None) -> Tensor:
    """Resample x: an older name of ``interpolate``."""
def grid_sample(input: Any, grid: Any, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners: bool | None = None) -> Tensor:
    """Interpolate images at the positions of a grid."""
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """Return the positions θ (x, y, 1)ᵀ for all pixels (x, y) of an image, with coordinates from -1 to 1."""
def pixel_shuffle(input: Any, upscale_factor: int) -> Tensor:
    """Return y[c, h r + i, w r + j] = x[c r² + i r + j, h, w]: r² channels become one image that is r times as large."""
def pixel_unshuffle(input: Any, downscale_factor: int) -> Tensor:
    """Return y[c r² + i r + j, h, w] = x[c, h r + i, w r + j]: the inverse of ``pixel_shuffle``."""
def channel_shuffle(input: Any, groups: int) -> Tensor:
    """Return y[c g + k] = x[k C/g + c] along the channels: the channels of g groups are interleaved."""
def pdist(input: Any, p: float = 2.0) -> Tensor:
    """Return ‖x[i] - x[j]‖ₚ for all i < j, row by row."""
def celu_(input: Any, alpha: float = 1.0) -> Tensor:
    """Write ``celu`` of a tensor into this tensor, and return it."""
def elu_(input: Any, alpha: float = 1.0) -> Tensor:
    """Write ``elu`` of a tensor into this tensor, and return it."""
def hardtanh_(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Write ``hardtanh`` of a tensor into this tensor, and return it."""
def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Tensor:
    """Write ``leaky_relu`` of a tensor into this tensor, and return it."""
def relu_(input: Any, *, out: Any = None) -> Tensor:
    """Write ``relu`` of a tensor into this tensor, and return it."""
def rrelu_(input: Any, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Write ``rrelu`` of a tensor into this tensor, and return it."""
def selu_(input: Any) -> Tensor:
    """Write ``selu`` of a tensor into this tensor, and return it."""
def threshold_(input: Any, threshold: float, value: float) -> Tensor:
    """Write ``threshold`` of a tensor into this tensor, and return it."""
