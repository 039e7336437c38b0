"""Arguments by torch's names: every function and method takes the keywords that torch's takes, and means the same."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.functions.library import FOUND

V = [0.5, -1.5, 2.0]
M = [[1.0, 2.0, 0.5], [-1.0, 0.25, 3.0]]
Q = [[2.0, 0.5], [0.5, 1.0]]  # symmetric, positive definite
B = [[[1.0, 2.0], [3.0, 4.0]]]
T = [True, False, True]
UNARY = ["exp", "expm1", "exp2", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "square", "neg", "clone",
         "sigmoid", "relu", "abs", "sign", "floor", "ceil", "trunc", "fix", "erf", "erfc", "ravel", "isnan", "isinf",
         "isfinite", "logical_not", "reciprocal", "round", "i0", "sinc", "frac",
         "deg2rad", "rad2deg", "nan_to_num"]  # fmt: skip
POSITIVE = ["log", "log1p", "log2", "log10", "sqrt", "rsqrt", "lgamma", "digamma", "acosh"]
BINARY = ["add", "sub", "mul", "div", "subtract", "multiply", "divide", "true_divide", "maximum", "minimum", "atan2",
          "eq", "ne", "lt", "le", "gt", "ge", "remainder", "fmod", "floor_divide", "logical_and", "logical_or",
          "logical_xor", "inner", "kron", "logaddexp", "logaddexp2", "hypot", "copysign", "fmax", "fmin",
          "ldexp"]  # fmt: skip

# Lists stand for tensors, tuples for themselves: the same keywords are passed to symgrad and to torch.
C1 = [[[1.0, 2.0, 0.5, -1.0], [3.0, -1.0, 2.0, 0.5]]]  # one sample, two channels
C2 = [[[[1.0, 2.0, 0.5], [3.0, -1.0, 2.0], [0.5, 1.5, -2.0]]]]
Z1, Z2 = np.array([1.0 + 2.0j, 3.0 - 1.0j]), np.array([[2.0 + 1.0j, 0.5], [1.0j, -1.0]])
SIGNAL = np.cos(np.arange(12.0))
PIVOTS = np.array([2, 2], np.int32)  # of LU
# fmt: off
KEYWORDS = [
    *[(name, {"input": Z1}) for name in ("angle", "conj_physical", "imag", "resolve_conj", "resolve_neg",
      "view_as_real")],
    ("adjoint", {"input": M}), ("view_as_complex", {"input": [[1.0, 2.0]]}),
    ("complex", {"real": V, "imag": V}), ("polar", {"abs": V, "angle": V}),
    ("stft", {"input": SIGNAL, "n_fft": 4, "hop_length": 2, "center": True, "onesided": True, "return_complex": True,
              "window": [1.0, 0.5, 1.0, 0.5]}),
    ("istft", {"input": np.ones((3, 5)) + 0j, "n_fft": 4, "hop_length": 2, "length": 8,
               "window": [1.0, 0.5, 1.0, 0.5]}),
    *[(f"{name}_window", {"window_length": 5, "periodic": False}) for name in ("bartlett", "blackman", "hamming",
      "hann", "kaiser")],
    ("linalg.eigvals", {"input": [[2.0, 0.0], [0.0, 1.0]]}), ("linalg.eig", {"input": [[2.0, 0.0], [0.0, 1.0]]}),
    *[(name, {"input": V}) for name in UNARY],
    *[(name, {"input": [1.5, 2.0]}) for name in POSITIVE],
    *[(name, {"input": [0.5, -0.25]}) for name in ("asin", "acos", "atanh", "erfinv")],
    *[(name, {"input": V, "other": [2.0, 1.0, -3.0]}) for name in BINARY],
    *[(f"bitwise_{n}", {"input": [6, 3], "other": [3, 5]}) for n in ("and", "or", "xor", "left_shift",
      "right_shift")],
    *[(name, {"input": [12, 18], "other": [8, 27]}) for name in ("gcd", "lcm")],
    ("bitwise_not", {"input": T}),
    *[(name, {"input": V, "other": V, "alpha": 2}) for name in ("add", "sub", "subtract")],
    *[("div", {"input": V, "other": [2.0], "rounding_mode": mode}) for mode in ("floor", "trunc", None)],
    ("round", {"input": [1.26], "decimals": 1}), ("logit", {"input": [0.1, 0.5], "eps": 0.2}),
    ("nan_to_num", {"input": V, "nan": 1.0, "posinf": 2.0, "neginf": 3.0}), ("polygamma", {"n": 2, "input": [2.0]}),
    ("xlogy", {"input": V, "other": [2.0]}), ("heaviside", {"input": [0.0], "values": [2.0]}),
    ("lerp", {"input": V, "end": [2.0], "weight": 0.5}),
    ("float_power", {"input": [1.0, 2.0], "exponent": 2}),
    *[(name, {"input": V, "tensor1": V, "tensor2": V, "value": 2}) for name in ("addcmul", "addcdiv")],
    ("addmm", {"input": Q, "mat1": Q, "mat2": Q, "beta": 2, "alpha": 3}),
    ("addmv", {"input": V[:2], "mat": Q, "vec": V[:2]}),
    ("addr", {"input": Q, "vec1": V[:2], "vec2": V[1:]}), ("baddbmm", {"input": B, "batch1": B, "batch2": B}),
    ("pow", {"input": V, "exponent": 2}), ("pow", {"input": [1.0, 2.0], "exponent": [2.0, 0.5]}),
    *[(name, {"input": V, **limits}) for name in ("clamp", "clip")
      for limits in ({"min": 0.0}, {"max": 1.0}, {"min": [0.0] * 3, "max": [1.0] * 3})],
    ("where", {"condition": T, "input": V, "other": [0.0]}),
    *[(f"special.{name}", {"input": [0.25, 0.5]}) for name in ("entr", "erfcx", "erfinv", "i0", "i0e", "i1", "i1e",
      "log_ndtr", "ndtr", "ndtri", "sinc")],
    ("special.logit", {"input": [0.1, 0.5], "eps": 0.2}), ("special.polygamma", {"n": 2, "input": [2.0]}),
    *[(f"special.{name}", {"input": V, "other": [2.0]}) for name in ("xlogy", "xlog1py")],
    *[(f"nn.functional.{name}", {"input": V}) for name in ("hardsigmoid", "hardswish", "mish", "relu6", "selu", "silu",
      "softsign", "tanhshrink")],
    *[(f"nn.functional.{name}", {"input": V, "alpha": 0.5}) for name in ("celu", "elu")],
    *[(f"nn.functional.{name}", {"input": V, "lambd": 0.7}) for name in ("hardshrink", "softshrink")],
    ("nn.functional.gelu", {"input": V, "approximate": "tanh"}), ("nn.functional.glu", {"input": [V, V], "dim": 0}),
    ("nn.functional.hardtanh", {"input": V, "min_val": -1.0, "max_val": 0.3}),
    ("nn.functional.leaky_relu", {"input": V, "negative_slope": 0.2}),
    ("nn.functional.prelu", {"input": V, "weight": [0.2]}), ("nn.functional.softmin", {"input": M, "dim": 1}),
    ("nn.functional.threshold", {"input": V, "threshold": 0.1, "value": 3.0}),
    *[(f"nn.functional.{name}", {"input": C1, "kernel_size": 2, "stride": 1, "padding": 1})
      for name in ("avg_pool1d", "max_pool1d")],
    *[(f"nn.functional.{name}", {"input": C2, "kernel_size": 2, "stride": 1, "padding": 1})
      for name in ("avg_pool2d", "max_pool2d")],
    ("nn.functional.conv1d", {"input": C1, "weight": [[[1.0, 2.0], [0.5, -1.0]]], "bias": [0.5], "stride": 1,
                              "padding": 1, "dilation": 2, "groups": 1}),
    ("nn.functional.conv2d", {"input": C2, "weight": [[Q]], "bias": [0.5], "stride": 2, "padding": 1}),
    ("nn.functional.unfold", {"input": C2, "kernel_size": 2, "dilation": 1, "padding": 1, "stride": 2}),
    ("nn.functional.fold", {"input": [[[1.0], [2.0], [3.0], [4.0]]], "output_size": 2, "kernel_size": 2}),
    ("nn.functional.conv_transpose1d", {"input": C1, "weight": [[[1.0, 2.0]], [[0.5, -1.0]]], "bias": [0.5],
                                        "stride": 2, "padding": 1, "output_padding": 1, "groups": 1, "dilation": 1}),
    ("nn.functional.conv_transpose2d", {"input": C2, "weight": [[Q]], "stride": 2, "padding": (1, 0)}),
    ("nn.functional.adaptive_avg_pool1d", {"input": C1, "output_size": 3}),
    *[(f"nn.functional.{name}", {"input": C2, "scale_factor": 2.0, "mode": "bilinear", "align_corners": True})
      for name in ("interpolate", "upsample")],
    ("nn.functional.grid_sample", {"input": C2, "grid": [[[[0.3, -0.4], [1.2, 0.1]]]], "mode": "bicubic",
                                   "padding_mode": "border", "align_corners": True}),
    ("nn.functional.affine_grid", {"theta": [[[1.0, 0.2, 0.0], [0.0, 1.0, 0.3]]], "size": (1, 1, 2, 3),
                                   "align_corners": False}),
    ("nn.functional.adaptive_max_pool1d", {"input": C1, "output_size": 3}),
    ("nn.functional.adaptive_max_pool2d", {"input": C2, "output_size": (2, None)}),
    ("nn.functional.adaptive_max_pool3d", {"input": [C2], "output_size": 1}),
    ("nn.functional.adaptive_avg_pool3d", {"input": [C2], "output_size": (1, 2, 1)}),
    ("nn.functional.avg_pool3d", {"input": [C2], "kernel_size": (1, 2, 2), "stride": 1, "divisor_override": 3}),
    ("nn.functional.max_pool3d", {"input": [C2], "kernel_size": (1, 2, 2), "stride": 1, "ceil_mode": True}),
    ("nn.functional.lp_pool2d", {"input": C2, "norm_type": 2.0, "kernel_size": 2, "stride": 1}),
    ("nn.functional.lp_pool3d", {"input": [C2], "norm_type": 2.0, "kernel_size": (1, 2, 2), "stride": 1}),
    ("nn.functional.conv3d", {"input": [C2], "weight": [[[Q]]], "bias": [0.5], "stride": 1, "padding": (0, 1, 0)}),
    ("nn.functional.conv_transpose3d", {"input": [C2], "weight": [[[Q]]], "stride": (1, 2, 2),
                                        "output_padding": (0, 1, 0)}),
    *[(f"nn.functional.max_unpool{d}d", {"input": x, "indices": at, "kernel_size": 2, "stride": 2})
      for d, x, at in ((1, [[1.0, 2.0]], [[1, 2]]), (2, [[[1.0]]], [[[3]]]), (3, [[[[1.0]]]], [[[[5]]]]))],
    *[(f"nn.functional.{name}", {"input": x, "p": 0.5, "training": False}) for name, x in
      (("alpha_dropout", V), ("feature_alpha_dropout", M), ("dropout1d", C1), ("dropout2d", C2), ("dropout3d", [C2]))],
    ("nn.functional.triplet_margin_with_distance_loss", {"anchor": M, "positive": [V, V], "negative": M,
                                                         "margin": 0.5}),
    ("nn.functional.multi_head_attention_forward", {"query": B, "key": B, "value": B, "embed_dim_to_check": 2,
     "num_heads": 1, "in_proj_weight": [*Q, *Q, *Q], "in_proj_bias": None, "bias_k": None, "bias_v": None,
     "add_zero_attn": False, "dropout_p": 0.0, "out_proj_weight": Q, "out_proj_bias": None}),
    ("nn.functional.pixel_shuffle", {"input": [[[1.0]]] * 4, "upscale_factor": 2}),
    ("nn.functional.pixel_unshuffle", {"input": C2, "downscale_factor": 1}),
    ("nn.functional.channel_shuffle", {"input": C1, "groups": 2}), ("nn.functional.pdist", {"input": M, "p": 1.0}),
    ("nn.functional.local_response_norm", {"input": C1, "size": 2, "alpha": 0.5, "beta": 0.5, "k": 2.0}),
    ("nn.functional.lp_pool1d", {"input": C1, "norm_type": 2.0, "kernel_size": 2, "stride": 1, "ceil_mode": True}),
    ("nn.functional.relu", {"input": V, "inplace": False}), ("nn.functional.rrelu", {"input": V, "lower": 0.1,
     "upper": 0.2}),
    ("nn.functional.embedding_bag", {"input": [0, 1, 1], "weight": M, "offsets": [0, 1], "mode": "sum"}),
    ("nn.functional.multilabel_margin_loss", {"input": M, "target": [[0, 2, -1], [1, -1, 0]], "reduction": "sum"}),
    ("nn.functional.multilabel_soft_margin_loss", {"input": M, "target": M, "weight": V, "reduction": "sum"}),
    ("nn.functional.ctc_loss", {"log_probs": M, "targets": [1], "input_lengths": [2], "target_lengths": [1]}),
    ("nn.functional.adaptive_avg_pool2d", {"input": C2, "output_size": (2, 1)}),
    ("nn.functional.multi_margin_loss", {"input": M, "target": [0, 2], "p": 2, "margin": 0.5, "weight": V,
                                         "reduction": "sum"}),
    ("nn.functional.bilinear", {"input1": Q, "input2": Q, "weight": B, "bias": [0.5]}),
    ("nn.functional.embedding", {"input": [0, 1, 1], "weight": M, "padding_idx": 0}),
    ("nn.functional.one_hot", {"input": [0, 2], "num_classes": 4}),
    ("nn.functional.pad", {"input": M, "pad": (1, 2), "mode": "constant", "value": 3.0}),
    ("nn.functional.normalize", {"input": M, "p": 2.0, "dim": 1, "eps": 1e-12}),
    ("nn.functional.layer_norm", {"input": M, "normalized_shape": (3,), "weight": V, "bias": V, "eps": 1e-3}),
    ("nn.functional.rms_norm", {"input": M, "normalized_shape": (3,), "weight": V, "eps": 1e-3}),
    ("nn.functional.group_norm", {"input": C1, "num_groups": 2, "weight": [1.0, 2.0], "bias": [0.5, 1.0], "eps": 1e-3}),
    ("nn.functional.batch_norm", {"input": M, "running_mean": V, "running_var": [1.0, 2.0, 0.5], "training": False,
                                  "eps": 1e-3}),
    ("nn.functional.instance_norm", {"input": C1, "eps": 1e-3}),
    ("nn.functional.dropout", {"input": B, "p": 0.0, "training": True, "inplace": False}),
    ("nn.functional.scaled_dot_product_attention", {"query": B, "key": B, "value": B, "is_causal": True}),
    ("nn.functional.cosine_similarity", {"x1": M, "x2": [V, V], "dim": 1, "eps": 1e-8}),
    ("nn.functional.pairwise_distance", {"x1": M, "x2": [V, V], "p": 2.0, "eps": 1e-6, "keepdim": True}),
    ("nn.functional.cosine_embedding_loss", {"input1": M, "input2": [V, V], "target": [1, -1], "margin": 0.1,
                                             "reduction": "sum"}),
    ("nn.functional.gaussian_nll_loss", {"input": V, "target": [1.0, 0.0, 1.0], "var": [1.0, 2.0, 0.5], "full": True}),
    ("nn.functional.poisson_nll_loss", {"input": V, "target": [1.0, 2.0, 3.0], "log_input": True, "full": True}),
    ("nn.functional.hinge_embedding_loss", {"input": V, "target": [1.0, -1.0, 1.0], "margin": 0.5, "reduction": "sum"}),
    ("nn.functional.huber_loss", {"input": V, "target": [1.0, 0.0, 1.0], "reduction": "sum", "delta": 0.5}),
    ("nn.functional.smooth_l1_loss", {"input": V, "target": [1.0, 0.0, 1.0], "reduction": "sum", "beta": 0.5}),
    ("nn.functional.soft_margin_loss", {"input": V, "target": [1.0, -1.0, 1.0], "reduction": "sum"}),
    ("nn.functional.kl_div", {"input": V, "target": [0.2, 0.3, 0.5], "reduction": "sum", "log_target": False}),
    ("nn.functional.margin_ranking_loss", {"input1": V, "input2": [1.0, 0.0, 1.0], "target": [1.0, -1.0, 1.0],
                                           "margin": 0.1}),
    ("nn.functional.triplet_margin_loss", {"anchor": M, "positive": [V, V], "negative": [[1.0, 1.0, 1.0], V],
                                           "margin": 0.5, "p": 2.0}),
    *[(name, {"input": M, "dim": 1, "descending": True}) for name in ("sort", "argsort")],
    ("topk", {"input": M, "k": 2, "dim": 1, "largest": False, "sorted": True}),
    ("kthvalue", {"input": M, "k": 2, "dim": 1, "keepdim": True}), ("median", {"input": M, "dim": 1, "keepdim": True}),
    *[(name, {"input": M, "dim": 1}) for name in ("cummax", "cummin", "count_nonzero", "nansum")],
    ("diff", {"input": M, "n": 1, "dim": 1}), ("dist", {"input": V, "other": [1.0, 0.0, 1.0], "p": 2}),
    ("cdist", {"x1": M, "x2": M[:1], "p": 2.0}),
    ("reshape", {"input": M, "shape": (3, 2)}), ("flatten", {"input": B, "start_dim": 1, "end_dim": 2}),
    ("squeeze", {"input": B, "dim": 0}), ("squeeze", {"input": B, "dim": (0, 1)}),
    ("unsqueeze", {"input": V, "dim": 1}),
    ("broadcast_to", {"input": V, "size": (2, 3)}), ("tile", {"input": V, "dims": (2, 2)}),
    ("repeat_interleave", {"input": V, "repeats": 2, "dim": 0}), ("flip", {"input": M, "dims": (0, 1)}),
    ("roll", {"input": M, "shifts": 1, "dims": 1}), ("permute", {"input": B, "dims": (2, 0, 1)}), ("t", {"input": M}),
    ("transpose", {"input": M, "dim0": 0, "dim1": 1}), ("swapdims", {"input": M, "dim0": 0, "dim1": 1}),
    ("swapaxes", {"input": M, "axis0": 0, "axis1": 1}),
    *[(name, {"input": B, "source": 0, "destination": 2}) for name in ("movedim", "moveaxis")],
    *[(name, {"tensors": (V, V), "dim": 0}) for name in ("cat", "concat", "concatenate", "stack")],
    *[(name, {"tensors": (V, V)}) for name in ("hstack", "vstack", "row_stack")],
    ("split", {"tensor": V, "split_size_or_sections": 2, "dim": 0}), ("chunk", {"input": V, "chunks": 2, "dim": 0}),
    ("unbind", {"input": M, "dim": 1}), ("select", {"input": M, "dim": 1, "index": 0}),
    ("narrow", {"input": M, "dim": 1, "start": 1, "length": 2}),
    ("index_select", {"input": M, "dim": 1, "index": [2, 0]}), ("gather", {"input": M, "dim": 1, "index": [[2], [0]]}),
    ("take_along_dim", {"input": M, "indices": [[2], [0]], "dim": 1}),
    ("scatter", {"input": V, "dim": 0, "index": [1], "src": [9.0]}),
    ("scatter", {"input": V, "dim": 0, "index": [1], "value": 9.0}),
    ("scatter_add", {"input": V, "dim": 0, "index": [1], "src": [9.0]}),
    ("index_add", {"input": V, "dim": 0, "index": [1], "source": [9.0], "alpha": 2}),
    ("masked_fill", {"input": V, "mask": T, "value": 7.0}), ("masked_select", {"input": V, "mask": T}),
    *[(name, {"input": M}) for name in ("sum", "mean", "prod", "max", "min", "argmax", "argmin")],
    *[(name, {"input": M, "dim": 1, "keepdim": True}) for name in
      ("sum", "mean", "prod", "max", "min", "argmax", "argmin", "amax", "amin", "logsumexp")],
    *[(name, {"input": V, "other": [0.0]}) for name in ("max", "min")],
    *[(name, {"input": T, "dim": 0, "keepdim": True}) for name in ("all", "any")],
    *[(name, {"input": M, "dim": 1, "correction": 0, "keepdim": True}) for name in
      ("var", "std", "var_mean", "std_mean")],
    *[(name, {"input": M, "dim": 1, "unbiased": False}) for name in ("var", "std", "var_mean", "std_mean")],
    *[(name, {"input": M, "dim": 1}) for name in ("cumsum", "cumprod", "softmax", "log_softmax")],
    ("norm", {"input": M, "p": 2, "dim": 1, "keepdim": True}),
    ("matmul", {"input": Q, "other": Q}), ("dot", {"input": V, "tensor": V}), ("mv", {"input": M, "vec": V}),
    ("mm", {"input": Q, "mat2": Q}), ("bmm", {"input": B, "mat2": B}), ("outer", {"input": V, "vec2": V}),
    ("trace", {"input": Q}), ("diag", {"input": Q, "diagonal": 1}), ("tril", {"input": Q, "diagonal": -1}),
    ("triu", {"input": Q, "diagonal": 1}), ("diagonal", {"input": B, "offset": 1, "dim1": 1, "dim2": 2}),
    ("diag_embed", {"input": V, "offset": 1, "dim1": 0, "dim2": 1}),
    *[(name, {"input": Q}) for name in ("det", "logdet", "slogdet", "inverse")],
    ("cholesky", {"input": Q, "upper": True}), ("matrix_power", {"input": Q, "n": 2}),
    *[(f"linalg.{name}", {"A": Q}) for name in ("inv", "det", "slogdet")],
    ("linalg.cholesky", {"input": Q, "upper": True}), ("linalg.matrix_power", {"input": Q, "n": 2}),
    ("linalg.solve", {"A": Q, "B": [1.0, 2.0]}), ("linalg.solve", {"A": Q, "B": Q, "left": False}),
    ("linalg.solve_triangular", {"input": Q, "B": Q, "upper": True, "left": False, "unitriangular": True}),
    ("linalg.diagonal", {"A": B, "offset": 1}), ("linalg.multi_dot", {"tensors": (Q, Q)}),
    ("linalg.matmul", {"input": Q, "other": Q}), ("linalg.norm", {"input": Q, "ord": 1, "dim": 1, "keepdim": True}),
    *[(f"linalg.{name}", {"input": Q, "UPLO": "U"}) for name in ("eigh", "eigvalsh")], ("linalg.svdvals", {"A": Q}),
    ("linalg.svd", {"A": [[2.0]], "full_matrices": False}), ("linalg.qr", {"A": M, "mode": "complete"}),
    ("linalg.matrix_exp", {"input": Q}), ("matrix_exp", {"input": Q}), ("pinverse", {"input": M, "rcond": 1e-3}),
    *[(f"linalg.{name}", {"input": Q, "atol": 0.1, "rtol": 0.2, "hermitian": True})
      for name in ("pinv", "matrix_rank")],
    ("linalg.lstsq", {"input": M, "b": [[1.0], [2.0]], "rcond": 1e-3, "driver": "gelsd"}),
    ("linalg.vector_norm", {"x": Q, "ord": 3, "dim": 1, "keepdim": True}),
    ("linalg.matrix_norm", {"input": Q, "ord": "fro", "dim": (0, 1), "keepdim": True}),
    *[(f"special.{name}", {"input": V}) for name in ("erf", "erfc", "exp2", "expit", "expm1")],
    *[(f"special.{name}", {"input": [1.5]}) for name in ("digamma", "gammaln", "log1p", "psi")],
    *[(f"special.{name}", {"input": M, "dim": 1}) for name in ("softmax", "log_softmax", "logsumexp")],
    *[(f"nn.functional.{name}", {"input": V}) for name in ("relu", "sigmoid", "tanh", "logsigmoid")],
    ("nn.functional.softplus", {"input": V, "beta": 2, "threshold": 20}),
    *[(f"nn.functional.{name}", {"input": M, "dim": 1}) for name in ("softmax", "log_softmax")],
    ("nn.functional.linear", {"input": M, "weight": M, "bias": [1.0, 2.0]}),
    *[(f"nn.functional.{name}", {"input": V, "target": [0.5, 1.0, 0.0], "reduction": "sum"})
      for name in ("mse_loss", "l1_loss", "binary_cross_entropy_with_logits")],
    ("nn.functional.binary_cross_entropy_with_logits",
     {"input": V, "target": [0.5, 1.0, 0.0], "weight": [1.0, 2.0, 3.0], "pos_weight": [2.0]}),
    ("nn.functional.binary_cross_entropy", {"input": [0.5], "target": [1.0], "weight": [2.0], "reduction": "none"}),
    ("nn.functional.nll_loss", {"input": M, "target": [0, 2], "weight": V, "ignore_index": 1, "reduction": "sum"}),
    ("nn.functional.cross_entropy", {"input": M, "target": [0, 2], "ignore_index": 1, "label_smoothing": 0.1}),
    *[(name, {"input": V}) for name in ("absolute", "negative", "sgn", "positive", "conj", "real", "arctan", "arcsinh",
      "signbit", "isposinf", "isneginf", "isreal", "frexp", "flipud", "cov", "nanmedian", "msort")],
    *[(name, {"input": [0.5, -0.25]}) for name in ("arccos", "arcsin", "arctanh")], ("arccosh", {"input": [1.5]}),
    *[(name, {"input": V, "other": [2.0, 1.0, -3.0]}) for name in ("arctan2", "greater", "greater_equal", "less",
      "less_equal", "not_equal", "vdot")],
    ("ger", {"input": V, "vec2": V}), ("rsub", {"input": V, "other": V, "alpha": 2}),
    ("isclose", {"input": V, "other": V, "rtol": 0.1, "atol": 0.1, "equal_nan": True}),
    ("mvlgamma", {"input": [3.0], "p": 2}), ("clamp_min", {"input": V, "min": 0.0}),
    ("clamp_max", {"input": V, "max": 0.0}), ("corrcoef", {"input": M}), ("fliplr", {"input": M}),
    ("cov", {"input": M, "correction": 0, "fweights": [1, 2, 1], "aweights": [0.5, 1.0, 2.0]}),
    *[(name, {"tensors": (V, V)}) for name in ("dstack", "column_stack")],
    ("tensor_split", {"input": V, "sections": 2}), ("tensor_split", {"input": V, "indices": (1,), "dim": 0}),
    ("split_with_sizes", {"input": V, "split_sizes": (1, 2), "dim": 0}), ("combinations", {"input": V, "r": 2,
      "with_replacement": True}), ("rot90", {"input": M, "k": 1, "dims": (0, 1)}),
    ("hsplit", {"input": M, "sections": 3}), ("vsplit", {"input": M, "sections": 2}),
    ("dsplit", {"input": B, "indices": (1,)}), ("diagflat", {"input": V, "offset": 1}),
    ("take", {"input": V, "index": [0, 2]}), ("isin", {"elements": V, "test_elements": [1.0]}),
    ("as_strided", {"input": V, "size": (2,), "stride": (1,), "storage_offset": 1}),
    ("index_put", {"input": V, "indices": ([1],), "values": [2.0],
      "accumulate": True}), ("index_copy", {"input": V, "dim": 0, "index": [1], "source": [2.0]}),
    ("index_fill", {"input": V, "dim": 0, "index": [1], "value": 2.0}),
    ("masked_scatter", {"input": V, "mask": T, "source": V}),
    ("select_scatter", {"input": M, "src": V, "dim": 0, "index": 1}),
    ("slice_scatter", {"input": V, "src": [1.0], "dim": 0, "start": 0, "end": 2, "step": 2}),
    ("diagonal_scatter", {"input": M, "src": [1.0, 2.0], "offset": 0, "dim1": 0, "dim2": 1}),
    ("scatter_reduce", {"input": V, "dim": 0, "index": [0, 0], "src": [1.0, 2.0], "reduce": "amax",
      "include_self": False}),
    ("index_reduce", {"input": V, "dim": 0, "index": [0], "source": [3.0], "reduce": "prod", "include_self": True}),
    ("logcumsumexp", {"input": V, "dim": 0}), ("trapezoid", {"y": V, "x": V, "dim": 0}), ("trapz", {"y": V, "x": V}),
    ("cumulative_trapezoid", {"y": V, "dx": 0.5, "dim": 0}), ("nanmean", {"input": M, "dim": 1, "keepdim": True}),
    ("mode", {"input": V, "dim": 0, "keepdim": True}), ("aminmax", {"input": M, "dim": 1, "keepdim": True}),
    ("renorm", {"input": M, "p": 2, "dim": 0, "maxnorm": 1.0}),
    *[(name, {"input": M, "q": 0.3, "dim": 1, "keepdim": True, "interpolation": "lower"})
      for name in ("quantile", "nanquantile")],
    ("histc", {"input": V, "bins": 4, "min": -1, "max": 2}),
    ("histogram", {"input": V, "bins": 4, "range": (-1.0, 2.0), "density": True}),
    ("histogramdd", {"input": M, "bins": 2, "density": False}),
    ("gradient", {"input": M, "spacing": 2.0, "dim": 1, "edge_order": 2}),
    ("bucketize", {"input": V, "boundaries": [0.0, 1.0], "out_int32": True, "right": True}),
    ("searchsorted", {"sorted_sequence": [0.0, 1.0], "input": V, "side": "right"}),
    ("tensordot", {"a": M, "b": M, "dims": ((0,), (0,))}), ("cross", {"input": V, "other": V, "dim": 0}),
    ("linalg.vecdot", {"x": V, "y": V, "dim": 0}),
    ("linalg.cross", {"input": V, "other": V, "dim": 0}),
    ("addbmm", {"input": Q, "batch1": B, "batch2": B, "beta": 2, "alpha": 3}), ("vander", {"x": V, "N": 2}),
    ("linalg.vander", {"x": V, "N": 2}), ("cholesky_solve", {"input": Q, "input2": [[2.0, 0.0], [1.0, 1.0]]}),
    ("cholesky_inverse", {"input": [[2.0, 0.0], [1.0, 1.0]], "upper": False}),
    ("triangular_solve", {"input": Q, "A": Q, "upper": False, "transpose": True, "unitriangular": True}),
    *[(f"special.{name}", {"input": V}) for name in ("bessel_j0", "bessel_j1")],
    ("special.zeta", {"input": [2.0, 3.0], "other": [1.0, 0.5]}), ("special.multigammaln", {"input": [3.0], "p": 2}),
    ("linalg.cond", {"input": Q, "p": 1}), ("linalg.tensorinv", {"input": Q, "ind": 1}),
    ("linalg.tensorsolve", {"input": Q, "other": [1.0, 2.0]}),
    ("linalg.householder_product", {"input": Q, "tau": [1.0]}), ("linalg.lu", {"A": Q}), ("linalg.lu_factor", {"A": Q}),
    ("linalg.ldl_factor_ex", {"input": Q, "check_errors": False}),
    *[(f"linalg.{name}_ex", {"A": Q, "check_errors": False}) for name in ("inv", "lu_factor")],
    *[(f"nn.functional.fractional_max_pool{d}d", {"input": np.ones((1, 1, *[4] * d)).tolist(), "kernel_size": 2,
       "output_size": 2, "return_indices": False}) for d in (2, 3)],
    ("linalg.cholesky_ex", {"input": Q, "upper": True}), ("linalg.solve_ex", {"A": Q, "B": Q, "left": False}),
    ("linalg.ldl_factor", {"input": Q}), ("linalg.ldl_solve", {"LD": Q, "pivots": PIVOTS, "B": Q}),
    ("linalg.lu_solve", {"LU": Q, "pivots": PIVOTS, "B": Q, "left": True, "adjoint": True}),
    ("lu_solve", {"input": Q, "LU_data": Q, "LU_pivots": PIVOTS}),
]
MAKING = [
    ("tensor", {"data": (1.0, 2.0), "requires_grad": True}), ("as_tensor", {"data": (1.0, 2.0)}),
    *[(name, {"size": (2, 3)}) for name in ("zeros", "ones")],
    ("full", {"size": (2, 3), "fill_value": 4.0}), ("eye", {"n": 2, "m": 3}), ("arange", {"end": 3}),
    ("arange", {"start": 1, "end": 6, "step": 2}), ("linspace", {"start": 0.0, "end": 1.0, "steps": 3}),
    ("logspace", {"start": 0.0, "end": 1.0, "steps": 3, "base": 2.0}),
    *[(f"tri{n}_indices", {"row": 3, "col": 4, "offset": 1}) for n in "lu"],
    *[(name, {"input": M}) for name in ("zeros_like", "ones_like")], ("full_like", {"input": M, "fill_value": 4.0}),
]
SHAPED = [
    *[(name, {"size": (2, 3)}) for name in ("empty", "rand", "randn")],
    ("randint", {"low": 0, "high": 5, "size": (2, 3)}),
    *[(name, {"input": M}) for name in ("empty_like", "rand_like", "randn_like")],
]
METHODS = [
    ("view", M, {"size": (3, 2)}), ("expand", V, {"size": (2, 3)}), ("repeat", V, {"repeats": (2, 2)}),
    ("unflatten", V, {"dim": 0, "sizes": (3, 1)}), ("split", V, {"split_size": 2, "dim": 0}),
    ("where", V, {"condition": T, "other": [0.0]}), ("size", M, {"dim": 1}), ("expand_as", V, {"other": M}),
    ("view_as", V, {"other": [1.0, 2.0, 3.0]}), ("add_", V, {"other": V, "alpha": 2}),
    ("sub_", V, {"other": V, "alpha": 2}), ("mul_", V, {"other": V}), ("div_", V, {"other": V}),
    ("pow_", V, {"exponent": 2}), ("clamp_", V, {"min": 0.0, "max": 1.0}), ("fill_", V, {"value": 3.0}),
    ("requires_grad_", V, {"requires_grad": True}),
]
# fmt: on
FIRST = ("input", "tensor", "A", "x")
METHODS += [
    (name, next(iter(given.values())), dict(list(given.items())[1:]))
    for name, given in KEYWORDS
    if hasattr(sg.Tensor, name) and name not in ("where", "split", "real", "imag") and next(iter(given)) in FIRST
]
# These have none in torch, or torch has them in nn.functional.
NO_KEYWORDS = {"einsum", "softplus", "logsigmoid", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag",
               "broadcast_tensors", "cartesian_prod", "chain_matmul", "meshgrid"}  # fmt: skip
# of NumPy and SciPy: test_scipy_linalg.py, test_scipy_signatures.py, test_signal.py; of draws: test_dropout.py
OF_OTHERS = {"interp", "simpson", "nn.functional.gumbel_softmax", "linalg.cg", "linalg.gmres", "linalg.lsqr", *[
    f"linalg.{name}" for name in (
    "block_diag", "cho_factor", "cho_solve", "expm", "expm_frechet", "khatri_rao", "logm", "solve_banded",
    "solve_continuous_are", "solve_continuous_lyapunov", "solve_discrete_are", "solve_discrete_lyapunov",
    "solve_sylvester", "solveh_banded",
    "sqrtm", "toeplitz", "trace")]}  # fmt: skip


def name_of(entry):
    return f"{entry[0]}({', '.join(entry[-1])})"


def given(make, keywords):
    """The keywords with their lists made into tensors."""

    def convert(value):
        if isinstance(value, tuple):
            return tuple(map(convert, value))
        return make(value) if isinstance(value, (list, np.ndarray)) else value

    return {key: convert(value) for key, value in keywords.items()}


def look_up(library, name):
    for part in name.split("."):
        library = getattr(library, part)
    return library


def arrays(result):
    """All the arrays in a result of either library."""
    if isinstance(result, (tuple, list)):
        return [a for r in result for a in arrays(r)]
    return [np.asarray(result.detach().numpy() if hasattr(result, "detach") else result)]


def agree(found, expected):
    for a, b in zip(arrays(found), arrays(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14, strict=True)


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield torch
    torch.set_default_dtype(before)


@pytest.mark.parametrize("entry", KEYWORDS, ids=name_of)
def test_the_first_argument_by_name_is_the_first_argument(entry):
    name, keywords = entry
    f, (first, *rest) = look_up(sg, name), given(sg.tensor, keywords).items()
    agree(f(**dict([first, *rest])), f(first[1], **dict(rest)))


@pytest.mark.parametrize("entry", KEYWORDS + MAKING, ids=name_of)
def test_a_function_takes_torchs_keywords(entry, torch):
    name, keywords = entry
    agree(look_up(sg, name)(**given(sg.tensor, keywords)), look_up(torch, name)(**given(torch.tensor, keywords)))


@pytest.mark.parametrize("entry", SHAPED, ids=name_of)
def test_what_makes_random_tensors_takes_torchs_keywords(entry, torch):
    name, keywords = entry
    found = getattr(sg, name)(**given(sg.tensor, keywords))
    assert found.shape == tuple(getattr(torch, name)(**given(torch.tensor, keywords)).shape)


@pytest.mark.parametrize("entry", METHODS, ids=name_of)
def test_a_method_takes_torchs_keywords(entry, torch):
    name, data, keywords = entry
    found = getattr(sg.tensor(data), name)(**given(sg.tensor, keywords))
    agree(found, getattr(torch.tensor(data), name)(**given(torch.tensor, keywords)))


def test_every_function_is_called_by_keywords_here():
    called = {name for name, _ in KEYWORDS}
    for module, prefix in [(sg.functions, ""), (sg.linalg, "linalg."), (sg.special, "special."),
                           (sg.nn.functional, "nn.functional.")]:  # fmt: skip
        names = [n for n in module.__all__ if not n.endswith("_")]  # those have the keywords of the function without _
        functions = {prefix + n for n in names if not isinstance(getattr(module, n), type)}
        functions -= {f"special.{n}" for n in FOUND}  # SciPy takes no keywords: test_scipy_special.py
        assert functions - called - NO_KEYWORDS - OF_OTHERS == set()
