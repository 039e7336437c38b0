"""Hooks: what they are given, what they may replace, when they run and when they go; compared with torch."""

import gc
import threading
import weakref
from itertools import chain

import pytest

import symgrad as sg
from symgrad.core import hooks


@pytest.fixture(params=["symgrad", "torch"])
def m(request):
    """The library under test: each expectation here is torch's."""
    return pytest.importorskip(request.param)


def parameter(m, *numbers):
    return m.tensor(list(numbers), requires_grad=True)


# ------------------------------------------------------------------ hooks of tensors
def test_a_hook_sees_the_gradient_of_a_result_and_of_a_leaf(m):
    x, log = parameter(m, 1.0, 2.0), []
    y = x * x
    y.register_hook(lambda g: log.append(("y", g.tolist())))
    x.register_hook(lambda g: log.append(("x", g.tolist())))
    (y * 3).sum().backward()
    assert log == [("y", [3.0, 3.0]), ("x", [6.0, 12.0])]


def test_a_hook_replaces_the_gradient_for_all_that_comes_after(m):
    x = parameter(m, 1.0, 2.0)
    y = x * x
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: -g)
    y.sum().backward()
    assert y.grad.tolist() == [11.0, 11.0]
    assert x.grad.tolist() == [-22.0, -44.0]


STATEMENTS = ["g[0] = 0", "g.clamp_(-1, 1)", "g += 1", "g[1:].mul_(3)", "g.zero_()"]


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_hook_may_change_the_gradient_in_place(m, statement, create_graph):
    x = parameter(m, 1.0, 2.0)
    y = x * x
    y.register_hook(lambda g: exec(statement, {"g": g}))
    (g,) = m.autograd.grad((y * x).sum(), x, create_graph=create_graph)
    expected = {"g[0] = 0": [1.0, 12.0], "g.clamp_(-1, 1)": [3.0, 8.0], "g += 1": [5.0, 16.0],
                "g[1:].mul_(3)": [3.0, 28.0], "g.zero_()": [1.0, 4.0]}  # fmt: skip
    assert g.tolist() == expected[statement]
    x.register_hook(lambda g: exec(statement, {"g": g}))
    (x * 5).sum().backward()
    at_leaf = {
        "g[0] = 0": [0.0, 5.0],
        "g.clamp_(-1, 1)": [1.0, 1.0],
        "g += 1": [6.0, 6.0],
        "g[1:].mul_(3)": [5.0, 15.0],
    }
    assert x.grad.tolist() == at_leaf.get(statement, [0.0, 0.0])


def test_what_a_hook_changes_in_place_reaches_one_input_alone():
    x, y = parameter(sg, 1.0, 2.0), parameter(sg, 3.0, 4.0)
    x.register_hook(lambda g: g.zero_())
    first, second = sg.autograd.grad((x + y).sum(), [x, y], create_graph=True)  # one cotangent is that of both
    assert (first.tolist(), second.tolist()) == ([0.0, 0.0], [1.0, 1.0])


def test_hooks_of_nodes_and_modules_may_change_gradients_in_place(m):
    x = parameter(m, 1.0, 2.0)
    y = x * x
    y.grad_fn.register_hook(lambda ins, outs: exec("ins[0].mul_(5)", {"ins": ins}))
    (y * y).sum().backward()
    assert x.grad.tolist() == [12.0, 96.0]
    layer, x = m.nn.Identity(), parameter(m, 1.0, 2.0)
    layer.register_full_backward_hook(lambda layer, ins, outs: exec("ins[0].mul_(5)", {"ins": ins}))
    (layer(x) * x.detach()).sum().backward()
    assert x.grad.tolist() == [5.0, 10.0]
    x = parameter(m, 1.0, 2.0)
    x.register_post_accumulate_grad_hook(lambda p: exec("p.grad.clamp_(0, 1)", {"p": p}))
    (x * 3).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_hook_sees_the_sum_over_all_uses_once(m):
    x, log = parameter(m, 2.0), []
    y = x * 1
    y.register_hook(lambda g: log.append(g.item()))
    (y * y + y * 3).backward()
    assert log == [7.0]


