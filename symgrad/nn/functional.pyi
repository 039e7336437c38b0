"""The functions of ``torch.nn.functional`` that symgrad has: activations, losses, the linear layer."""

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
]

def relu(input: Any, inplace: bool = False) -> Tensor:
    """max(x, 0)."""
def sigmoid(input: Any) -> Tensor:
    """σ(x) = 1/(1 + e⁻ˣ)."""
def tanh(input: Any) -> Tensor:
    """tanh x."""
def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(β x)) / β."""
def logsigmoid(input: Any) -> Tensor:
    """log σ(x), without overflow."""
def softmax(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """exp x / Σ exp x along one axis."""
def log_softmax(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """x - log Σ exp x along one axis, accurate where softmax rounds to 0 or 1."""
def gelu(input: Any, approximate: str = 'none') -> Tensor:
    """x Φ(x), Φ the normal distribution function; for 'tanh' x (1 + tanh(√(2/π)(x + 0.044715 x³)))/2."""
def silu(input: Any, inplace: bool = False) -> Tensor:
    """x σ(x), also called swish."""
def mish(input: Any, inplace: bool = False) -> Tensor:
    """The function x tanh(softplus(x))."""
def softsign(input: Any) -> Tensor:
    """x/(1 + |x|)."""
def tanhshrink(input: Any) -> Tensor:
    """x - tanh x, accurate near 0."""
def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x for x > 0, else ``negative_slope`` times x."""
def prelu(input: Any, weight: Any) -> Tensor:
    """x for x > 0, else w x, with one w or one per channel."""
def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x for x > 0, else α (eˣ - 1)."""
def selu(input: Any, inplace: bool = False) -> Tensor:
    """1.0507 times elu with α = 1.6733, which keeps mean 0 and variance 1."""
def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x for x > 0, else α (exp(x/α) - 1)."""
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x limited to [min_val, max_val]."""
def relu6(input: Any, inplace: bool = False) -> Tensor:
    """x limited to [0, 6]."""
def hardsigmoid(input: Any, inplace: bool = False) -> Tensor:
    """(x + 3)/6 limited to [0, 1]."""
def hardswish(input: Any, inplace: bool = False) -> Tensor:
    """x times hardsigmoid of x: 0 up to -3, x from 3 on, x (x + 3)/6 between."""
def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """x where |x| > λ, else 0."""
def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by λ, and 0 where |x| ≤ λ."""
def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where x > threshold, else value."""
def glu(input: Any, dim: int = -1) -> Tensor:
    """a σ(b), where a and b are the halves of x along ``dim``."""
def softmin(input: Any, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """exp(-x) / Σ exp(-x) along one axis."""
def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """X Wᵀ + b over the last axis."""
def mse_loss(input: Any, target: Any, *, reduction: str = 'mean', weight: Any = None) -> Tensor:
    """Σ (x - t)² / n, the mean squared error."""
def l1_loss(input: Any, target: Any, *, reduction: str = 'mean', weight: Any = None) -> Tensor:
    """Σ |x - t| / n, the mean absolute error."""
def binary_cross_entropy(input: Any, target: Any, weight: Any = None, *, reduction: str = 'mean') -> Tensor:
    """Σ -(t log p + (1 - t) log(1 - p)) / n for probabilities p."""
def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None, *, reduction: str = 'mean', pos_weight: Any = None) -> Tensor:
    """Σ (log(1 + eᶻ) - t z) / n, the cross entropy of t and σ(z), for any size of z."""
def nll_loss(input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = 'mean') -> Tensor:
    """-Σ w_t x_t / Σ w_t over samples, x_t the log probability of the sample's class t."""
def cross_entropy(input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = 'mean', label_smoothing: float = 0.0) -> Tensor:
    """-Σ w_t log softmax(x)_t / Σ w_t over samples, t the sample's class; or -Σ t log softmax(x) / N."""
def smooth_l1_loss(input: Any, target: Any, *, reduction: str = 'mean', beta: float = 1.0) -> Tensor:
    """Σ (x - t)²/(2β) where |x - t| < β, |x - t| - β/2 beyond, over n."""
def huber_loss(input: Any, target: Any, *, reduction: str = 'mean', delta: float = 1.0) -> Tensor:
    """Σ (x - t)²/2 where |x - t| < δ, δ (|x - t| - δ/2) beyond, over n."""
