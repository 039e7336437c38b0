"""torch.autograd's further names beside PyTorch: batches of cotangents, dual numbers, edges, states of many models."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, GraphError, ShapeError

LINES = """
lib.autograd.grad((p**2).sum(), (q for q in [p]))
lib.autograd.grad(p**2, p, lib.eye(3), is_grads_batched=True)
lib.autograd.grad((p**2, p.sum()), p, (lib.eye(3), lib.ones(3)), is_grads_batched=True)
lib.autograd.grad(p**2, (p, q), lib.eye(3), is_grads_batched=True, allow_unused=True)
lib.autograd.grad(lib.autograd.graph.get_gradient_edge((p**2).sum()), lib.autograd.graph.get_gradient_edge(p))
lib.autograd.grad(lib.autograd.grad(p**3, p, lib.eye(3), is_grads_batched=True, create_graph=True)[0].sum(), p)
lib.autograd.grad((p**2).sum(), p, None, True, False, True)
lib.autograd.grad(outputs=(p**2).sum(), inputs=p, create_graph=True, retain_graph=True, only_inputs=True)
lib.func.grad(lambda z: (z**2).sum())(p)
lib.func.grad(func=lambda z: (z**2).sum())(p)
lib.func.vmap(func=lambda z: z**2, in_dims=0)(p)
lib.func.hessian(func=lambda z: (z**3).sum())(p)
lib.func.jacrev(lambda z: z**2)(p)
lib.func.vmap(lambda v: lib.autograd.grad(p**2, p, v, retain_graph=True)[0])(lib.eye(3))
lib.func.stack_module_state([linear, linear])[0]["weight"].shape[0]
lib.func.functional_call(linear, {"weight": lib.zeros(2, 3), "bias": lib.ones(2)}, (p,), tie_weights=True, strict=True)
(lambda s: lib.autograd.grad(s.sum(), lib.autograd.graph.GradientEdge(s.grad_fn, 0)))(p.clone())
(lambda s: [lib.autograd.grad(s, p), lib.autograd.grad(s, p)])((p.reshape(3, 1) + q).sum() - p[0])
lib.autograd.grad(lib.autograd.graph.GradientEdge((p**2).sum().grad_fn, 0), p)
lib.func.vmap(lambda z: z**2, out_dims=(0,))(p)
lib.func.vmap(lambda z: lib.stack([z, z]), out_dims=(1,))(p)
lib.isin(lib.tensor([1, 2, 3]), lib.tensor([[2], [5]]))
lib.isin(lib.tensor([1.0, 2.0]), 2.0, invert=True)
lib.as_strided(lib.arange(6.0), (2, 2), (2, 1), 1)
lib.as_strided(p, (2, 2), (1, 1)).sum()
lib.autograd.grad(lib.as_strided(p, (2, 2), (1, 1)).sum(), p)
lib.arange(6.0).as_strided((3,), (2,))
lib.igamma(lib.tensor(1.5), lib.tensor(2.0)) + lib.igammac(lib.tensor(0.5), lib.tensor(2.0))
lib.as_strided(p, (2,), (1,), None)
lib.asarray([0.5, 2.0], copy=True)
lib.randint(high=1, size=(2,))
lib.hann_window(4, device="cpu", dtype=lib.float64)
lib.nn.functional.huber_loss(p, 2 * p, weight=p**2)
lib.autograd.grad(lib.nn.functional.huber_loss(p, 4 * p, delta=0.5, reduction="sum", weight=p**2), p)
lib.conv1d(lib.ones(1, 1, 5), lib.ones(1, 1, 3))
lib.utils.checkpoint.checkpoint(lib.exp, p, use_reentrant=False, determinism_check="default", debug=False)
lib.utils.checkpoint.checkpoint(lib.exp, p, use_reentrant=False, early_stop=False)
lib.utils.checkpoint.checkpoint(lib.exp, p, use_reentrant=False, context_fn=lib.utils.checkpoint.noop_context_fn)
"""


def plain(x):
    if isinstance(x, (tuple, list)):
        return tuple(map(plain, x))
    return np.round(x.detach().numpy().astype(float), 5).tolist() if hasattr(x, "detach") else x


def value(line, lib):
    leaves = [lib.tensor(v, dtype=lib.float64, requires_grad=True) for v in ([0.5, 1.0, 2.0], [1.0, 1.0, 1.0])]
    lib_eval = {"lib": lib, "p": leaves[0], "q": leaves[1], "linear": lib.nn.Linear(3, 2).double()}
    ones, eye, zeros = (lambda *s, f=f: f(*s, dtype=lib.float64) for f in (lib.ones, lib.eye, lib.zeros))
    lib_eval |= {"ones": ones, "eye": eye, "zeros": zeros}
    return plain(
        eval(line.replace("lib.ones(", "ones(").replace("lib.eye(", "eye(").replace("lib.zeros(", "zeros("), lib_eval)
    )


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_a_line_has_torchs_value(line):
    np.testing.assert_equal(value(line, sg), value(line, pytest.importorskip("torch")))


def duals(lib):
    fw, found = lib.autograd.forward_ad, []
    x, t = lib.tensor([0.5, 1.0], requires_grad=True), lib.tensor([1.0, -2.0])
    c = lib.tensor([3.0, 4.0])
    with fw.dual_level():
        d = fw.make_dual(c, t)
        found += [fw.unpack_dual(d), fw.unpack_dual((d**2).sum()), fw.unpack_dual(c * 2)]
        y = fw.unpack_dual(fw.make_dual(x, t) ** 3 * d)
        found += [y, lib.autograd.grad(y.tangent.sum(), x)]
    found.append(fw.unpack_dual(d).tangent)
    return plain([tuple(f) if isinstance(f, tuple) else f for f in found])


def test_dual_numbers_have_torchs_values():
    assert duals(sg) == duals(pytest.importorskip("torch"))


def test_dual_numbers_are_refused_where_there_is_no_level_or_no_tangent():
    fw = sg.autograd.forward_ad
    with pytest.raises(GraphError, match="no level is active"):
        fw.make_dual(sg.ones(2), sg.ones(2))
    with pytest.raises(GraphError, match="no level was entered"):
        fw.exit_dual_level()
    with fw.dual_level():
        with pytest.raises(GraphError, match="Nested forward mode"):
            fw.enter_dual_level()
        with pytest.raises(ShapeError, match="different size"):
            fw.make_dual(sg.ones(2), sg.ones(3))
        with pytest.raises(ValueError, match="floating point or complex"):
            fw.make_dual(sg.tensor([1]), sg.tensor([1]))


def test_contexts_of_a_checkpoint_are_those_of_its_two_runs():
    entered = []

    class Context:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            entered.append(self.name)

        def __exit__(self, *error):
            pass

    x = sg.tensor(2.0, requires_grad=True)
    y = sg.utils.checkpoint.checkpoint(
        lambda x: sg.exp(x) * x, x, context_fn=lambda: (Context("first"), Context("again"))
    )
    y.backward()
    assert entered == ["first", "again"]


def test_batches_of_cotangents_are_asked_for():
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(ArgumentError, match="needs grad_outputs"):
        sg.autograd.grad(x.sum(), x, is_grads_batched=True)
    with pytest.raises(GraphError, match="does not require gradients"):
        sg.autograd.graph.get_gradient_edge(sg.ones(2))


def test_models_of_different_kinds_are_not_stacked():
    with pytest.raises(ArgumentError, match="same class"):
        sg.func.stack_module_state([sg.nn.Linear(1, 1), sg.nn.ReLU()])
    with pytest.raises(ArgumentError, match="at least one model"):
        sg.func.stack_module_state([])
    models = [sg.nn.Linear(1, 1), sg.nn.Linear(1, 1)]
    models[0].bias.requires_grad_(False)
    with pytest.raises(ArgumentError, match=r"same \.requires_grad"):
        sg.func.stack_module_state(models)


def test_batch_normalisation_without_running_statistics_is_a_function_of_the_batch():
    model = sg.nn.Sequential(sg.nn.BatchNorm1d(2), sg.nn.InstanceNorm1d(2, track_running_stats=True)).eval()
    assert sg.func.replace_all_batch_norm_modules_(model) is model
    assert isinstance(model[0], sg.nn.modules.batchnorm._BatchNorm)
    assert list(model.state_dict()) == [
        "0.weight", "0.bias", "1.running_mean", "1.running_var", "1.num_batches_tracked",
    ]  # fmt: skip
    x = sg.tensor([[1.0, 5.0], [3.0, 1.0]])
    np.testing.assert_allclose(model[0](x).detach().numpy(), [[-1, 1], [1, -1]], atol=1e-4)
    with pytest.raises(RuntimeError, match="Expected a module"):
        sg.func.replace_all_batch_norm_modules_(x)


def test_a_tied_tensor_is_given_by_any_of_its_names():
    class Tied(sg.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = self.b = sg.nn.Parameter([1.0])

        def forward(self, x):
            return self.a * x + self.b

    x = sg.tensor([2.0])
    assert sg.func.functional_call(Tied(), {"a": sg.tensor([5.0])}, x).item() == 15.0
    assert sg.func.functional_call(Tied(), {"a": sg.tensor([5.0])}, x, tie_weights=False).item() == 11.0


def test_what_is_written_inside_vmap_to_a_tensor_outside_is_refused():
    outside = sg.zeros(3)
    with pytest.raises(GraphError):
        sg.vmap(lambda v: outside.add_(v))(sg.ones(2, 3))


def test_names_that_change_nothing_are_accepted():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    with sg.autograd.graph.allow_mutation_on_saved_tensors(), sg.utils.checkpoint.set_checkpoint_early_stop(False):
        y = x.clone(memory_format=sg.preserve_format).contiguous(memory_format=sg.channels_last)
    assert y.is_contiguous(memory_format=sg.channels_last)
    sg.gather(y, 0, sg.tensor([1]), sparse_grad=True).backward()
    assert (x.grad.tolist(), y.output_nr) == ([0.0, 1.0], 0)
    del x.grad
    assert x.grad is None


def test_dual_numbers_have_the_tangent_that_was_given_and_one_alone():
    fw = sg.autograd.forward_ad
    x, t = sg.tensor([1.0, 2.0]), sg.ones(2)
    with fw.dual_level():
        dual = fw.make_dual(x, t)
        assert fw.unpack_dual(dual).tangent is t
        with pytest.raises(sg.errors.GraphError, match="Pass its primal"):
            fw.make_dual(dual, t)
        with pytest.raises(ValueError, match="Expected tangent to be floating point"):
            fw.make_dual(x, sg.tensor([1, 2]))


def test_gradient_edge_stays_where_it_was_taken():
    x = sg.ones(2, requires_grad=True).clone()
    edge = sg.autograd.graph.get_gradient_edge(x)
    x *= 2
    before, after = sg.autograd.grad(x.sum(), (edge, x))
    assert before.tolist() == [2.0, 2.0]
    assert after.tolist() == [1.0, 1.0]


def test_post_accumulate_hook_returns_nothing():
    x = sg.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: p.grad)
    with pytest.raises(RuntimeError, match="should return None"):
        x.sum().backward()