def test_hooks_run_for_grad_where_the_tensor_is_on_the_way_or_wanted(m):
    x, z, log = parameter(m, 1.0), parameter(m, 1.0), []
    y = x * 2
    for name, t in {"x": x, "y": y, "z": z}.items():
        t.register_hook(lambda g, name=name: log.append(name))
    m.autograd.grad(y * z, x, retain_graph=True)
    assert log == ["y", "x"]
    y.register_hook(lambda g: g * 5)
    assert m.autograd.grad(y * z, y)[0].tolist() == [5.0]
    assert x.grad is None


def test_a_hook_on_the_output_sees_its_cotangent(m):
    y, log = parameter(m, 1.0, 2.0) * 2, []
    y.register_hook(lambda g: log.append(g.tolist()))
    y.backward(m.tensor([3.0, 4.0]))
    assert log == [[3.0, 4.0]]


def test_a_removed_hook_is_not_called(m):
    x, log = parameter(m, 1.0), []
    handle = x.register_hook(lambda g: log.append(g))
    with x.register_hook(lambda g: log.append(g)):
        pass
    handle.remove()
    handle.remove()
    x.sum().backward()
    assert log == []


def test_a_hook_is_recorded_where_the_gradient_is(m):
    x = parameter(m, 2.0)
    y = x**3
    y.register_hook(lambda g: g * y)
    (first,) = m.autograd.grad(y.sum(), x, create_graph=True)  # 3x² y
    (second,) = m.autograd.grad(first.sum(), x)  # 6x y, and through y, where the hook multiplies again, 3x²·y·3x²
    assert (first.item(), second.item()) == (96.0, 96.0 + 1152.0)


def test_grad_mode_in_a_hook_is_that_of_the_gradient(m):
    x, log = parameter(m, 2.0), []
    x.register_hook(lambda g: log.append((g.requires_grad, m.is_grad_enabled())))
    m.autograd.grad((x**3).sum(), x)
    m.autograd.grad((x**3).sum(), x, create_graph=True)
    assert log == [(False, False), (True, True)]


def test_hooks_stay_with_a_leaf_that_is_updated(m):
    x, log = parameter(m, 2.0), []
    x.register_hook(lambda g: log.append(g.item()))
    x.register_post_accumulate_grad_hook(lambda p: log.append(p.item()))
    with m.no_grad():
        x -= 0.5
    (x * x).sum().backward()
    assert log == [3.0, 1.5]


