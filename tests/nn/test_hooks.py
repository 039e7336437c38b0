"""Hooks of modules, beside torch's: when they are called, with what, and what they change."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError


def of_torch():
    return pytest.importorskip("torch")


def plain(x):
    if isinstance(x, (tuple, list)):
        return tuple(map(plain, x))
    return np.round(x.detach().numpy().astype(float), 6).tolist() if hasattr(x, "detach") else x


def model(lib):
    class Scaled(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = lib.nn.Parameter(lib.tensor([2.0, 3.0]))
            self.inner = lib.nn.Identity()

        def forward(self, x, power=1):
            return self.inner(self.w * x) ** power

    return Scaled()


def forward_hooks(lib):
    calls, m = [], model(lib)
    m.register_forward_pre_hook(lambda m, a: calls.append(("pre", plain(a))))
    m.register_forward_pre_hook(lambda m, a, k: ((a[0] + 1,), {**k, "power": 2}), with_kwargs=True)
    m.register_forward_pre_hook(lambda m, a: calls.append(("first", plain(a))), prepend=True)
    m.register_forward_hook(lambda m, a, y: calls.append(("post", plain(a), plain(y))))
    m.register_forward_hook(lambda m, a, k, y: calls.append(("kwargs", sorted(k))) or y * 10, with_kwargs=True)
    m.register_forward_hook(lambda m, a, y: calls.append("first post"), prepend=True)
    return calls, plain(m(lib.tensor([1.0, 2.0])))


def hooks_after_an_error(lib):
    calls, m = [], model(lib)
    m.register_forward_hook(lambda m, a, y: calls.append("only if all went well"))
    m.register_forward_hook(lambda m, a, y: calls.append(("always", y)), always_call=True)
    with pytest.raises(Exception):  # noqa: B017, PT011
        m(lib.tensor([1.0, 2.0]), power="two")
    return calls


def global_hooks(lib):
    calls, m = [], model(lib)
    module = __import__(f"{lib.__name__}.nn.modules.module", fromlist=["x"])
    name = lambda m: type(m).__name__
    handles = [
        module.register_module_forward_pre_hook(lambda m, a: calls.append(("pre", name(m)))),
        module.register_module_forward_hook(lambda m, a, y: calls.append(("post", name(m)))),
        module.register_module_full_backward_pre_hook(lambda m, g: calls.append(("back pre", name(m), plain(g)))),
        module.register_module_full_backward_hook(lambda m, g, h: calls.append(("back", name(m), plain(g), plain(h)))),
    ]
    m(lib.tensor([1.0, 2.0], requires_grad=True)).sum().backward()
    for handle in handles:
        handle.remove()
    m(lib.tensor([1.0, 2.0])).sum().backward()
    return calls, plain(m.w.grad)


def backward_hooks(lib):
    calls, m = [], model(lib)
    m.register_full_backward_pre_hook(lambda m, g: (g[0] * 2,))
    m.register_full_backward_pre_hook(lambda m, g: calls.append(("pre", plain(g))), prepend=True)
    m.register_full_backward_hook(lambda m, g, h: calls.append(("back", plain(g), plain(h))))
    m.register_full_backward_hook(lambda m, g, h: (g[0] * 5,), prepend=True)
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    m(x).sum().backward()
    return calls, plain(x.grad), plain(m.w.grad)


def state_hooks(lib):
    calls, outer = [], lib.nn.Sequential(model(lib), lib.nn.Identity())
    m = outer[0]
    m.register_state_dict_pre_hook(lambda m, prefix, keep: calls.append(("saving", prefix, keep)))
    m.register_state_dict_post_hook(lambda m, state, prefix, meta: state.update({prefix + "note": lib.tensor(1.0)}))
    saved = outer.state_dict()

    def rename(m, state, prefix, meta, strict, missing, unexpected, errors):
        calls.append(("loading", prefix, strict))
        state[prefix + "w"] = state.pop(prefix + "old")

    def forgive(m, keys):
        calls.append(("loaded", plain(m.w), list(keys.missing_keys), list(keys.unexpected_keys)))
        keys.unexpected_keys.clear()

    m.register_load_state_dict_pre_hook(rename)
    m.register_load_state_dict_post_hook(forgive)
    keys = outer.load_state_dict({"0.old": lib.tensor([5.0, 6.0]), "0.extra": lib.tensor(0.0)})
    return calls, sorted(saved), list(keys.unexpected_keys), plain(m.w)


@pytest.mark.parametrize(
    "scene", [forward_hooks, hooks_after_an_error, global_hooks, backward_hooks, state_hooks], ids=lambda f: f.__name__
)
def test_hooks_of_modules_are_called_as_torchs(scene):
    assert scene(sg) == scene(of_torch())


def multi(lib, mode):
    calls = []
    a, b, c = (lib.tensor(float(k), requires_grad=True) for k in (1, 2, 3))
    handle = lib.autograd.graph.register_multi_grad_hook([a, b, c], lambda g: calls.append(plain(g)), mode=mode)
    (a * b).backward()
    (a * b * c).backward()
    handle.remove()
    (a * b).backward()
    return calls if mode == "all" else len(calls)


@pytest.mark.parametrize("mode", ["all", "any"])
def test_a_hook_of_several_gradients_is_called_as_torchs(mode):
    assert multi(sg, mode) == multi(of_torch(), mode)


def test_a_hook_that_errs_after_an_error_is_a_warning():
    m = model(sg)
    m.register_forward_hook(lambda m, a, y: 1 / 0, always_call=True)
    with pytest.warns(UserWarning, match="silenced: division by zero"), pytest.raises(TypeError):
        m(sg.tensor([1.0, 2.0]), power="two")


def test_what_hooks_return_is_checked():
    m = model(sg)
    with m.register_full_backward_pre_hook(lambda m, g: (g[0], g[0])), pytest.raises(ArgumentError, match="got 2"):
        m(sg.ones(2)).sum().backward()
    with (
        m.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True),
        pytest.raises(ArgumentTypeError, match="new_a"),
    ):
        m(sg.ones(2))
    with pytest.raises(ArgumentTypeError, match="a hook must be a function"):
        m.register_forward_hook(3)


def test_backward_hooks_see_none_for_what_is_no_tensor():
    class Pair(sg.nn.Module):
        def forward(self, flag, x):
            return x.clone(), flag

    module, seen = Pair(), []
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go)))
    y, flag = module(True, sg.tensor([1.0, 2.0], requires_grad=True))
    y.sum().backward()
    ((incoming, outgoing),) = seen
    assert (flag, incoming[0], outgoing[1]) == (True, None, None)
    np.testing.assert_array_equal(incoming[1], outgoing[0])


def test_backward_hooks_of_a_dict_are_not_called_with_a_warning():
    class Named(sg.nn.Module):
        def forward(self, x):
            return {"y": x * 2}

    module = Named()
    module.register_full_backward_hook(lambda m, gi, go: (None,))
    with pytest.warns(UserWarning, match="should be a Tensor or a tuple of Tensors but received dict"):
        y = module(sg.tensor(1.0, requires_grad=True))["y"]
    y.backward()


def test_what_modules_register_is_shown_to_hooks_which_may_replace_it():
    of_modules = sg.nn.modules.module
    seen = []
    handles = [
        of_modules.register_module_parameter_registration_hook(lambda m, name, p: seen.append(name)),
        of_modules.register_module_buffer_registration_hook(lambda m, name, b: seen.append(name)),
        of_modules.register_module_module_registration_hook(lambda m, name, part: sg.nn.Identity()),
    ]
    try:
        model = sg.nn.Sequential(sg.nn.BatchNorm1d(2))
    finally:
        for handle in handles:
            handle.remove()
    assert seen == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    assert isinstance(model[0], sg.nn.Identity)
    assert isinstance(sg.nn.Sequential(sg.nn.ReLU())[0], sg.nn.ReLU)
