"""The neighbours' names: what PyTorch's, JAX's, NumPy's, SciPy's and SymPy's are called here, or why they are not here.

One table answers for every module and for tensors: an attribute that does not exist is looked up by its name.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

# Write this instead; "lax.round" is the name in one module alone.
_TWINS = {
    # PyTorch
    "distributions": "sg.stats, as in sg.stats.norm(1.0, 2.0).logpdf(x)",
    "sparse": "sg.sparse_jacobian(f)(x)",
    "sparse_coo_tensor": "sg.sparse_jacobian(f)(x) for sparse derivatives, and dense tensors otherwise",
    "onnx": 'sg.export(f, (x,), target="torch")', "fx": "sg.graph(f, at=x)", "export_graph": "sg.graph(f, at=x)",
    "functorch": "sg.func", "tensordict": "a dict of tensors", "typename": "type(x).__name__",
    "set_default_tensor_type": "sg.set_default_dtype(sg.float32)", "range": "sg.arange(start, end)",
    "gradcheck": "sg.autograd.gradcheck(f, x)", "symeig": "sg.linalg.eigh(A)",
    "solve": "sg.linalg.solve(A, b) for A x = b, or sg.root(f, x0) for f(x) = 0",
    "svd": "sg.linalg.svd(A)", "qr": "sg.linalg.qr(A)", "lu": "sg.linalg.lu(A)", "byte": "x.to(sg.uint8)",
    "char": "x.to(np.int8)", "fill_diagonal_": "x.diagonal().fill_(0)", "histogram": "sg.histogram(x, bins)",
    **dict.fromkeys(("apply_", "map_", "map2_"), "x.copy_(f(x))"), "as_strided_": "x.as_strided(size, stride)",
    "const_data_ptr": "x.numpy(), a copy: tensors have no address", "storage_type": "x.numpy()",
    "dim_order": "x.numpy().strides", "grad_dtype": "x.dtype", "hash_tensor": "hash(x.numpy().tobytes())",
    **dict.fromkeys(("ipu", "mtia", "xpu", "to_mkldnn", "record_stream"), "x as it is: all is on the CPU"),
    **dict.fromkeys(("is_distributed", "is_ipu", "is_maia"), "False: all is on the CPU"),
    **dict.fromkeys(("igamma", "igamma_"), "sg.special.gammainc(a, x)"),
    **dict.fromkeys(("igammac", "igammac_"), "sg.special.gammaincc(a, x)"),
    "is_set_to": "x is y", "module_load": "x.data = y", "new": "x.new_tensor(values)",
    "volatile": "sg.no_grad()",
    "new_empty_strided": "sg.empty(2, 3)", "nextafter_": "x.copy_(np.nextafter(x.numpy(), y.numpy()))",
    "reinforce": "(-log_probability * reward).backward()", "slice_inverse": "y.slice_scatter(x, 0, start, end)",
    "to_padded_tensor": "sg.nn.utils.rnn.pad_sequence(tensors)",
    "lstsq": "sg.linalg.lstsq(A, b)", "eig": "sg.linalg.eig(A)", "storage": "x.numpy()",
    "untyped_storage": "x.numpy()", "data_ptr": "x.numpy(), a copy: tensors have no address",
    "share_memory_": "x as it is", "stride": "x.numpy().strides", "storage_offset": "x.numpy()", "names": "x.name",
    "unsafe_chunk": "x.chunk(n)", "tensor_split_with_sizes": "x.split(sizes)", "svd_lowrank": "sg.linalg.svd(A)",
    "pca_lowrank": "sg.linalg.svd(X - X.mean(0))", "is_storage": "isinstance(x, sg.Tensor)",
    "DataFrame": "sg.tensor(frame.to_numpy())", "Module": "sg.nn.Module", "data": "sg.utils.data",
    "warn_always": "warnings.simplefilter", "set_warn_always": "warnings.simplefilter",
    "profiler": "cProfile, or sg.compile(f) and a clock", "tensorboard": "tensorboardX, or matplotlib's plots",
    "collect_env": "sg.__version__", "cpp_extension": 'sg.export(f, (x,), target="c")', "script": "sg.compile(f)",
    "trace_module": "sg.compile(f)", "ScriptModule": "sg.compile(model)", "dynamo": "sg.compile(f)",
    "set_detect_anomaly_mode": "sg.autograd.set_detect_anomaly(True)", "profile": "cProfile",
    "grad_mode": "sg.no_grad()", "SparseAdam": "sg.optim.Adam(params)",
    "DataParallel": "the model as it is; sg.distributed.value_and_grad sums over data in processes",
    "DistributedDataParallel": "sg.distributed.value_and_grad(loss)", "DistributedSampler": "sg.distributed",
    "prune": 'sg.nn.utils.parametrize.register_parametrization(layer, "weight", masks)',
    "skip_init": "the layer's class: sg.nn.Linear(3, 2)", "stateless": "sg.func.functional_call(model, tensors, (x,))",
    **dict.fromkeys(("linear_cross_entropy", "LinearCrossEntropyLoss"), "sg.nn.Linear and sg.nn.CrossEntropyLoss"),
    "SyncBatchNorm": "sg.nn.BatchNorm1d, BatchNorm2d or BatchNorm3d", "CrossMapLRN2d": "sg.nn.LocalResponseNorm(size)",
    **dict.fromkeys(("UninitializedParameter", "UninitializedBuffer"), "sg.nn.LazyLinear(2), or another lazy module"),
    "Container": "sg.nn.ModuleList", "parallel": "sg.distributed", "RNNCellBase": "sg.nn.RNNCell, LSTMCell or GRUCell",
    "NLLLoss2d": "sg.nn.NLLLoss()", "quantizable": "sg.nn, without quantized layers",
    "BufferDict": "a dict of sg.nn.Buffer",
    **dict.fromkeys(("quasirandom", "SobolEngine"), "scipy.stats.qmc.Sobol(3).random(8)"),
    "transfer_parametrizations_and_params": "register_parametrization of the other module, too",
    **dict.fromkeys(("swap_tensors", "swap_in_optimizer_params_and_state"), "x.data = y"),
    **dict.fromkeys(("dlpack", "to_dlpack"), "np.from_dlpack(x), or sg.from_dlpack(a)"),
    "deterministic": "sg.use_deterministic_algorithms(True)", "scalar_tensor": "sg.tensor(2.0)",
    **dict.fromkeys(("set_deterministic_debug_mode", "get_deterministic_debug_mode"), "sg.manual_seed(0)"),
    "is_deterministic_algorithms_warn_only_enabled": "sg.are_deterministic_algorithms_enabled()",
    "frombuffer": "sg.tensor(np.frombuffer(buffer, np.float64))", "from_file": "sg.tensor(np.fromfile(path))",
    "lu_unpack": "sg.linalg.lu(A)",
    "orgqr": "sg.linalg.householder_product(A, tau)", **dict.fromkeys(("geqrf", "ormqr"), "sg.linalg.qr(A)"),
    **dict.fromkeys(("segment_reduce", "as_strided_scatter"), 'x.scatter_reduce(0, index, src, "sum")'),
    "nuclear_norm": 'sg.linalg.matrix_norm(A, "nuc")', "frobenius_norm": "sg.linalg.matrix_norm(A)",
    "norm_except_dim": "sg.linalg.vector_norm(x, dim=(1, 2))", "binomial": "sg.stats.binom(n, p).rvs(3)",
    "is_same_size": "x.shape == y.shape", "is_signed": "x.dtype.kind",
    "constant_pad_nd": "sg.nn.functional.pad(x, (1, 1))",
    **dict.fromkeys(("convolution", "conv_tbc"), "sg.nn.functional.conv1d(x, w)"), "lobpcg": "sg.linalg.eigh(A)",
    **dict.fromkeys(("empty_permuted", "empty_strided"), "sg.empty(2, 3)"), "fill": "sg.full_like(x, 2.0)",
    **dict.fromkeys(("nonzero_static", "nonzeros"), "x.nonzero()"), "masked": "sg.where(mask, x, 0.0)",
    **dict.fromkeys(("rnn_relu", "rnn_tanh"), "sg.nn.RNN"), "grid_sampler": "sg.nn.functional.grid_sample(x, grid)",
    **dict.fromkeys(("rnn_relu_cell", "rnn_tanh_cell"), "sg.nn.RNNCell"),
    "embedding_renorm_": "sg.nn.Embedding(max_norm=1.0)",
    "affine_grid_generator": "sg.nn.functional.affine_grid(theta, size)", "unsafe_split": "x.split(sizes)",
    "unsafe_split_with_sizes": "x.split(sizes)", "classes": "sg.compile(f)", "cpu": "x as it is: all is on the CPU",
    **dict.fromkeys(("fork", "wait", "futures", "Future"), "concurrent.futures of Python"),
    "nested": "a list of tensors",
    "jagged": "sg.nn.utils.rnn.pad_sequence(tensors)",
    "overrides": "a function of your own: tensors have no subclasses",
    **dict.fromkeys(("get_device_module", "Stream", "Event"), "sg.cuda.is_available(), which is False"),
    **dict.fromkeys(("Storage", "StorageBase"), "x.numpy()"), "version": "sg.__version__",
    "torch_version": "sg.__version__",
    "serialization": "sg.save and sg.load", "package": "sg.save(model.state_dict(), path)",
    "OutOfMemoryError": "MemoryError", "memory_format": "sg.channels_last", "layout": "sg.strided",
    **dict.fromkeys(("rearrange", "einops"), "x.permute(0, 2, 1) and x.reshape(n, -1)"),
    **dict.fromkeys(("CheckpointError", "CheckpointFunction"), "sg.checkpoint(f)"),
    **dict.fromkeys(
        ("CheckpointPolicy", "create_selective_checkpoint_contexts", "SelectiveCheckpointContext"),
        "sg.checkpoint on each function whose values are computed again",
    ),
    "replace_all_batch_norm_modules_": "sg.func.replace_all_batch_norm_modules_(model)",
    "debug_unwrap": "x as it is", "NestedIOFunction": "sg.autograd.Function",
    **dict.fromkeys(("has_lapack", "has_mkl", "has_openmp", "has_spectral"), "np.show_config()"),
    **dict.fromkeys(("compiled_with_cxx11_abi", "is_vulkan_available"), "sg.__version__"),
    # JAX
    "numpy": "NumPy's functions, which take tensors: np.sin(x)",
    "jnp": "NumPy's functions, which take tensors: np.sin(x)", "pmap": "sg.vmap(f), or sg.distributed",
    "jax": "sg itself: import symgrad as jax", "make_jaxpr": "sg.graph(f, at=x)",
    "PRNGKey": "sg.random.PRNGKey(0)",
    **{f"random.{name}": "the quantiles of uniform numbers, as in sg.stats.gamma(2.0).ppf(sg.random.uniform(key))"
       for name in ("beta", "cauchy", "chisquare", "gamma", "laplace", "poisson", "t", "truncated_normal")},
    "key": "sg.random.key(0)", "device_put": "sg.tensor(x)", "device_get": "x.numpy()",
    "config": "sg.set_default_dtype(sg.float32)",
    "scipy": "sg.special, sg.stats, sg.linalg and sg.optim",
    "debug": "print(x)", "named_call": "f as it is", "disable_jit": "f without sg.compile", "Array": "sg.Tensor",
    "experimental": "sg.odeint", "while": "sg.while_loop", "fori": "sg.fori_loop",
    "dynamic_slice": "x.narrow(0, start, length)", "dynamic_update_slice": "x.at[start:stop].set(values)",
    "pure_callback": "sg.autograd.Function", "flax": "sg.nn", "custom_gradient": "sg.custom_vjp",
    "optax": "sg.optim", "eval_shape": "f(x).shape", "closure_convert": "f as it is",
    "linear_transpose": "sg.vjp(f, x)[1], which returns a tuple", "named_scope": "the block as it is",
    **dict.fromkeys(("clear_caches", "effects_barrier", "ensure_compile_time_eval"), "the program without it"),
    **dict.fromkeys(("devices", "local_devices", "default_backend"), "sg.device(), the CPU"),
    **dict.fromkeys(("device_count", "local_device_count"), "1, the CPU"),
    "initializers": "sg.nn.init, or sg.randn(3, 2) / 3**0.5 for weights of a function", "identity": "lambda x: x",
    "nn.gelu": "sg.nn.functional.gelu(x), with approximate='tanh' for jax.nn.gelu's default",
    "dot_product_attention": "sg.nn.functional.scaled_dot_product_attention, whose heads are the axis before tokens",
    **dict.fromkeys(("map_with_path", "tree_map_with_path", "leaves_with_path", "tree_leaves_with_path",
                     "flatten_with_path", "tree_flatten_with_path"), "sg.tree.map(f, tree, tree_of_names)"),
    **dict.fromkeys(("register_pytree_node", "register_pytree_node_class", "register_dataclass", "register_static"),
                    "a dataclass, which is a structure of its fields without being registered"),
    "Partial": "functools.partial(f, x)", "tree_multimap": "sg.tree.map(f, tree, other)",
    "fold_in": "sg.random.fold_in(key, k)",
    # jax.lax
    "conv_general_dilated": "sg.nn.functional.conv2d(x, w, stride, padding, dilation), or conv1d, conv3d",
    "conv": "sg.nn.functional.conv2d(x, w)", "custom_linear_solve": "sg.linalg.solve(A, b)",
    "reduce_window": "sg.nn.functional.max_pool2d or avg_pool2d", "lax.gather": "x[i], or sg.gather(x, dim, index)",
    "lax.scatter": "x.at[i].set(v), or sg.scatter(x, dim, index, v)", "scatter_mul": "x.at[i].multiply(v)",
    "scatter_min": "x.at[i].min(v)", "scatter_max": "x.at[i].max(v)",
    "lax.reduce": "sg.sum(x, 0), sg.prod or sg.amax, or sg.tree.reduce for structures",
    "lax.round": "sg.round(x), whose halves go to the even neighbour",
    **dict.fromkeys(("psum", "pmean", "pmax", "pmin", "all_gather", "axis_index"),
                    "sg.sum, sg.mean or sg.amax of what sg.vmap(f) returns"),
    "nextafter": "np.nextafter(x.numpy(), y.numpy())", "conv_transpose": "sg.nn.functional.conv_transpose2d(x, w)",
    "reduce_and": "sg.all(x, 0)", "reduce_or": "sg.any(x, 0)", "optimization_barrier": "x as it is",
    **dict.fromkeys(("approx_max_k", "approx_min_k"), "sg.topk(x, k), or its largest=False"),
    **dict.fromkeys(("Precision", "DotAlgorithm", "default_matmul_precision"), "the function without it"),
    **dict.fromkeys(("conv_with_general_padding", "conv_general_dilated_local"), "sg.nn.functional.conv2d(x, w)"),
    "enable_x64": "float64 as it is, or sg.set_default_dtype(sg.float32)", "new_ref": "a tensor, and x[i] = value",
    **dict.fromkeys(("debug_nans", "debug_infs"), "sg.autograd.detect_anomaly()"),
    **dict.fromkeys(("shard_map", "smap", "make_mesh", "set_mesh", "NamedSharding", "reshard"),
                    "sg.distributed.value_and_grad(loss), which sums over data in processes"),
    # HIPS autograd
    "elementwise_grad": "sg.grad(lambda x: f(x).sum())", "egrad": "sg.grad(lambda x: f(x).sum())",
    "grad_and_aux": "sg.grad(f, has_aux=True)", "holomorphic_grad": "sg.grad(f, holomorphic=True)",
    "deriv": "sg.grad(f)", "multigrad_dict": "sg.grad(f, argnums=(0, 1))", "grad_named": "sg.grad(f, argnums=1)",
    "make_vjp": "sg.vjp(f, x), which returns f(x) and the function of v", "make_jvp": "sg.jvp(f, (x,), (v,))",
    **dict.fromkeys(("make_hvp", "hessian_vector_product", "hessian_tensor_product"), "sg.hvp(f, x, v)"),
    **dict.fromkeys(("vector_jacobian_product", "tensor_jacobian_product"), "sg.vjp(f, x)[1](v)"),
    **dict.fromkeys(("make_ggnvp", "ggnvp"), "sg.vjp and sg.jvp"), "checkpoint_policies": "sg.checkpoint(f)",
    **dict.fromkeys(("primitive", "defvjp", "defjvp", "extend", "defvjp_argnum", "defjvp_argnum"),
                    "sg.custom_vjp, or sg.autograd.Function"),
    "misc": "sg.flatten_util.ravel_pytree, and sg.optim", "flatten_func": "sg.flatten_util.ravel_pytree(tree)",
    **dict.fromkeys(("test_util", "check_grads", "check_vjp"), "sg.autograd.gradcheck(f, x)"),
    # NumPy
    "array": "sg.tensor", "ndarray": "sg.Tensor", "concat_arrays": "sg.cat", "float_": "sg.float64",
    "int_": "sg.int64", "arange_like": "sg.arange", "zeros_": "sg.zeros", "dtype": "x.dtype",
    "vectorize": "sg.vmap(f)", "apply_along_axis": "sg.vmap(f)", "polyfit": "sg.linalg.lstsq(sg.linalg.vander(x), y)",
    "ptp": "x.amax() - x.amin()", "issubdtype": "np.issubdtype", "itemset": "x[i] = value",
    "tostring": "x.numpy().tobytes()", "tobytes": "x.numpy().tobytes()", "flat": "x.flatten()",
    "strides": "x.numpy().strides", "flags": "x.numpy().flags", "savez": "sg.save",
    "loadtxt": "sg.tensor(np.loadtxt(path))",
    # SciPy
    "integrate": "sg.quad(f, a, b), or sg.odeint for differential equations", "optimize": "sg.optim.minimize(f, x0)",
    "interpolate": "sg.interp, or sg.nn.functional.interpolate for images",
    "oaconvolve": "sg.signal.fftconvolve(x, k)", "interp1d": "sg.interp(x, xp, fp)",
    "nquad": "sg.dblquad, or sg.quad of sg.quad", "tplquad": "sg.quad of sg.dblquad", "fsolve": "sg.root(f, x0)",
    "brentq": "sg.root(f, x0)",
    "fmin_bfgs": "sg.optim.minimize(f, x0)", "minimize_scalar": "sg.optim.minimize(f, x0)",
    "ode": "sg.odeint(f, y0, t)", "cumtrapz": "sg.cumulative_trapezoid(y, x)", "approx_fprime": "sg.grad(f)(x)",
    "check_grad": "sg.autograd.gradcheck(f, x)", "sparse_matrix": "sg.sparse_jacobian",
    "differential_evolution": "sg.optim.minimize(f, x0) from several x0", "rv_continuous": "sg.stats' distributions",
    "simps": "sg.simpson(y, x)", "romb": "sg.simpson(y, dx=h)", "schur": "sg.linalg.eigh(A) or sg.linalg.eig(A)",
    "cho_factor": "sg.linalg.cho_factor(A)", "cho_solve": "sg.linalg.cho_solve((c, lower), b)",
    "null_space": "sg.linalg.svd(A).Vh[rank:].mH", "orth": "sg.linalg.svd(A).U[:, :rank]",
    "dct": "scipy.fft.dct(np.eye(n), axis=0) @ x, which is linear in x",
    "idct": "scipy.fft.idct(np.eye(n), axis=0) @ x, which is linear in x",
    "dst": "scipy.fft.dst(np.eye(n), axis=0) @ x, which is linear in x",
    "idst": "scipy.fft.idst(np.eye(n), axis=0) @ x, which is linear in x",
    "savgol_filter": "sg.signal.convolve(x, scipy.signal.savgol_coeffs(5, 2))",
    **dict.fromkeys(("firwin", "firwin2", "remez"), "scipy.signal's taps in sg.signal.convolve(x, taps)"),
    **dict.fromkeys(("butter", "cheby1", "ellip", "bessel"), "scipy.signal's b and a in sg.signal.lfilter(b, a, x)"),
    **dict.fromkeys(("filtfilt", "sosfilt"), "sg.signal.lfilter(b, a, x)"),
    "hilbert": "sg.fft.ifft of sg.fft.fft(x) without the negative frequencies",
    "pearsonr": "sg.corrcoef(sg.stack([x, y]))[0, 1]", "linregress": "sg.linalg.lstsq(A, y)",
    "gaussian_kde": "sg.logsumexp(sg.stats.norm.logpdf(x[:, None], data, h), 1)", "zscore": "(x - x.mean()) / x.std()",
    **dict.fromkeys(("ttest_1samp", "ttest_ind", "ttest_rel"), "scipy.stats on x.detach().numpy(), or sg.stats.t"),
    "root_scalar": "sg.root(f, x0)", "bisect": "sg.root(f, x0)",
    "leastsq": "sg.optim.least_squares(f, x0)",
    **dict.fromkeys(("RK45", "RK23", "DOP853", "BDF", "Radau", "LSODA", "OdeSolver", "complex_ode"),
                    'sg.solve_ivp(f, (t0, t1), y0, method="BDF")'),
    **dict.fromkeys(("quad_vec", "fixed_quad", "tanhsinh", "cubature"), "sg.quad(f, a, b)"),
    **dict.fromkeys(("splev", "splrep", "BSpline", "InterpolatedUnivariateSpline", "pchip_interpolate"),
                    "sg.CubicSpline(x, y)(points)"),
    **dict.fromkeys(("PchipInterpolator", "UnivariateSpline", "make_interp_spline"), "sg.CubicSpline(x, y)"),
    # SymPy, CasADi, MATLAB
    "symbols": 'sg.symbol("x", "n"), once for each letter', "Symbol": 'sg.symbol("x")',
    "limit": "sympy.limit of SymPy's expressions", "evalf": "sg.derive(y, x)(2.0), a number",
    "subs": "sg.derive(y, x).subs(x, 2), or call a function at 2.0",
    "sympify": 'sg.parse("x**2", {"x": ()})',
    "simplify": 'sg.derive("x**2", "x"), which is simplified', "lambdify": "sg.derive(…).lambdify()",
    "Matrix": 'sg.symbol("A", ("n", "n"))', "latex": "sg.derive(…).latex()", "Derivative": 'sg.derive("x**2", "x")',
    "diff_expr": 'sg.derive("x**2", "x")', "Function": "sg.autograd.Function", "SX": 'sg.symbol("x", 3)',
    "MX": 'sg.symbol("x", 3)', "gradient_of": "sg.grad(f)", "derivative": 'sg.grad(f)(x), or sg.derive("x**2", "x")',
    "differentiate": 'sg.grad(f)(x), or sg.derive("x**2", "x")', "partial": "sg.grad(f, argnums=1)(x, y)",
    "jac": "sg.jacobian(f)(x)", "gradients": "sg.grad(f)(x)", "GradientTape": "x.requires_grad_() and y.backward()",
    "constant": "sg.tensor(x)", "placeholder": 'sg.symbol("x", "n")', "function": "sg.compile(f)", "keras": "sg.nn",
    "reduce_sum": "sg.sum(x)", "reduce_mean": "sg.mean(x)", "cast": "x.to(sg.float32)", "train": "a loop of your own",
    "fit": "a loop of your own, or sg.optim.minimize(loss, x0)", "plt": "matplotlib", "show": "print(x)",
    "ln": "sg.log(x)", "arcsec": "sg.acos(1 / x)", "sec": "1 / sg.cos(x)", "csc": "1 / sg.sin(x)",
    "cot": "1 / sg.tan(x)", "length": "len(x)", "eval": 'sg.parse(text, {"x": ()})',
    "append": "sg.cat([x, sg.tensor([value])])",
    "values": "x, or sg.max(x, 0).values", "backwards": "x.backward()", "gradient_": "x.grad", "to_numpy": "x.numpy()",
    "to_list": "x.tolist()", "asnumpy": "x.numpy()", "requires_gradient": "x.requires_grad", "dims": "x.ndim",
    # Keras, and what beginners write
    "Dense": "sg.nn.Linear(inputs, outputs)", "dense": "sg.nn.Linear(inputs, outputs)", "Layer": "sg.nn.Module",
    **dict.fromkeys(("BatchNorm", "BatchNormalization"), "sg.nn.BatchNorm1d, BatchNorm2d or BatchNorm3d"),
    "LayerNormalization": "sg.nn.LayerNorm(sizes)", "Model": "sg.nn.Module, or sg.stats.Model for one of statistics",
    "GlobalAveragePooling2D": "sg.nn.AdaptiveAvgPool2d(1)", "Reshape": "sg.nn.Unflatten(1, sizes)",
    "Concatenate": "sg.cat([x, y], dim=1) in forward", "Add": "x + y in forward",
    "Lambda": "a sg.nn.Module, whose forward calls the function", "Activation": "sg.nn.ReLU(), or another by its name",
    "Attention": "sg.nn.MultiheadAttention(size, heads)",
    "TransformerBlock": "sg.nn.TransformerEncoderLayer(size, heads)",
    "F": "sg.nn.functional", "functional": "sg.nn.functional", "MSE": "sg.nn.MSELoss()", "MAE": "sg.nn.L1Loss()",
    "BinaryCrossEntropy": "sg.nn.BCELoss()", "mse": "sg.nn.functional.mse_loss",
    **dict.fromkeys(("bce", "bce_loss"), "sg.nn.functional.binary_cross_entropy"), "nll": "sg.nn.functional.nll_loss",
    "Momentum": "sg.optim.SGD(params, lr=0.1, momentum=0.9)",
    "gradient_descent": "sg.optim.SGD(params, lr=0.1), or sg.optim.minimize(f, x0)",
    "invert": "sg.linalg.inv(A) for a matrix, sg.bitwise_not(x) for bits", "rank": "sg.linalg.matrix_rank(A)",
    "pseudo_inverse": "sg.linalg.pinv(A)", "gradient": "x.grad after y.backward(), or sg.grad(f)(x)",
    "variable": "sg.tensor(x, requires_grad=True)", "from_list": "sg.tensor(values)", "from_array": "sg.tensor(a)",
    **dict.fromkeys(("set_seed", "set_random_seed"), "sg.manual_seed(0)"), "choice": "x[sg.randint(len(x), (n,))]",
    "shuffle": "x[sg.randperm(len(x))]", "size": "x.size()", "shape": "x.shape", "ndim": "x.ndim",
    "variance": "sg.var(x)", "average": "sg.mean(x)", "avg": "sg.mean(x)", "power": "sg.pow(x, k), or x**k",
    "Normal": "sg.stats.norm(1.0, 2.0)", "normal": "sg.normal(0.0, 1.0, (3,)), or sg.stats.norm for the distribution",
    **dict.fromkeys(("save_model", "save", "save_weights"), "sg.save(model.state_dict(), path)"),
    "load_model": "model.load_state_dict(sg.load(path))", "get_weights": "model.state_dict()",
    "optimizers": "sg.optim", "losses": "sg.nn", "layers": "sg.nn, or model.children()", "loss": "sg.nn.MSELoss()",
    "models": "a sg.nn.Module of your own", "tf": "PyTorch's names: sg.tensor, sg.nn, sg.optim",
    "torch": "sg itself: import symgrad as torch", "math": "sg.sin(x)", "plot": "matplotlib's plot(x.detach())",
    "value": "x.item(), or x.detach()", "dot_product": "x.dot(y)", "zero_gradient": "optimizer.zero_grad()",
    **dict.fromkeys(("index", "iloc", "loc"), "x[i]"), "head": "x[:5]", "map": "sg.vmap(f)(x)", "apply": "f(x)",
    "predict": "model(x)", "evaluate": "model.eval() and then model(x)", "summary": "print(model)",
    "compile": "sg.compile(model)", "train_on_batch": "a loop of your own", "trainable_variables": "model.parameters()",
    "count_params": "sum(p.numel() for p in model.parameters())", "backward": "loss.backward()",
    "kernel": "model.weight", **dict.fromkeys(("lr", "learning_rate"), 'optimizer.param_groups[0]["lr"]'),
    "apply_gradients": "optimizer.step()", "update": "optimizer.step()",
    "params": "model.parameters()", "zerograd": "optimizer.zero_grad()",
}  # fmt: skip

# It is not here, for this reason.
_ABSENT = {
    "_version": "tensors are values: what a derivative needs is never overwritten",
    "increment_version": "tensors are values: what a derivative needs is never overwritten",
    "functionalize": "tensors are values, so that every function is functional; use f as it is",
    "set_multithreading_enabled": "a sweep runs in the thread that calls it; use sg.set_num_threads",
    "bfloat16": "NumPy has no bfloat16; use sg.float32 or sg.float16",
    **dict.fromkeys(
        ("autocast", "amp", "GradScaler"), "numbers keep the precision that they have; choose it by x.to(sg.float32)"
    ),
    **dict.fromkeys(("datasets", "transforms"), "data sets are those of torchvision or scikit-learn, as arrays"),
    "Input": "a model takes its input as it comes; give the first layer the number of its inputs",
    "gpu": "symgrad computes on the CPU",
    "Lion": "use sg.optim.AdamW(params)",
    **dict.fromkeys(
        ("set_", "resize_", "resize_as_", "resize", "resize_as"),
        "tensors are values, and do not expose their memory; assign a new tensor",
    ),
    **dict.fromkeys(("is_conj", "is_neg"), "nothing is lazy: the conjugate and the negative are computed at once"),
    "as_subclass": "tensors have no subclasses; use x as it is",
    "is_inference": "tensors of inference_mode are ordinary ones, of which x.is_inference() is False",
    "set_flush_denormal": "NumPy keeps subnormal numbers; write x[abs(x) < 1e-300] = 0",
    **dict.fromkeys(
        ("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"),
        "NumPy chooses how arrays are in memory; leave it out",
    ),
    "hub": "there are no pretrained models; load the weights by model.load_state_dict",
    "multiprocessing": "use Python's multiprocessing, whose processes may use symgrad",
    **dict.fromkeys(("quantization", "quantize_per_tensor", "ao"), "there are no quantized tensors; use sg.float16"),
    **dict.fromkeys(
        ("to_sparse", "to_dense", "coalesce"), "tensors are dense; sg.sparse_jacobian returns SciPy's arrays"
    ),
    **dict.fromkeys(("register_fake", "library", "ops"), "write an operation as an sg.autograd.Function"),
    "torchvision": "data and models of images are torchvision's; turn its tensors into arrays by .numpy()",
}

# What is like many others: names by their pattern, and the sentence that answers, in which \\1 is what is in brackets.
_FAMILIES = {
    r"(?:cudnn|miopen|mkldnn|mps|xpu|mtia|native)_(.+)": ": symgrad computes with NumPy on the CPU; use \\1",
    r".*(?:quant|per_channel|per_tensor|qscheme|fbgemm).*|q_.+|q[Uu]?int.*|QU?Int.*|qat|intrinsic|int_repr":
        ": there are no quantized tensors; use sg.float16",
    r"sparse_.+|.*(?:_|^)(?:sp|hsp|ds|s|hs|ssp)a?d*mm|.*indices_copy|to_sparse_.+|as_sparse_.+|smm"
    r"|resize_as_sparse_|(?:c?col_|crow_|row_)?indices|(?:dense|sparse)_dim|is_coalesced":
        ": tensors are dense; sg.sparse_jacobian returns SciPy's arrays",
    r".*autocast.*": ": numbers keep the precision that they have; choose it by x.to(sg.float32)",
    r"(.+)_copy": ". Use sg.\\1, whose result is a copy",
    r"sym_.+|Sym[A-Z].+": ". Sizes that are names are SymPy's integers; use these as they are",
    r".+Storage|float[48]_.+|bits\d+|bits\dx\d|u?int[1-7]|uint(?:16|32|64)|chalf|complex32|BFloat16.+":
        ". Use a dtype that sg has: bool, uint8, int8 to int64, float16 to float64, complex64 and complex128",
    r"Script.+|.*Type|jit.*|JIT.+|CompilationUnit|import_ir_.+|parse_.+": ": there is no TorchScript; use sg.compile",
    r"fuse_.+": ": layers are not fused; sg.compile(model) joins their operations",
    r"upsample_(?:nearest|bilinear)": ". Use sg.nn.functional.interpolate(x, scale_factor=2, mode=\"nearest\")",
    r"(.+)_with_indices": ". Use sg.nn.functional.\\1(x, 2, return_indices=True)",
    r".*(?:DataPipe|datapipe).*": ". Use sg.utils.data.IterableDataset",
    r"(?:is_|set_|)warn_always.*": ". Use warnings.simplefilter",
    r"(?:get|set|init)_num_(?:interop_)?threads": ". Use sg.set_num_threads(n) and sg.get_num_threads()",
}  # fmt: skip

# Arguments by name, and what to write for them.
_KEYWORDS = {
    **dict.fromkeys(("size_average", "reduce"), 'Write reduction="mean", "sum" or "none" for it'),
    **dict.fromkeys(
        ("layout", "memory_format", "pin_memory", "non_blocking", "driver", "compute_mode", "device"),
        "Leave it out: arrays are NumPy's, on the CPU",
    ),
    **dict.fromkeys(("pickle_protocol", "pickle_module", "mmap"), "Leave it out: files are of arrays, not of pickles"),
    "recompute_scale_factor": "Pass size= with the sizes of the result",
}

# What only tensors have of these families.
_OF_TENSORS = (
    "ccol_indices", "chalf", "col_indices", "crow_indices", "dense_dim", "dequantize", "indices", "int_repr",
    "is_coalesced", "q_per_channel_axis", "q_per_channel_scales", "q_per_channel_zero_points", "q_scale",
    "q_zero_point", "qscheme", "resize_as_sparse_", "row_indices", "smm", "sparse_dim", "sparse_mask",
    "sparse_resize_", "sparse_resize_and_clear_", "sspaddmm", "to_sparse_bsc", "to_sparse_bsr", "to_sparse_coo",
    "to_sparse_csc", "to_sparse_csr",
)  # fmt: skip

_ROOMS = (
    "", "nn", "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "optim.swa_utils", "linalg",
    "special", "func", "autograd", "autograd.functional", "autograd.graph", "autograd.forward_ad", "fft", "signal",
    "stats", "utils.data", "utils.checkpoint", "lax", "tree", "testing",
)  # fmt: skip


_SCIPYS = {**{room: room for room in ("fft", "linalg", "signal", "special", "stats")}, "optim": "optimize"}


def instead(name: str, module: str = "symgrad") -> str:
    """Return the sentence that says what to use for a name that a module lacks; nothing where none is known."""
    own = module.removeprefix("symgrad").removeprefix(".")
    there = next((room for room in _places(name) if room != own), None)
    own_words = f". Use {_TWINS[f'{own}.{name}']}" if f"{own}.{name}" in _TWINS else sentence(name)
    if own_words or there is None:
        return own_words or _method(name) or _scipys(own, name) or _family(name)
    return _method(name) or _use(there, name)


def twin_of_scipys(place: str, name: str) -> str:
    """Return the sentence for a function of a module of SciPy's: its twin here; nothing where there is none."""
    room = next((room for room, theirs in _SCIPYS.items() if theirs == place), "")
    if name in _names(room):
        return _use(room, name).removeprefix(". ") + "."
    advice = instead(name, f"symgrad.{room}").removeprefix(". ")
    return "" if advice.startswith("Call ") or not advice else f"{advice}."