WRONG = {
    "no tensor": (lambda m, x, y: y.register_hook(lambda g: 1.0), TypeError, "expected Variable, but hook returned"),
    "other shape": (lambda m, x, y: x.register_hook(lambda g: g.sum()), RuntimeError, "has changed the size of value"),
    "no gradient": (
        lambda m, x, y: m.tensor([1.0]).register_hook(print),
        RuntimeError,
        "cannot register a hook on a tensor that doesn't require gradient",
    ),
    "result of an operation": (
        lambda m, x, y: y.register_post_accumulate_grad_hook(print),
        RuntimeError,
        "post accumulate grad hooks cannot be registered on non-leaf tensors",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_hook_may_not_do_is_refused(m, name):
    register, kind, text = WRONG[name]
    x = parameter(m, 1.0, 2.0)
    y = x * 2

    def run():
        register(m, x, y)
        y.sum().backward()

    with pytest.raises(kind, match=text):
        run()


# ------------------------------------------------------------------ hooks of nodes
def test_a_node_hook_sees_what_goes_in_and_out_and_may_replace_it(m):
    x, w, log = parameter(m, 1.0, 2.0), parameter(m, 3.0, 4.0), []
    y = x * w
    y.grad_fn.register_hook(lambda ins, outs: log.append([t.tolist() for t in (*ins, *outs)]))
    y.grad_fn.register_hook(lambda ins, outs: (ins[0] * 10, ins[1]))
    y.sum().backward()
    assert log == [[[3.0, 4.0], [1.0, 2.0], [1.0, 1.0]]]
    assert (x.grad.tolist(), w.grad.tolist()) == ([30.0, 40.0], [1.0, 2.0])


def test_a_node_hook_has_none_for_inputs_without_gradient(m):
    x, log = parameter(m, 1.0, 2.0), []
    y = m.tensor([3.0, 4.0]) * x
    y.grad_fn.register_hook(lambda ins, outs: log.append((ins[0], ins[1].tolist())))
    y.sum().backward()
    assert log == [(None, [3.0, 4.0])]


NO_GRADIENT = {
    "a prehook": lambda y: y.grad_fn.register_prehook(lambda gs: (None,)),
    "a hook": lambda y: y.grad_fn.register_hook(lambda ins, outs: (None, ins[1] * 2)),
    "a prehook of a leaf": lambda y: y.grad_fn.next_functions[0][0].register_prehook(lambda gs: (None,)),
}


@pytest.mark.parametrize("name", NO_GRADIENT)
def test_none_in_the_tuple_that_a_hook_returns_is_no_gradient(m, name):
    x, w = parameter(m, 1.0, 2.0), parameter(m, 3.0, 4.0)
    y = x * w
    NO_GRADIENT[name](y)
    y.sum().backward()
    gradients = [[0.0, 0.0] if t.grad is None else t.grad.tolist() for t in (x, w)]
    assert gradients == [[0.0, 0.0], {"a prehook": [0.0, 0.0], "a hook": [2.0, 4.0]}.get(name, [1.0, 2.0])]


def test_a_node_hook_cannot_give_a_gradient_to_an_input_without(m):
    x, new = parameter(m, 1.0, 2.0), m.tensor([5.0, 7.0])
    y = m.tensor([3.0, 4.0]) * x
    handle = y.grad_fn.register_hook(lambda ins, outs: (new, new))
    with pytest.raises(RuntimeError, match="can't replace a None gradient"):
        y.sum().backward(retain_graph=True)
    handle.remove()
    y.grad_fn.register_hook(lambda ins, outs: (None, new))
    y.sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]


def test_a_prehook_replaces_what_the_rule_is_given_and_not_what_is_retained(m):
    x = parameter(m, 1.0, 2.0)
    y = x * 2
    y.retain_grad()
    y.grad_fn.register_prehook(lambda gs: (gs[0] * 10,))
    y.sum().backward()
    assert x.grad.tolist() == [20.0, 20.0]


def test_a_leaf_has_hooks_before_and_behind_its_accumulation(m):
    x, log = parameter(m, 1.0), []
    accumulate = (x * 1).grad_fn.next_functions[0][0]
    accumulate.register_prehook(lambda gs: log.append(("before", x.grad)))
    accumulate.register_hook(lambda ins, outs: log.append(("behind", ins, x.grad.item())))
    x.register_post_accumulate_grad_hook(lambda p: log.append(("accumulated", p is x)))
    (x * 3).sum().backward()
    assert log[0] == ("before", None)
    assert sorted(log[1:], key=str) == [("accumulated", True), ("behind", (), 3.0)]


def test_a_post_accumulate_hook_may_step_and_free_the_gradient(m):
    x = parameter(m, 1.0, 2.0)

    def step(p):
        with m.no_grad():
            p -= 0.5 * p.grad
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    assert x.grad is None
    assert x.tolist() == [0.0, 0.0]


# ------------------------------------------------------------------ hooks of modules
REPLACE = {"nothing": lambda g: None, "the double": lambda g: g * 2, "the square": lambda g: g * g}


def second_order(m, module, replace, count):
    """What a module's backward hook saw, and the slopes of first and second order."""
    seen = []

    def hook(_, into, out):
        seen.append([g.tolist() for g in (*into, *out)])
        found = tuple(map(REPLACE[replace], into))
        return None if None in found else found

    module.register_full_backward_hook(hook)
    xs = [m.tensor(v, dtype=m.float64, requires_grad=True) for v in ([0.3, -0.7], [1.5, 0.2])][:count]
    ys = module(*xs)
    loss = ys.sum() if count == 1 else (ys[0] * ys[1]).sum()
    first = m.autograd.grad(loss, xs, create_graph=True)
    second = m.autograd.grad(sum((g * g).sum() for g in first), xs)
    return [t.tolist() for t in (*first, *second)], seen


@pytest.mark.parametrize("replace", REPLACE)
@pytest.mark.parametrize("count", [1, 2])
def test_hooks_of_modules_run_in_second_derivatives_where_torchs_do(replace, count):
    torch = pytest.importorskip("torch")
    found = []
    for m in (sg, torch):

        class Both(m.nn.Module):
            def forward(self, a, b):
                return (a * 1.5).sin(), a * b

        found.append(second_order(m, m.nn.Tanh() if count == 1 else Both(), replace, count))
    (ours, seen), (theirs, expected) = found
    assert len(seen) == len(expected)
    for a, b in zip([*ours, *chain(*seen)], [*theirs, *chain(*expected)], strict=True):
        assert a == pytest.approx(b, rel=1e-13)


# ------------------------------------------------------------------ checkpoints
def heard(m, wrap, pieces):
    """What hooks inside and outside of checkpointed pieces are given, and the gradients of what they return."""
    x, w, log = parameter(m, 2.0), parameter(m, 3.0), []
    v = w * 1
    x.register_hook(lambda g: log.append(("x", g.item())) or g * 10)
    w.register_hook(lambda g: log.append(("w", g.item())) or g * 10)
    v.register_hook(lambda g: log.append(("v", g.item())) or g * 2)

    def piece(z):
        inside = z * v
        inside.register_hook(lambda g: log.append(("inside", g.item())))
        return inside * w + z * w * v

    y = x
    for _ in range(pieces):
        y = wrap(piece, y)
    y.sum().backward()
    return sorted(log), x.grad.item(), w.grad.item()


@pytest.mark.parametrize("pieces", [1, 3])
def test_hooks_see_the_sum_over_all_pieces_that_are_checkpointed(m, pieces):
    checkpoint = pytest.importorskip(f"{m.__name__}.utils.checkpoint").checkpoint
    kept = heard(m, lambda f, z: f(z), pieces)
    assert heard(m, lambda f, z: checkpoint(f, z, use_reentrant=False), pieces) == kept


# ------------------------------------------------------------------ symgrad's own promises
def test_a_hook_that_a_checkpointed_piece_puts_on_its_argument_is_called():
    def f(x):
        x.register_hook(lambda g: g * 10)
        return (x * x).sum()

    for make in (lambda w: w, lambda w: w * 1):
        w = parameter(sg, 1.0, 2.0)
        sg.checkpoint(f)(make(w)).backward()
        assert w.grad.tolist() == [20.0, 40.0]
    assert sg.grad(sg.checkpoint(f))(sg.tensor([1.0, 2.0])).tolist() == [20.0, 40.0]


def test_broadcasting_is_undone_before_a_node_hook_looks():
    x, log = parameter(sg, 1.0, 2.0), []
    y = x * sg.ones(3, 2)
    y.grad_fn.register_hook(lambda ins, outs: log.append(ins[0].shape))
    y.sum().backward()
    assert log == [(2,)]


def test_nothing_is_looked_out_for_once_the_hooks_are_gone():
    gc.collect()
    before = len(hooks.LIVE)
    x = parameter(sg, 1.0)
    y = x * 2
    handle = y.register_hook(lambda g: g)
    assert len(hooks.LIVE) == before + 1
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None
    assert len(hooks.LIVE) == before
    handle.remove()


def test_a_retained_graph_with_hooks_is_swept_by_threads_at_once():
    x, found = parameter(sg, 1.0, 2.0), []
    y = x * x
    y.register_hook(lambda g: g * 2)
    z = y.sum()

    def work():
        found.extend(tuple(sg.autograd.grad(z, x, retain_graph=True)[0].tolist()) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [(4.0, 8.0)] * 200


def test_a_hook_that_raises_leaves_no_gradient():
    x, w = parameter(sg, 1.0), parameter(sg, 1.0)

    def fail(g):
        raise KeyError("in the hook")

    y = x * 2
    y.register_hook(fail)
    with pytest.raises(KeyError, match="in the hook"):
        (y + w * 3).sum().backward()
    assert x.grad is None
    assert w.grad is None


def test_a_closed_form_is_of_the_operations_whatever_hooks_do():
    x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    y = x * x
    y.register_hook(lambda g: g * 10)
    assert str(sg.derive(y.sum(), x)) == "2*x"