def kl_div(input: Any, target: Any, *, reduction: str = 'mean', log_target: bool = False) -> Tensor:
    """Σ t (log t - x), the Kullback-Leibler divergence of probabilities t from log probabilities x."""
def gaussian_nll_loss(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-06, reduction: str = 'mean') -> Tensor:
    """Σ (log v + (x - t)²/v) / 2 over n, v = max(var, ε): minus the logarithm of a normal density."""
def poisson_nll_loss(input: Any, target: Any, log_input: bool = True, *, full: bool = False, eps: float = 1e-08, reduction: str = 'mean') -> Tensor:
    """Σ eˣ - t x, or Σ x - t log(x + ε), over n: minus the logarithm of a Poisson probability of t."""
def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, *, reduction: str = 'mean') -> Tensor:
    """Σ x where t = 1, max(0, m - x) where t = -1, over n."""
def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, *, reduction: str = 'mean') -> Tensor:
    """Σ max(0, m - t (x₁ - x₂)) over n: t = 1 asks for x₁ > x₂, t = -1 for x₁ < x₂."""
def soft_margin_loss(input: Any, target: Any, *, reduction: str = 'mean') -> Tensor:
    """Σ log(1 + e^(-t x)) over n, for any size of x."""
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-06, swap: bool = False, *, reduction: str = 'mean') -> Tensor:
    """Σ max(0, m + d(a, p) - d(a, n)) over the number of triplets, d the distance along the last axis."""
def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, *, reduction: str = 'mean') -> Tensor:
    """Σ 1 - cos(x₁, x₂) where t = 1, max(0, cos(x₁, x₂) - m) where t = -1, over the number of pairs."""
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> Tensor:
    """‖x₁ - x₂ + ε‖ₚ over the last axis."""
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-08, *, axis: int | None = None) -> Tensor:
    """⟨x₁, x₂⟩ / (max(‖x₁‖, ε) max(‖x₂‖, ε)) along one axis: the cosine of the angle between vectors."""
def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, *, axis: int | None = None) -> Tensor:
    """x / max(‖x‖ₚ, ε) along one axis."""
def layer_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-05) -> Tensor:
    """(x - μ)/√(σ² + ε) w + b, mean and variance over the last axes."""
def rms_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, eps: float | None = None) -> Tensor:
    """x/√(E x² + ε) w, the mean over the last axes."""
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-05) -> Tensor:
    """(x - μ)/√(σ² + ε) w + b, mean and variance over each group of channels of each sample."""
def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
    """(x - μ)/√(σ² + ε) w + b, mean and variance of each channel over the batch in training, else the running ones."""
def instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
    """(x - μ)/√(σ² + ε) w + b, mean and variance of each channel of each sample."""
def local_response_norm(input: Any, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x/(k + α m)^β, m the mean of x² over ``size`` neighbouring channels, those beyond the first and last being 0."""
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """x m/(1 - p), where each entry of m is 0 with probability p, else 1. Without training x itself."""
def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Channels of x (N, C, L) or (C, L) left out with probability p, the others divided by 1 - p."""
def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Channels of x (N, C, H, W), or of (N, C, L), left out with probability p, the others divided by 1 - p."""
def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Channels of x (N, C, D, H, W) or (C, D, H, W) left out with probability p, the others divided by 1 - p."""
def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """a x + b, where x is -1.758 with probability p; a and b keep mean 0 and variance 1. For networks with selu."""
def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """As ``alpha_dropout``, of whole channels of x (N, C, …)."""
def rrelu(input: Any, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False, inplace: bool = False, *, generator: Generator | None = None) -> Tensor:
    """x for x > 0, else a x, with a drawn from [lower, upper) for each entry in training, and their mean otherwise."""
def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1, *, generator: Generator | None = None) -> Tensor:
    """softmax((z + g)/τ) with g = -log(-log u) for uniform u: a class drawn with probabilities softmax(z), made smooth."""
