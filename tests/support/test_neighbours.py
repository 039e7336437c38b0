"""Names of the neighbours that do not exist here: the one sentence that says what to use."""

import importlib.util
import re

import pytest

import symgrad as sg
from symgrad.support.neighbours import _ABSENT, _TWINS

MISTAKES = {
    "sg.integrate": "Use sg.quad(f, a, b)",
    "sg.Adam": "Use sg.optim.Adam",
    "sg.DataLoader": "Use sg.utils.data.DataLoader",
    "sg.cross_entropy": "Use sg.nn.functional.cross_entropy",
    "sg.optim.softmax": "Use sg.softmax",
    "sg.optim.StepLR": "Use sg.optim.lr_scheduler.StepLR",
    "sg.linalg.sin": "Use sg.sin",
    "sg.nn.functional.Linear": "Use sg.nn.Linear",
    "sg.distributions": "Use sg.stats",
    "sg.array": "Use sg.tensor",
    "sg.symbols": "Use sg.symbol",
    "sg.PRNGKey": "Use sg.random.PRNGKey",
    "sg.random.gamma": "Use the quantiles of uniform numbers, as in sg.stats.gamma",
    "sg.fsolve": "Use sg.root",
    "sg.GradientTape": "Use x.requires_grad_()",
    "sg.autocast": "numbers keep the precision",
    "sg.bfloat16": "NumPy has no bfloat16",
    "sg.cuda.Stream": "symgrad computes on the CPU",
    "sg.ones(2).stride()": "Use x.numpy().strides",
    "sg.ones(2).data_ptr()": "Use x.numpy(), a copy",
    "sg.ones(2).to_numpy()": "Use x.numpy()",
    "sg.ones(2).igamma(sg.ones(2))": "Use sg.special.gammainc(a, x)",
    "sg.ones(2).to_sparse_csr()": "tensors are dense",
    "sg.ones(2).q_scale()": "there are no quantized tensors",
    "sg.ones(2).apply_(abs)": "Use x.copy_(f(x))",
    "sg.ones(2).to_sparse()": "tensors are dense",
    "sg.nn.Relu": "Did you mean 'ReLU'?",
    "sg.nn.Dense": "Use sg.nn.Linear(inputs, outputs)",
    "sg.linalg.invert": "Use sg.linalg.inv(A)",
    "sg.linalg.Inv": "Did you mean 'inv'?",
    "sg.sovle": "Use sg.linalg.solve",
    "sg.solve": "or sg.root(f, x0) for f(x) = 0",
    "sg.adam": "Use sg.optim.Adam",
    "sg.ones(2).gradient": "Use x.grad after y.backward()",
    "sg.nn.Linear(1, 1).predict": "Use model(x)",
    "sg.nn.Linear(1, 1).Parameters": "Did you mean 'parameters'?",
    "sg.optim.SGD([sg.ones(1)], lr=0.1).lr": 'Use optimizer.param_groups[0]["lr"]',
    "sg.optim.SGD([sg.ones(1)], lr=0.1).zero_gradient": "Did you mean 'zero_grad'?",
    "sg.ones(2).resize_(3)": "assign a new tensor",
    "sg.detach": "Use x.detach(…)",
    "sg.nn.functional.silu_": "Use sg.nn.functional.silu(x, inplace=True)",
    "sg.nn.init.xavier_uniform": "Did you mean 'xavier_uniform_'?",
    "sg.nn.utils.prune": "Use sg.nn.utils.parametrize.register_parametrization",
    "sg.permute_copy": "Use sg.permute, whose result is a copy",
    "sg.cudnn_convolution": "with NumPy on the CPU; use convolution",
    "sg.sparse_csr_tensor": "tensors are dense",
    "sg.set_autocast_enabled": "numbers keep the precision",
    "sg.qint8": "there are no quantized tensors",
    "sg.uint16": "Use a dtype that sg has",
    "sg.nn.functional.max_pool2d_with_indices": "sg.nn.functional.max_pool2d(x, 2, return_indices=True)",
    "sg.nn.SyncBatchNorm": "Use sg.nn.BatchNorm1d",
    "sg.utils.checkpoint.CheckpointPolicy": "sg.checkpoint on each function",
    "sg.sni": "Did you mean 'sin'?",
    "sg.nn.gelu": "with approximate='tanh' for jax.nn.gelu's default",
    "sg.nn.initializers": "Use sg.nn.init",
    "sg.lax.gather": "Use x[i], or sg.gather(x, dim, index)",
    "sg.lax.round": "whose halves go to the even neighbour",
    "sg.lax.conv_general_dilated": "Use sg.nn.functional.conv2d",
    "sg.tree_util.register_pytree_node_class": "Use a dataclass",
    "sg.make_vjp": "Use sg.vjp(f, x)",
    "sg.shard_map": "Use sg.distributed.value_and_grad(loss)",
    "sg.splev": "Use sg.CubicSpline(x, y)(points)",
    "sg.linalg.schur": "Use sg.linalg.eigh(A)",
    "sg.fft.dct": "scipy.fft.dct(np.eye(n), axis=0) @ x",
    "sg.signal.firwin": "scipy.signal's taps in sg.signal.convolve(x, taps)",
    "sg.stats.ttest_1samp": "scipy.stats on x.detach().numpy()",
    "sg.stats.norm.stats": "symgrad.stats.norm has no method 'stats'. Use mean(…) and var(…).",
    "sg.stats.norm(0.0, 1.0).fit": "Use sg.stats.fit(lambda p: sg.stats.norm(p[0], p[1]), x0, y=data)",
    "sg.stats.poisson.logpdf": "Use pmf(k) or logpmf(k)",
    "sg.stats.norm.meen": "Did you mean 'mean'?",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_name_that_does_not_exist_is_answered_by_what_to_use(line):
    with pytest.raises(AttributeError, match=re.escape(MISTAKES[line])):
        eval(line)


@pytest.mark.parametrize("line", ["sg.stats.mannwhitneyu", "sg.signal.welch", "sg.optim.linprog", "sg.fft.dctn"])
def test_a_function_of_scipys_without_a_twin_is_named(line):
    pytest.importorskip("scipy")
    theirs = line.replace("sg.optim.", "scipy.optimize.").replace("sg.", "scipy.")
    with pytest.raises(AttributeError, match=re.escape(f"Call {theirs} on x.detach().numpy(): it has no derivative")):
        eval(line)


IMPORTS = {
    "from symgrad import pmap": "cannot import name 'pmap' from 'symgrad'. Use sg.vmap(f), or sg.distributed",
    "from symgrad.optim import fsolve": "cannot import name 'fsolve' from 'symgrad.optim'. Use sg.root(f, x0)",
    "from symgrad.nn import Dense": "Use sg.nn.Linear(inputs, outputs)",
    "from symgrad.scipy.special import logsumexp": "Use sg.special, sg.stats, sg.linalg and sg.optim",
    "from symgrad.distributions import Normal": "No module named 'symgrad.distributions'. Use sg.stats, as in",
    "from symgrad.utils.tensorboard import SummaryWriter": "Use tensorboardX, or matplotlib's plots",
    "import symgrad.distributions": "Use sg.stats, as in",
    "from symgrad.lax import psum": "Use sg.sum, sg.mean or sg.amax of what sg.vmap(f) returns",
}


@pytest.mark.parametrize("line", IMPORTS)
def test_an_import_of_a_name_that_does_not_exist_is_answered_alike(line):
    with pytest.raises(ImportError, match=re.escape(IMPORTS[line])):
        exec(line)


def test_finders_are_silent_about_modules_that_nobody_has():
    assert importlib.util.find_spec("symgrad.zzz") is None
    assert importlib.util.find_spec("distributions") is None
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'symgrad.nn.zzz'$"):
        import symgrad.nn.zzz  # noqa: F401


def test_each_method_of_pytorchs_tensors_is_there_or_answered():
    x = sg.ones(2)
    for name in dir(pytest.importorskip("torch").Tensor):
        if not name.startswith("_") and name not in dir(x):
            with pytest.raises(AttributeError, match=rf"no attribute '{name}'[.:] \w"):
                getattr(x, name)


def test_each_name_in_the_table_is_missing_from_modules_or_from_tensors():
    assert [name for name in {**_TWINS, **_ABSENT} if name in sg.__all__ and hasattr(sg.Tensor, name)] == []


def test_python_is_answered_briefly():
    for module in (sg, sg.nn, sg.optim):
        with pytest.raises(AttributeError, match=r"no attribute '__\w+__'$"):
            module.__wrapped_by__  # noqa: B018
    assert not hasattr(sg.ones(2), "__array_interface__")


def test_tensors_answer_without_slowing_their_attributes():
    assert "__getattr__" not in {name for base in sg.Tensor.__mro__ for name in vars(base)}
    assert not hasattr(sg.ones(2), "stride")
    assert "stride" not in {*dir(sg.Tensor), *dir(sg.ones(2))}
    assert {"sum", "shape"} <= set(dir(sg.ones(2)))
