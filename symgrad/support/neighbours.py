"""The neighbours' names: what PyTorch's, JAX's, NumPy's, SciPy's and SymPy's are called here, or why they are not here.

One table answers for every module and for tensors: an attribute that does not exist is looked up by its name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

# Write this instead.
_TWINS = {
    # PyTorch
    "distributions": "sg.stats, as in sg.stats.norm(1.0, 2.0).logpdf(x)",
    "random": "sg.manual_seed(0) and sg.randn(3)", "sparse": "sg.sparse_jacobian(f)(x)",
    "sparse_coo_tensor": "sg.sparse_jacobian(f)(x) for sparse derivatives, and dense tensors otherwise",
    "onnx": 'sg.export(f, (x,), target="torch")', "fx": "sg.graph(f, at=x)", "export_graph": "sg.graph(f, at=x)",
    "functorch": "sg.func", "tensordict": "a dict of tensors", "typename": "type(x).__name__",
    "set_default_tensor_type": "sg.set_default_dtype(sg.float32)", "range": "sg.arange(start, end)",
    "gradcheck": "sg.autograd.gradcheck(f, x)", "symeig": "sg.linalg.eigh(A)", "solve": "sg.linalg.solve(A, b)",
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
    # JAX
    "numpy": "NumPy's functions, which take tensors: np.sin(x)",
    "jnp": "NumPy's functions, which take tensors: np.sin(x)", "pmap": "sg.vmap(f), or sg.distributed",
    "make_jaxpr": "sg.graph(f, at=x)", "PRNGKey": "sg.Generator().manual_seed(0)",
    "key": "sg.Generator().manual_seed(0)", "device_put": "sg.tensor(x)", "device_get": "x.numpy()",
    "block_until_ready": "x as it is: nothing runs behind", "config": "sg.set_default_dtype(sg.float32)",
    "tree_util": "sg.tree_map and sg.tree", "scipy": "sg.special, sg.stats, sg.linalg and sg.optim",
    "debug": "print(x)", "named_call": "f as it is", "disable_jit": "f without sg.compile", "Array": "sg.Tensor",
    "experimental": "sg.odeint", "while": "sg.while_loop", "fori": "sg.fori_loop",
    "dynamic_slice": "x.narrow(0, start, length)", "dynamic_update_slice": "x.at[start:stop].set(values)",
    "pure_callback": "sg.autograd.Function", "flax": "sg.nn", "custom_gradient": "sg.custom_vjp",
    "elementwise_grad": "sg.vmap(sg.grad(f))", "optax": "sg.optim",
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
    "root_scalar": "sg.root(f, x0)", "brentq": "sg.root(f, x0)",
    "fmin_bfgs": "sg.optim.minimize(f, x0)", "minimize_scalar": "sg.optim.minimize(f, x0)",
    "ode": "sg.odeint(f, y0, t)", "cumtrapz": "sg.cumulative_trapezoid(y, x)", "approx_fprime": "sg.grad(f)(x)",
    "check_grad": "sg.autograd.gradcheck(f, x)", "sparse_matrix": "sg.sparse_jacobian",
    "differential_evolution": "sg.optim.minimize(f, x0) from several x0", "rv_continuous": "sg.stats' distributions",
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
    "hub": "there are no pretrained models; load the weights by model.load_state_dict",
    "multiprocessing": "use Python's multiprocessing, whose processes may use symgrad",
    **dict.fromkeys(("quantization", "quantize_per_tensor", "ao"), "there are no quantized tensors; use sg.float16"),
    **dict.fromkeys(
        ("to_sparse", "to_dense", "coalesce"), "tensors are dense; sg.sparse_jacobian returns SciPy's arrays"
    ),
    **dict.fromkeys(("register_fake", "library", "ops"), "write an operation as an sg.autograd.Function"),
    "torchvision": "data and models of images are torchvision's; turn its tensors into arrays by .numpy()",
}

_ROOMS = (
    "", "nn", "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "optim.swa_utils", "linalg",
    "special", "func", "autograd", "autograd.functional", "autograd.graph", "autograd.forward_ad", "fft", "signal",
    "stats", "utils.data", "utils.checkpoint", "lax", "tree", "testing",
)  # fmt: skip


def instead(name: str, module: str = "symgrad") -> str:
    """Return the sentence that says what to use for a name that a module lacks; nothing where none is known."""
    own = module.removeprefix("symgrad").removeprefix(".")
    there = next((room for room in _places(name) if room != own), None)
    if there is not None:
        return f". Use sg.{there}.{name}" if there else f". Use sg.{name}"
    return sentence(name)


def sentence(name: str) -> str:
    """Return what the table says of a name."""
    if name in _TWINS:
        return f". Use {_TWINS[name]}"
    return f": {_ABSENT[name]}" if name in _ABSENT else ""


def _places(name: str) -> Iterator[str]:
    """Yield the modules of symgrad's that have the name."""
    for room in _ROOMS:
        module: Any = sys.modules.get("symgrad")
        for part in filter(None, room.split(".")):
            module = getattr(module, part) if part in dir(module) else None
        if module is None or name not in getattr(module, "__all__", ()):
            continue
        if not isinstance(getattr(module, name), ModuleType):  # fft is a module at the top, and a function in it
            yield room


class Missing:
    """An attribute that tensors lack: reading it says what to use instead.

    ``__getattr__`` would say so too, but a class that has one reads all its attributes by a third more slowly.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, owner: Any = None) -> Any:
        raise AttributeError(f"'Tensor' object has no attribute {self.name!r}{sentence(self.name)}", name=self.name)


class WithMissing(type):
    """A class with attributes that are missing, which ``dir`` does not list."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if not _is_missing(cls, name)]


def _is_missing(kind: type, name: str) -> bool:
    return any(isinstance(vars(base).get(name), Missing) for base in kind.__mro__)


def answer_for_missing(kind: type) -> None:
    """Give a class an answer to each of the neighbours' names that it does not have."""
    have = set(type.__dir__(kind))
    for name in {**_TWINS, **_ABSENT}:
        if name not in have:
            setattr(kind, name, Missing(name))