def embedding(input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """The rows of the weight at the indices: y[i] = W[input[i]]."""
def embedding_bag(input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False, padding_idx: int | None = None) -> Tensor:
    """The sum, mean or largest entries of the rows of the weight in each bag of indices."""
def one_hot(input: Any, num_classes: int = -1) -> Tensor:
    """Ones at the classes, zeros elsewhere, along a new last axis."""
def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """softmax(Q Kᵀ s + M) V, s = 1/√d."""
def multi_head_attention_forward(query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any, in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Any, out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None, use_separate_proj_weight: bool = False, q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor]:
    """softmax(Q_h K_hᵀ/√d + M) V_h for each head h, joined and mapped: what ``nn.MultiheadAttention`` computes."""
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """x₁ᵀ Wₖ x₂ + bₖ for each k."""
def unfold(input: Any, kernel_size: int | Sequence[int], dilation: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, stride: int | Sequence[int] = 1) -> Tensor:
    """The windows of x as columns: in row c·K·L + k·L + l stands x[c, i·stride + k·dilation, j·stride + l·dilation]."""
def fold(input: Any, output_size: int | Sequence[int], kernel_size: int | Sequence[int], dilation: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, stride: int | Sequence[int] = 1) -> Tensor:
    """The sum of all windows, each at its place: the adjoint of unfold."""
def conv_transpose1d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1, dilation: int | Sequence[int] = 1) -> Tensor:
    """y[n, f, i·stride + k·dilation - padding] = Σ x[n, c, i] W[c, f, k] + b[f] along the last axis: the adjoint of conv."""
def conv_transpose2d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1, dilation: int | Sequence[int] = 1) -> Tensor:
    """y[n, f, i·stride + k·dilation - padding] = Σ x[n, c, i] W[c, f, k] + b[f] along the last two axes: the adjoint of conv."""
def conv_transpose3d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1, dilation: int | Sequence[int] = 1) -> Tensor:
    """y[n, f, i·stride + k·dilation - padding] = Σ x[n, c, i] W[c, f, k] + b[f] along the last three axes: the adjoint of conv."""
def adaptive_avg_pool1d(input: Any, output_size: int | Sequence[int] | None) -> Tensor:
    """The mean of x over m parts along the last axis: y_i of the entries from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
def adaptive_avg_pool2d(input: Any, output_size: int | Sequence[int] | None) -> Tensor:
    """The mean of x over m parts along the last two axes: y_i of the entries from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
def adaptive_avg_pool3d(input: Any, output_size: int | Sequence[int] | None) -> Tensor:
    """The mean of x over m parts along the last three axes: y_i of the entries from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
@overload
def adaptive_max_pool1d(input: Any, output_size: int | Sequence[int] | None) -> Tensor: ...
@overload
def adaptive_max_pool1d(input: Any, output_size: int | Sequence[int] | None, return_indices: bool = False) -> Any:
    """The largest entry of x in each of m parts along the last axis: y_i of those from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
@overload
def adaptive_max_pool2d(input: Any, output_size: int | Sequence[int] | None) -> Tensor: ...
@overload
def adaptive_max_pool2d(input: Any, output_size: int | Sequence[int] | None, return_indices: bool = False) -> Any:
    """The largest entry of x in each of m parts along the last two axes: y_i of those from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
@overload
def adaptive_max_pool3d(input: Any, output_size: int | Sequence[int] | None) -> Tensor: ...
@overload
def adaptive_max_pool3d(input: Any, output_size: int | Sequence[int] | None, return_indices: bool = False) -> Any:
    """The largest entry of x in each of m parts along the last three axes: y_i of those from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉."""
def multi_margin_loss(input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, *, reduction: str = 'mean') -> Tensor:
    """Σ_{j≠t} w_t max(0, m - x_t + x_j)ᵖ / C for each row x of scores: class t is to win by the margin m."""
def multilabel_margin_loss(input: Any, target: Any, *, reduction: str = 'mean') -> Tensor:
    """Σ max(0, 1 - (x_j - x_i)) / C over the labels j of a sample and the classes i that are none of them."""
def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, *, reduction: str = 'mean') -> Tensor:
    """Σ -(t log σ(x) + (1 - t) log σ(-x)) w over C classes, each its own yes or no, divided by C."""
def triplet_margin_with_distance_loss(anchor: Any, positive: Any, negative: Any, *, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = 'mean') -> Tensor:
    """Σ max(0, m + d(a, p) - d(a, n)) over the number of triplets, with a distance d of one's own."""
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = 'mean', zero_infinity: bool = False) -> Tensor:
    """-log Σ Π p over all alignments of a label sequence to the T steps, which may hold labels and put blanks between."""