def _scipys(room: str, name: str) -> str:
    """Return the sentence for a function of SciPy's that has no twin; nothing for other names, or without SciPy."""
    theirs = f"scipy.{_SCIPYS.get(room)}"
    try:
        known = room in _SCIPYS and name in importlib.import_module(theirs).__all__
    except ImportError:
        return ""
    return f". Call {theirs}.{name} on x.detach().numpy(): it has no derivative here" if known else ""


def _method(name: str) -> str:
    """Return the sentence that names the method of tensors, or the option ``inplace``, for a function of no module."""
    tensor = _module("").Tensor
    if name in dir(tensor) and not any(name in _names(room) for room in _ROOMS if room != "tree"):
        return f". Use x.{name}{'(…)' if callable(getattr(tensor, name)) else ''}"
    if name.endswith("_") and name[:-1] in _names("nn.functional"):
        return f". Use sg.nn.functional.{name[:-1]}(x, inplace=True)"
    return ""


def _family(name: str) -> str:
    """Return the sentence for all names like this one."""
    for pattern, says in _FAMILIES.items():
        match = re.fullmatch(pattern, name)
        if match:
            return match.expand(says)
    return ""


def option(name: str) -> str:
    """Return the sentence that says what to write for an argument of the neighbours' functions."""
    return f" {_KEYWORDS[name]}." if name in _KEYWORDS else ""