def pad(input: Any, pad: Sequence[int], mode: str = 'constant', value: float | None = None) -> Tensor:
    """x with entries added before and after, from the last axis on; negative numbers cut entries off."""
def conv1d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """y[n, f, i] = Σ W[f, c, k] x[n, c, i·stride + k·dilation] + b[f], i and k along the last axis."""
def conv2d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """y[n, f, i] = Σ W[f, c, k] x[n, c, i·stride + k·dilation] + b[f], i and k along the last two axes."""
def conv3d(input: Any, weight: Any, bias: Any = None, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """y[n, f, i] = Σ W[f, c, k] x[n, c, i·stride + k·dilation] + b[f], i and k along the last three axes."""
@overload
def max_pool1d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor: ...
@overload
def max_pool1d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The largest entry of each window along the last axis."""
@overload
def max_pool2d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor: ...
@overload
def max_pool2d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The largest entry of each window along the last two axes."""
@overload
def max_pool3d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor: ...
@overload
def max_pool3d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The largest entry of each window along the last three axes."""
def avg_pool1d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """The mean of each window along the last axis."""
def avg_pool2d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """The mean of each window along the last two axes."""
def avg_pool3d(input: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """The mean of each window along the last three axes."""
def lp_pool1d(input: Any, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """(Σ xᵖ)^(1/p) of each window along the last axis."""
def lp_pool2d(input: Any, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """(Σ xᵖ)^(1/p) of each window along the last two axes."""
def lp_pool3d(input: Any, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """(Σ xᵖ)^(1/p) of each window along the last three axes."""
def max_unpool1d(input: Any, indices: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, output_size: Sequence[int] | None = None) -> Tensor:
    """The entries of x at their places along longer last axis, zeros elsewhere: undoes a pool but for what it drops."""
def max_unpool2d(input: Any, indices: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, output_size: Sequence[int] | None = None) -> Tensor:
    """The entries of x at their places along longer last two axes, zeros elsewhere: undoes a pool but for what it drops."""
def max_unpool3d(input: Any, indices: Any, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, output_size: Sequence[int] | None = None) -> Tensor:
    """The entries of x at their places along longer last three axes, zeros elsewhere: undoes a pool but for what it drops."""
def fractional_max_pool2d(input: Any, kernel_size: int | Sequence[int], output_size: int | Sequence[int] | None = None, output_ratio: float | Sequence[float] | None = None, return_indices: bool = False, _random_samples: Any = None, *, generator: Generator | None = None) -> Tensor:
    """The largest entry of each window along the last two axes, where windows start at ⌊α (i + u)⌋ - ⌊α u⌋."""
def fractional_max_pool3d(input: Any, kernel_size: int | Sequence[int], output_size: int | Sequence[int] | None = None, output_ratio: float | Sequence[float] | None = None, return_indices: bool = False, _random_samples: Any = None, *, generator: Generator | None = None) -> Tensor:
    """The largest entry of each window along the last three axes, as ``fractional_max_pool2d`` along two."""
def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = 'nearest', align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """x resampled to other sizes of its last axes."""
def upsample(input: Any, size: int | Sequence[int] | None = None, scale_factor: Any = None, mode: str = 'nearest', align_corners: bool | None = None) -> Tensor:
    """As ``interpolate``, its older name."""
def grid_sample(input: Any, grid: Any, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners: bool | None = None) -> Tensor:
    """The image at the places of a grid, interpolated between its pixels."""
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """The places θ (x, y, 1)ᵀ for all pixels of an image of this size, whose coordinates go from -1 to 1."""
def pixel_shuffle(input: Any, upscale_factor: int) -> Tensor:
    """y[c, h r + i, w r + j] = x[c r² + i r + j, h, w]: each r² channels are one image that is r times as large."""
def pixel_unshuffle(input: Any, downscale_factor: int) -> Tensor:
    """y[c r² + i r + j, h, w] = x[c, h r + i, w r + j]: undoes ``pixel_shuffle``."""
def channel_shuffle(input: Any, groups: int) -> Tensor:
    """y[c g + k] = x[k C/g + c] along the channels: g groups of channels are dealt out in turn."""
def pdist(input: Any, p: float = 2.0) -> Tensor:
    """‖x[i] - x[j]‖ₚ for all i < j, row by row."""