def misspelt(name: str) -> str:
    """Return the sentence that names the nearest of all modules' names; nothing where none is near."""
    import difflib  # for errors only: others start sooner without it

    places = {other: room for room in reversed(_ROOMS) for other in _names(room)}
    same = [other for other in places if folded(other) == folded(name)]
    return next((_use(places[k], k) for k in same or difflib.get_close_matches(name, places, 1, 0.8)), "")


def folded(name: str) -> str:
    """Return a name without what is easily mistaken in it: capitals and underscores."""
    return name.lower().replace("_", "")


def _use(room: str, name: str) -> str:
    return f". Use sg.{room}.{name}" if room else f". Use sg.{name}"


def sentence(name: str) -> str:
    """Return what the table says of a name."""
    if name in _TWINS:
        return f". Use {_TWINS[name]}"
    return f": {_ABSENT[name]}" if name in _ABSENT else ""


def _places(name: str) -> Iterator[str]:
    """Yield the modules of symgrad's that have the name."""
    for room in _ROOMS:
        if name in _names(room) and not isinstance(getattr(_module(room), name), ModuleType):
            yield room  # fft is a module at the top, and a function in it


def _names(room: str) -> Iterable[str]:
    return getattr(_module(room), "__all__", ())


def _module(room: str) -> Any:
    module: Any = sys.modules.get("symgrad")
    for part in filter(None, room.split(".")):
        module = getattr(module, part) if part in dir(module) else None
    return module


class Missing:
    """An attribute that tensors lack: reading it says what to use instead.

    ``__getattr__`` would say so too, but a class that has one reads all its attributes by a third more slowly.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, owner: Any = None) -> Any:
        why = sentence(self.name) or _family(self.name)
        raise AttributeError(f"'Tensor' object has no attribute {self.name!r}{why}", name=self.name)


class WithMissing(type):
    """A class with attributes that are missing, which ``dir`` does not list."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if not _is_missing(cls, name)]


def _is_missing(kind: type, name: str) -> bool:
    return any(isinstance(vars(base).get(name), Missing) for base in kind.__mro__)


def answer_for_missing(kind: type) -> None:
    """Give a class an answer to each of the neighbours' names that it does not have."""
    have = set(type.__dir__(kind))
    for name in (*_TWINS, *_ABSENT, *_OF_TENSORS):
        if name not in have and "." not in name:
            setattr(kind, name, Missing(name))
