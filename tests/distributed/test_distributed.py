"""Sums over blocks of data: right, with the same bytes whoever computes, and clear where something fails."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import symgrad as sg
from symgrad.distributed import blocks, runs, scheduler, summed, work
from symgrad.distributed.rows import FileRows, file_rows
from symgrad.distributed.summed import tasks
from symgrad.errors import ArgumentError, ArgumentTypeError, BlockError, DistributedError, NanBlockError
from symgrad.support.extras import is_installed

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
pytest.importorskip("cloudpickle").register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(500, 4)), RNG.normal(size=500)
P = {"w": RNG.normal(size=4), "b": 0.5}
V = {"w": np.ones(4), "b": -1.0}


def loss(p, X, y):
    return ((X @ p["w"] + p["b"] - y) ** 2).sum()


def mean_loss(p, X, y):
    return sg.nn.functional.softplus((X @ p["w"] + p["b"]) * y).mean()


def residuals(w, X, y):
    return sg.tanh(X @ w) - y


def in_chunks(rows=130, of=Y):
    return da.from_array(X, chunks=(rows, 4)), da.from_array(of, chunks=rows)


def same_bytes(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same_bytes, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_bytes(a[k], b[k]) for k in a)
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


def assert_close(a, b):
    if isinstance(a, (tuple, list)):
        for x, y in zip(a, b, strict=True):
            assert_close(x, y)
    elif isinstance(a, dict):
        assert a.keys() == b.keys()
        for k in a:
            assert_close(a[k], b[k])
    else:
        assert type(a) is type(b)
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)


# ------------------------------------------------------------------ what data may be
def delayed_blocks(x):
    return [dask.delayed(x[i : i + 120]) for i in range(0, len(x), 120)]


SOURCES = {
    "arrays": lambda tmp: (X, Y),
    "tensors": lambda tmp: (sg.tensor(X), sg.tensor(Y)),
    "Dask arrays": lambda tmp: in_chunks(),
    "chunked columns": lambda tmp: (da.from_array(X, chunks=(100, 3)), da.from_array(Y, chunks=100)),
    "an array beside a Dask array": lambda tmp: (X, in_chunks()[1]),
    "delayed blocks": lambda tmp: (delayed_blocks(X), delayed_blocks(Y)),
    "a computed Dask array": lambda tmp: (in_chunks()[0] * 2 - X, in_chunks()[1]),
    "a mapped file": lambda tmp: (mapped(tmp), in_chunks(77)[1]),
}


def mapped(folder):
    np.save(folder / "x.npy", np.concatenate([np.zeros((3, 4)), X]))
    return np.load(folder / "x.npy", mmap_mode="r")[3:]


@pytest.mark.parametrize("source", SOURCES)
def test_each_kind_of_data_gives_the_sum_over_all_rows(source, tmp_path):
    data = SOURCES[source](tmp_path)
    assert_close(sg.distributed.value_and_grad(loss)(P, *data), sg.value_and_grad(loss)(P, X, Y))


def test_data_that_are_computed_from_other_data():
    with dask.config.set(scheduler="threads"):
        x = in_chunks()[0].persist()
    f = lambda w, a, b: (w * a * b).sum()
    for first, second in (
        (x * 2, x),
        (x, x * 2),
        (x, x),
        (x.sum(0) + x, x),
        (x * 2 + x.rechunk((500, 4)).rechunk(x.chunks), x),
    ):
        with dask.config.set(scheduler="threads"):
            expected = (first * second).sum().compute()
        assert np.isclose(sg.distributed.grad(f)(1.0, first, second), expected)


def test_small_blocks_of_arrays_and_files(monkeypatch, tmp_path):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1000)
    found = blocks.blocks_of("f", (mapped(tmp_path), Y))
    assert len(found) == 20
    assert set(np.diff(found.edges)) == {25}
    assert_close(sg.distributed.value_and_grad(loss)(P, mapped(tmp_path), Y), sg.value_and_grad(loss)(P, X, Y))


def test_dataframes():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    series = dd.from_pandas(pd.Series(Y), npartitions=3)
    assert_close(sg.distributed.grad(loss)(P, frame, series), sg.grad(loss)(P, X, Y))


@pytest.mark.parametrize("how", ["delayed", "chunks"])
def test_data_that_cannot_be_computed_name_their_block(how):
    def loaded(k):
        if k == 2:
            raise OSError("no file part2.npy")
        return X[100 * k : 100 * k + 100]

    rows = [dask.delayed(loaded)(k) for k in range(4)]
    if how == "chunks":
        rows = da.concatenate([da.from_delayed(r, (100, X.shape[1]), X.dtype) for r in rows])
    y = (
        da.from_array(Y[:400], chunks=100)
        if how == "chunks"
        else [dask.delayed(Y[100 * k : 100 * k + 100]) for k in range(4)]
    )
    with pytest.raises(BlockError, match="grad: the data of block 2 of 4 raised OSError: no file"):
        sg.distributed.grad(loss)(P, rows, y)


def test_unequal_chunks_are_aligned_and_said():
    a, b = in_chunks()[0], da.from_array(Y, chunks=99)
    with pytest.warns(UserWarning, match="chunks differ along the first axis"):
        found = sg.distributed.value_and_grad(loss)(P, a, b)
    assert_close(found, sg.value_and_grad(loss)(P, X, Y))


def test_the_mean_weighs_blocks_by_their_rows():
    found = sg.distributed.value_and_grad(mean_loss, reduce="mean")(P, *in_chunks(333))
    assert_close(found, sg.value_and_grad(mean_loss)(P, X, Y))


def test_tensors_in_tensors_out_and_several_parameters():
    f = lambda w, b, X, y: ((X @ w + b - y) ** 2).sum()
    found = sg.distributed.grad(f, argnums=(0, 1))(sg.tensor(P["w"]), sg.tensor(0.5), *in_chunks())
    expected = sg.grad(f, argnums=(0, 1))(P["w"], 0.5, X, Y)
    assert all(isinstance(g, sg.Tensor) for g in found)
    assert_close([g.numpy() for g in found], [np.asarray(e) for e in expected])
    only = sg.distributed.grad(f, argnums=1)(P["w"], 0.5, *in_chunks())
    assert_close(only, expected[1])


def test_second_derivatives():
    data = in_chunks()
    assert_close(sg.distributed.hvp(mean_loss)(P, V, *in_chunks(500)), sg.hvp(lambda p: mean_loss(p, X, Y), P, V))
    assert_close(sg.distributed.hessian(loss)(P, *data), sg.hessian(loss)(P, X, Y))
    J = sg.jacobian(residuals)(P["w"], X, Y)
    assert_close(sg.distributed.gauss_newton(residuals)(P["w"], *data), J.T @ J)


def test_gauss_newton_of_parameters_in_a_structure_and_of_a_mean():
    r = lambda p, X, y: sg.tanh(X @ p["w"] + p["b"]) - y
    found = sg.distributed.gauss_newton(r)(P, *in_chunks())
    J = sg.jacobian(r)(P, X, Y)
    assert_close(found["w"], {"w": J["w"].T @ J["w"], "b": J["w"].T @ J["b"]})
    assert_close(found["b"], {"w": J["b"] @ J["w"], "b": float(J["b"] @ J["b"])})
    for rows in (11, 130):
        mean = sg.distributed.gauss_newton(r, "mean")(P, *in_chunks(rows))
        assert_close(mean["w"]["w"], J["w"].T @ J["w"] / 500)


def test_parameters_in_lists_of_different_shapes():
    f = lambda p, X, y: ((X @ p[0] + p[1] - y) ** 2).sum()
    assert_close(sg.distributed.grad(f)([P["w"], 0.5], *in_chunks()), sg.grad(f)([P["w"], 0.5], X, Y))


@pytest.mark.parametrize("reduce", ["sum", "mean"])
def test_blocks_without_rows_have_no_part(reduce):
    f = lambda p, X, y: loss(p, X, y) if reduce == "sum" else mean_loss(p, X, y) * X.max() / X.max()
    cuts = [0, 0, 200, 200, 500, 500]
    pieces = [[dask.delayed(a[i:j]) for i, j in itertools.pairwise(cuts)] for a in (X, Y)]
    expected = sg.value_and_grad(loss if reduce == "sum" else mean_loss)(P, X, Y)
    assert_close(sg.distributed.value_and_grad(f, reduce=reduce)(P, *pieces), expected)


def test_the_mean_of_many_numbers_in_half_precision_is_finite():
    f = lambda w, x: (w * x).mean()
    x = da.ones((100_000, 1), chunks=(1000, 1), dtype=np.float16)
    value, slope = sg.distributed.value_and_grad(f, reduce="mean")(np.ones(1, np.float16), x)
    assert abs(value - 1) < 0.01
    assert value.dtype == slope.dtype == np.float16


def test_infinite_numbers_of_blocks_whose_sum_is_nan():
    y = Y.copy()
    y[[3, 301, 450]] = np.inf, -np.inf, np.inf
    said = r"block 0 of 4 \(rows 0 to 129.*gave inf at \[0\]; .*block 2 of 4 .*gave inf at \[0\], and the sum is nan"
    with pytest.raises(NanBlockError, match=said), np.errstate(all="ignore"):
        sg.distributed.value_and_grad(lambda w, y: (w * y).sum())(1.0, in_chunks(of=y)[1])
    assert sg.distributed.grad(lambda w, y: (w * y).sum())(1.0, in_chunks(of=np.abs(y))[1]) == np.inf


def test_rows_in_a_structure():
    J = sg.distributed.jacobian(lambda p, X, y: X @ p["w"] + p["b"] - y)(P, *in_chunks())
    assert J["w"].shape == (500, 4)
    assert J["b"].shape == (500,)
    assert_close(dask.compute(J)[0], sg.jacobian(lambda p: X @ p["w"] + p["b"] - Y)(P))
    one, several = dask.compute(sg.distributed.vmap(lambda x: (x.sum(), {"twice": 2 * x}))(in_chunks()[0]))[0]
    assert_close(one, X.sum(1))
    assert_close(several, {"twice": 2 * X})


def test_the_shape_of_rows_is_learnt_without_values():
    A = RNG.normal(size=(6, 2, 2))  # ones would be singular
    assert_close(sg.distributed.vmap(sg.linalg.inv)(A).compute(), np.linalg.inv(A))
    picked = sg.distributed.jacobian(lambda p, k: p[k])(np.ones(1), np.zeros(3, int))  # a one would be out of range
    assert_close(picked.compute(), np.ones((3, 1)))

    def looks(w, x):
        return x * w if float(x.sum()) > 0 else -x * w

    assert_close(sg.distributed.jacobian(looks)(2.0, np.arange(3.0)).compute(), np.arange(3.0))


def test_rows_as_dask_arrays():
    data = in_chunks()
    J = sg.distributed.jacobian(residuals)(P["w"], *data)
    assert J.shape == (500, 4)
    assert J.chunks[0] == data[0].chunks[0]
    assert_close(J.compute(), sg.jacobian(residuals)(P["w"], X, Y))
    rows = sg.distributed.vmap(lambda x, y: sg.sin(x) * y)(*data)
    assert rows.shape == (500, 4)
    assert_close((rows.sum(axis=0)).compute(), (np.sin(X) * Y[:, None]).sum(0))


def test_a_function_that_cannot_be_traced_runs_eagerly():
    def branching(w, x):
        return (w * x).sum() if x.sum() > 0 else (2 * w * x).sum()

    assert_close(sg.distributed.grad(branching)(1.0, in_chunks()[0]), sum_of_branches(130))


def sum_of_branches(rows):
    parts = [X[i : i + rows].sum() for i in range(0, len(X), rows)]
    return float(sum(s if s > 0 else 2 * s for s in parts))


# ------------------------------------------------------------------ once for each shape, in one order
def test_a_process_traces_once_for_each_shape_of_block():
    runs = []

    def counted(w, x):
        runs.append(x.shape)
        return (w * x).sum()

    f = sg.distributed.value_and_grad(counted)
    for w in (1.0, 2.0, 3.0):
        f(w, in_chunks(130)[1])
    assert sorted(runs) == [(110,), (130,)]


def test_pickled_functions_share_what_a_process_made_of_them():
    cloudpickle = pytest.importorskip("cloudpickle")
    kernel = work.BlockKernel(sg.value_and_grad, lambda w, x: (w * x).sum(), 0)
    text = cloudpickle.dumps(kernel)
    one, two = cloudpickle.loads(text), cloudpickle.loads(cloudpickle.dumps(cloudpickle.loads(text)))
    assert one(2.0, np.ones(3)) == two(2.0, np.ones(3)) == (6.0, 3.0)
    assert one._made is two._made


@pytest.mark.parametrize("settings", [
    {"scheduler": "synchronous"}, {"scheduler": "threads", "num_workers": 1}, {"scheduler": "threads", "num_workers": 7}
], ids=["in turn", "one thread", "seven threads"])  # fmt: skip
def test_the_bytes_do_not_depend_on_the_threads(settings):
    data = in_chunks(11)
    expected = sg.distributed.value_and_grad(loss)(P, *data)
    with dask.config.set(**settings):
        assert same_bytes(sg.distributed.value_and_grad(loss)(P, *data), expected)


# ------------------------------------------------------------------ mapped files
def test_where_rows_stand_in_a_file(tmp_path):
    path = tmp_path / "x.bin"
    X.astype(np.float32).tofile(path)
    whole = np.memmap(path, np.float32, "r", shape=(500, 4))
    for part in (whole, whole[7:], whole[7:99], whole[3:][4:], np.memmap(path, np.float32, "r", 16 * 5, (495, 4))):
        rows = file_rows(part)
        assert rows is not None
        assert rows.shape == part.shape
        np.testing.assert_array_equal(rows.read(), np.asarray(part))
    np.testing.assert_array_equal(file_rows(whole[7:]).part(2, 5).read(), whole[9:12])


def test_what_differs_from_its_file_is_taken_from_memory(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, X)
    changed = np.load(path, mmap_mode="c")
    changed[:] = 1.0
    assert file_rows(changed) is None
    assert file_rows(np.load(path, mmap_mode="r")[:, :2]) is None
    assert file_rows(np.load(path, mmap_mode="r") + 0) is None
    assert sg.distributed.grad(lambda w, x: (w * x).sum())(1.0, changed) == 2000.0
    for view in (np.load(path, mmap_mode="r")[:, :2], np.load(path, mmap_mode="r")[::2]):
        assert np.isclose(sg.distributed.grad(lambda w, x: (w * x).sum())(1.0, view), view.sum())
    written = np.load(path, mmap_mode="r+")
    written[:] = 2.0
    assert sg.distributed.grad(lambda w, x: (w * x).sum())(1.0, written) == 4000.0


def test_files_that_are_gone_or_cut(tmp_path):
    rows = FileRows(str(tmp_path / "none.bin"), 0, (3,), np.dtype(float))
    with pytest.raises(ArgumentError, match=r"none\.bin: cannot be read here.*every worker"):
        rows.read()
    (tmp_path / "none.bin").write_bytes(bytes(16))
    with pytest.raises(ArgumentError, match="got 2 numbers, expected 3"):
        rows.read()


# ------------------------------------------------------------------ bad input
@pytest.mark.parametrize(("call", "error", "said"), [
    (lambda: sg.distributed.grad(loss)(P), ArgumentError, "got no data"),
    (lambda: sg.distributed.grad(loss)(P, X, Y[1:]), ArgumentError, r"\(500, 4\), \(499,\).*as many rows"),
    (lambda: sg.distributed.grad(loss)(P, 3.0, Y), ArgumentTypeError, "data argument 0 is float"),
    (lambda: sg.distributed.grad(loss)(P, X[:0], Y[:0]), ArgumentError, "at least one row"),
    (lambda: sg.distributed.grad(loss)(P, np.float64(3.0), Y), ArgumentTypeError, "data argument 0"),
    (lambda: sg.distributed.grad(loss)(P, delayed_blocks(X), delayed_blocks(Y)[1:]), ArgumentError, r"\[5, 4\] blocks"),
    (lambda: sg.distributed.grad(loss)(P, delayed_blocks(X), Y), ArgumentError, "unknown lengths"),
    (lambda: sg.distributed.grad(loss, reduce="max"), ArgumentError, "'sum' or 'mean'"),
    (lambda: sg.distributed.grad(3), ArgumentTypeError, "distributed.grad"),
    (lambda: sg.distributed.hvp(loss)(P), ArgumentError, "2 parameters"),
    (lambda: sg.distributed.vmap(lambda x: x)(delayed_blocks(X)), ArgumentError, "lengths are not known"),
    (lambda: sg.distributed.jacobian(lambda w, x: (x @ w).sum())(P["w"], X), ArgumentError, "a row for each row"),
    (lambda: sg.distributed.grad(loss, argnums=-1)(P, X, Y), ArgumentError, "argnums=-1. Expected positions from 0"),
    (lambda: sg.distributed.grad(loss, argnums=(0, 0)), ArgumentError, "must be unique, got"),
    (lambda: sg.distributed.grad(loss, argnums=True)(P, X, Y), ArgumentError, "argnums=True. Expected positions"),
    (lambda: sg.distributed.grad(loss)(P, *[[dask.delayed(a[:0])] for a in (X, Y)]), ArgumentError, "have no rows"),
    (lambda: sg.distributed.grad(loss)(P, [dask.delayed(X)], [dask.delayed(Y[1:])]), BlockError, "the same rows"),
    (lambda: sg.distributed.grad(loss)(P, [dask.delayed(1.0)], [dask.delayed(2.0)]), BlockError, "the same rows"),
    (lambda: sg.distributed.gauss_newton(lambda w, x: (x @ w, w))(P["w"], X), BlockError, "one real array"),
    (lambda: sg.distributed.gauss_newton(lambda w, x: x @ w * 1j)(P["w"], X), BlockError, "one real array"),
    (lambda: sg.distributed.grad(loss)(P, np.ma.masked_less(X, 0), Y), BlockError, "block 0 of 1 .* have no mask"),
    (lambda: sg.distributed.grad(loss)(P, in_chunks()[0].map_blocks(np.ma.masked_less, 0, dtype=float), Y), BlockError,
     "have no mask"),
])  # fmt: skip
def test_data_that_do_not_fit(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_a_block_that_raises_names_itself():
    with pytest.raises(
        BlockError, match=r"block \d of 4 \(rows \d+ to \d+, shapes \(1.0, 4\), \(1.0,\)\) raised ValueError: matmul"
    ):
        sg.distributed.grad(lambda p, X, y: (X @ y).sum())(P, *in_chunks())


def test_nan_names_the_block_and_where_it_comes_from():
    bad = Y.copy()
    bad[301] = np.nan
    with pytest.raises(NanBlockError, match=r"block 2 of 4 \(rows 260 to 389.*data argument 1 has nan at \[41\]"):
        sg.distributed.grad(loss)(P, *in_chunks(of=bad))
    bad[301] = np.inf
    with pytest.raises(NanBlockError, match=r"block 2 of 4 .* gave nan: data argument 1 has inf at \[41\]"):
        sg.distributed.grad(lambda p, X, y: loss(p, X, y - y))(P, *in_chunks(of=bad))
    with pytest.raises(NanBlockError, match=r"the parameters have nan at \[0\]\['b'\]"):
        sg.distributed.grad(loss)({**P, "b": np.nan}, *in_chunks())
    with pytest.raises(NanBlockError, match=r"block 0 of 1 .* the result is nan at"):
        sg.distributed.value_and_grad(lambda w, x: sg.log(w * x).sum())(-1.0, np.ones(3))


# ------------------------------------------------------------------ a cluster
def two_workers():
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)


@pytest.fixture(scope="module")
def cluster():
    with two_workers() as made:
        yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as made:
        yield made


def slowly(block):
    time.sleep(0.2)
    return block


by_value = lambda block: slowly(block)  # Dask sends names where it can, and workers cannot import the tests


def test_a_cluster_gives_the_same_bytes(client, monkeypatch):
    data = in_chunks(50)
    with dask.config.set(scheduler="threads"):
        expected = sg.distributed.value_and_grad(loss)(P, *data)
    assert same_bytes(sg.distributed.value_and_grad(loss)(P, *data), expected)
    held = client.persist(data)
    assert same_bytes(sg.distributed.value_and_grad(loss)(P, *held), expected)
    assert same_bytes(sg.distributed.value_and_grad(loss)(P, held[0] * 1, held[1]), expected)
    monkeypatch.setattr(summed, "SENT", 0)  # the order is a task, and workers add all
    assert same_bytes(sg.distributed.value_and_grad(loss)(P, *held), expected)


def test_a_cluster_forgets_what_a_call_asked_for(client, monkeypatch):
    monkeypatch.setattr(scheduler, "LINGER", 0.05)
    sg.distributed.grad(loss)(P, *in_chunks())
    left = lambda dask_scheduler: [k for k in dask_scheduler.tasks if "symgrad-" in str(k)]
    assert vanishes(lambda: client.run_on_scheduler(left))


def vanishes(left):
    for _ in range(100):
        if not left():
            return True
        time.sleep(0.1)
    return False


def test_a_worker_that_is_killed_changes_nothing():
    data = in_chunks(25)
    with dask.config.set(scheduler="threads"):
        expected = sg.distributed.value_and_grad(loss)(P, *data)
    slow = data[0].map_blocks(by_value, dtype=float)
    with two_workers() as cluster, distributed.Client(cluster):
        victim, _ = (worker.pid for worker in cluster.workers.values())  # the other goes on, if Dask starts none anew
        killer = threading.Timer(0.6, os.kill, [victim, 9])
        killer.start()
        assert same_bytes(sg.distributed.value_and_grad(loss)(P, slow, data[1]), expected)
        killer.join()


def test_a_cluster_without_workers_is_said(monkeypatch):
    monkeypatch.setattr(scheduler, "PATIENCE", 0.2)
    with distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster, distributed.Client(cluster):
        later = threading.Timer(1.5, cluster.scale, [1])
        later.start()
        with pytest.warns(RuntimeWarning, match="has no workers; this call waits for one"):
            assert_close(sg.distributed.grad(loss)(P, *in_chunks()), sg.grad(loss)(P, X, Y))
        later.join()


def test_errors_of_a_cluster_name_the_block(client):
    bad = Y.copy()
    bad[301] = np.nan
    with pytest.raises(NanBlockError, match="block 2 of 4"):
        sg.distributed.grad(loss)(P, *in_chunks(of=bad))
    assert_close(sg.distributed.grad(loss)(P, *in_chunks()), sg.grad(loss)(P, X, Y))


def test_a_worker_of_another_version_is_refused_by_name(client):
    given = blocks.blocks_of("f", in_chunks())
    kernel = work.BlockKernel(sg.grad, loss, 0)
    order = work.Order("distributed.grad", kernel, (P,), False, len(given), "symgrad 99", "token-of-another-version")
    graph, keys = tasks(order, given)
    assert f"Python 3.{sys.version_info.minor}, " in work.versions()
    assert "llvmlite" in work.versions()
    with pytest.raises(DistributedError, match=r"the worker \d+ at tcp://.* has symgrad \d.*process symgrad 99"):
        scheduler.answer(graph, keys[0])


def test_versions_are_compared_in_all_their_parts():
    parts = work.versions().split(", ")
    llvm = f"llvmlite {metadata.version('llvmlite')}" if is_installed("llvm") else "no llvmlite"
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    assert parts == [f"symgrad {sg.__version__}", f"NumPy {np.__version__}", python, llvm]
    kernel, place = work.BlockKernel(sg.grad, loss, 0), work.BlockPlace(0, (0, len(X)))
    for k in range(len(parts)):
        others = ", ".join([*parts[:k], f"{parts[k]}.1", *parts[k + 1 :]])
        order = work.Order("distributed.grad", kernel, (P,), False, 1, others, "token")
        assert order.numbers() == 5
        for evaluated in (lambda o: work.evaluate(o, place, X, Y), lambda o: work.evaluate_run(o, RUN, X, Y)):
            with pytest.raises(
                DistributedError, match=rf"has {re.escape(work.versions())}, the calling process {others}"
            ):
                evaluated(order)
            assert evaluated(replace(order, versions=work.versions()))


RUN = work.Run((work.BlockPlace(0, (0, len(X))),), ((0, 1),), "token")


def test_an_interrupt_cancels_what_was_submitted(client, monkeypatch):
    def interrupted(client, future, address):
        time.sleep(0.3)
        raise KeyboardInterrupt

    data = in_chunks(5)
    monkeypatch.setattr(scheduler, "_wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sg.distributed.grad(loss)(P, data[0].map_blocks(by_value, dtype=float), data[1])
    waiting = lambda dask_scheduler: [k for k in dask_scheduler.tasks if "symgrad-block" in str(k)]
    assert vanishes(lambda: client.run_on_scheduler(waiting))


def test_a_lost_scheduler_is_an_error():
    text = """
import threading, time
import dask.array as da, symgrad as sg
from distributed import Client, LocalCluster
def slowly(x):
    time.sleep(0.3)
    return x
def close(cluster):
    while not any("symgrad-block" in str(key) for key in list(cluster.scheduler.tasks)):
        time.sleep(0.05)
    cluster.close()
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, processes=False)
    client = Client(cluster)
    threading.Thread(target=close, args=[cluster], daemon=True).start()
    try:
        sg.distributed.grad(lambda w, x: (w * x).sum())(1.0, da.ones(100, chunks=1).map_blocks(slowly, dtype=float))
    except sg.errors.DistributedError as error:
        print("said:", error)
"""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=False)
    assert "said: distributed: the scheduler" in run.stdout, run.stderr[-2000:]


def test_a_scheduler_that_does_not_answer_is_lost(client, monkeypatch):
    async def silent(**kwargs):
        raise OSError("the connection is closed")

    held = client.persist(in_chunks())
    for question in ("ncores", "who_has"):
        with monkeypatch.context() as patch:
            patch.setattr(client.scheduler, question, silent, raising=False)
            scheduler._answers.clear()
            with pytest.raises(DistributedError, match=r"the scheduler tcp://.* is lost"):
                sg.distributed.grad(loss)(P, *held)


def test_calls_that_follow_each_other_ask_the_scheduler_once(monkeypatch):
    asked, answers = [], {"ncores": {"worker": 2}, "who_has": {"block": ()}}

    def answer(client, question, **given):
        asked.append(question)
        return answers[question]

    monkeypatch.setattr(scheduler, "_asked_of", answer)
    monkeypatch.setattr(scheduler, "FRESH", 600.0)
    client = type("Client", (), {"scheduler": SimpleNamespace(ncores="ncores", who_has="who_has")})()
    for _ in range(3):
        scheduler._recent(client, "ncores")
    for _ in range(2):  # rows that lie nowhere yet are asked of again
        scheduler._recent(client, "who_has", keys=["block"])
    assert asked == ["ncores", "who_has", "who_has"]


# ------------------------------------------------------------------ minimize
METHODS = ["L-BFGS-B", "Newton-CG", "trust-ncg"]


def classes(p, X, y):
    z = X @ p["w"] + p["b"]
    return (sg.nn.functional.softplus(z) - (y > 0) * z).mean()


def fitted(method="L-BFGS-B", **kwargs):
    start = {"w": np.zeros(4), "b": 0.0}
    return sg.optim.minimize(classes, start, data=in_chunks(), reduce="mean", method=method, **kwargs)


@pytest.mark.parametrize("method", METHODS)
def test_minimize_finds_what_scipy_finds(method):
    pytest.importorskip("scipy")
    found = fitted(method)
    whole = lambda p: classes(p, sg.tensor(X), sg.tensor(Y))
    expected = sg.optim.minimize(whole, {"w": np.zeros(4), "b": 0.0}, method=method)
    assert found.success
    assert found.nit <= expected.nit + 3
    np.testing.assert_allclose(found.x["w"], expected.x["w"], atol=2e-4)
    np.testing.assert_allclose(found.fun, expected.fun, rtol=1e-7)
    assert isinstance(found.x["b"], float)


def test_methods_on_a_valley_that_curves():
    def rosenbrock(p, rows):
        return (100 * (p[1:] - p[:-1] ** 2) ** 2 + (1 - p[:-1]) ** 2).sum() * rows.sum()

    for method, options in zip(METHODS, [{"ftol": 0.0, "gtol": 1e-8}, {"xtol": 1e-12}, {"gtol": 1e-8}], strict=True):
        found = sg.optim.minimize(rosenbrock, np.zeros(5), data=np.ones(3), method=method, options=options)
        np.testing.assert_allclose(found.x, np.ones(5), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(method, tmp_path):
    whole, path, steps = fitted(method), tmp_path / "run.npz", []

    def stop(x):
        steps.append(x)
        if len(steps) in (1, 2):
            raise RuntimeError("stopped")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="stopped"):
            fitted(method, checkpoint=path, callback=stop)
    found = fitted(method, checkpoint=path)
    assert same_bytes([found.x, found.fun, found.jac], [whole.x, whole.fun, whole.jac])
    assert (found.nit, found.nfev, found.nhev) == (whole.nit, whole.nfev, whole.nhev)
    again = fitted(method, checkpoint=path)
    assert again.message == whole.message
    assert same_bytes(again.x, whole.x)
    assert os.listdir(tmp_path) == ["run.npz"]


def test_a_driver_that_is_killed_loses_one_step_at_most(tmp_path):
    path = tmp_path / "run.npz"
    run = subprocess.Popen([sys.executable, "-c", f"""
import importlib.util, sys, time
spec = importlib.util.spec_from_file_location("killed", {str(Path(__file__))!r})
tests = sys.modules["killed"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tests)
tests.fitted(checkpoint={str(path)!r}, callback=lambda x: time.sleep(60))
"""])  # fmt: skip
    while not path.exists():
        assert run.poll() is None
        time.sleep(0.05)
    run.kill()
    run.wait()
    assert sg.load(path)["state"]["steps"] == 1
    assert same_bytes(fitted(checkpoint=path).x, fitted().x)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    fitted(checkpoint=path, options={"maxiter": 2})
    with pytest.raises(ArgumentError, match="of another run: method"):
        fitted("trust-ncg", checkpoint=path)
    with pytest.raises(ArgumentError, match="of another run: options"):
        fitted(checkpoint=path)
    twice = lambda p, X, y: 2 * classes(p, X, y)
    start = {"w": np.zeros(4), "b": 0.0}
    with pytest.raises(ArgumentError, match="another loss or other data"):
        sg.optim.minimize(twice, start, data=in_chunks(), reduce="mean", checkpoint=path, options={"maxiter": 2})
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ArgumentError, match="damaged"):
        fitted(checkpoint=path, options={"maxiter": 2})


CHANGED = {
    "no state": lambda s: None,
    "without x": lambda s: s.pop("x"),
    "another field": lambda s: s.update(more=1),
    "x of another shape": lambda s: s.update(x=s["x"][:2]),
    "a complex gradient": lambda s: s.update(gradient=s["gradient"] * 1j),
    "a gradient of float32": lambda s: s.update(gradient=s["gradient"].astype(np.float32)),
    "text for a value": lambda s: s.update(value="0.5"),
    "half a step": lambda s: s.update(steps=1.5),
    "steps below 0": lambda s: s.update(steps=-1),
    "a number for a message": lambda s: s.update(message=0),
    "a list for the memory": lambda s: s.update(memory=[]),
    "memory of another method": lambda s: s.update(memory={"radius": 1.0}),
    "memory that lacks a part": lambda s: s["memory"].pop("s"),
    "a pair that lacks its half": lambda s: s["memory"]["y"].pop(),
    "a pair of another shape": lambda s: s["memory"]["y"].__setitem__(0, np.ones(2)),
    "a number for pairs": lambda s: s["memory"].update(y=1.0, s=1.0),
    "a scale of nan": lambda s: s["memory"].update(scale=float("nan")),
}


@pytest.mark.parametrize("case", CHANGED)
def test_a_checkpoint_whose_state_is_none_is_refused_by_its_name(case, tmp_path):
    path, options = tmp_path / "run.npz", {"maxiter": 2}
    fitted(checkpoint=path, options=options)
    saved = sg.load(path)
    CHANGED[case](saved["state"])
    sg.save(saved if case != "no state" else {**saved, "state": 5}, path)
    with pytest.raises(ArgumentError, match=r"run\.npz holds no state of l-bfgs-b with \d numbers\. Give another file"):
        fitted(checkpoint=path, options=options)
    sg.save({**saved, "edges": np.arange(3)}, path)
    with pytest.raises(ArgumentError, match="of another run: edges"):
        fitted(checkpoint=path, options=options)


@pytest.mark.parametrize(("kwargs", "said"), [
    ({"method": "BFGS"}, "'L-BFGS-B', 'Newton-CG' or 'trust-ncg'"),
    ({"options": {"gtoll": 1}}, r"\['gtoll'\]"),
    ({"bounds": [(0, 1)]}, "cannot be combined with bounds"),
    ({"checkpoint": "none/run.npz"}, "none does not exist"),
    ({"checkpoint": "."}, r"checkpoint: \. is a folder"),
])  # fmt: skip
def test_what_minimize_does_not_take_beside_data(kwargs, said):
    with pytest.raises(ArgumentError, match=said):
        fitted(**kwargs)


def test_a_checkpoint_without_data_is_refused():
    with pytest.raises(ArgumentError, match="require data"):
        sg.optim.minimize(lambda x: x**2, 1.0, checkpoint="run.npz")


def test_a_start_where_the_loss_is_nan_is_an_error_and_a_step_there_is_not():
    log = lambda w, x: (w * x - sg.log(w) * x).sum()
    with pytest.raises(NanBlockError, match="at the first point"):
        sg.optim.minimize(log, -1.0, data=np.ones(3))
    assert abs(sg.optim.minimize(log, 5.0, data=np.ones(3)).x - 1) < 1e-4
    far = {"initial_trust_radius": 30.0}  # the model's minimum is -15
    assert abs(sg.optim.minimize(log, 5.0, data=np.ones(3), method="trust-ncg", options=far).x - 1) < 1e-4


def test_a_callback_ends_the_run():
    def end(intermediate_result):
        assert set(intermediate_result.x) == {"w", "b"}
        raise StopIteration

    found = fitted(callback=end)
    assert found.nit == 1
    assert not found.success
    assert "callback" in found.message


def test_minimize_on_a_cluster_holds_arrays_there(client):
    start = {"w": np.zeros(4), "b": 0.0}
    with dask.config.set(scheduler="threads"):
        expected = sg.optim.minimize(classes, start, data=(X, Y), reduce="mean")
    found = sg.optim.minimize(classes, start, data=(X, Y), reduce="mean")
    assert same_bytes(found.x, expected.x)


@pytest.mark.parametrize("kwargs", [{"tol": 0.0}, {"args": (1.0,)}, {"constraints": [{"type": "eq"}]}], ids=str)
def test_data_go_with_options_alone(kwargs):
    with pytest.raises(ArgumentError, match="data cannot be combined with bounds, constraints, args or tol"):
        fitted(**kwargs)
    with pytest.raises(ArgumentError, match="checkpoint and reduce require data"):
        sg.optim.minimize(lambda x: x**2, 1.0, reduce="mean")


def test_a_checkpoint_says_in_what_its_run_differs(tmp_path, monkeypatch):
    path, start, two = tmp_path / "run.npz", {"w": np.zeros(4), "b": 0.0}, {"maxiter": 2}
    whole = lambda x, **kwargs: sg.optim.minimize(
        classes, x, data=in_chunks(), checkpoint=path, options=two, **{"reduce": "mean", **kwargs}
    )
    found = whole(start)
    assert (found.status, found.success, found.nit) == (1, False, 2)
    assert (fitted().status, fitted().nhev) == (0, 0)
    for differs, other in (
        ("reduce", lambda: whole(start, reduce="sum")),
        ("x0", lambda: whole({**start, "b": 0.25})),
        ("x0", lambda: whole({**start, "b": np.zeros((1, 1))})),
    ):
        with pytest.raises(ArgumentError, match=f"of another run: {differs} differ"):
            other()
    saved = sg.load(path)
    for name, value in (("value", saved["state"]["value"] * 1.01), ("gradient", saved["state"]["gradient"] * 1.01)):
        sg.save({**saved, "state": {**saved["state"], name: value}}, path)
        with pytest.raises(ArgumentError, match="another loss or other data"):
            whole(start)
    assert saved["version"] == sg.__version__
    sg.save({**saved, "version": "0.0.0"}, path)
    with pytest.raises(ArgumentError, match="of another run: version differ"):
        whole(start)


def test_a_callback_gets_the_loss_of_each_step():
    losses = []
    found = fitted("trust-ncg", callback=lambda intermediate_result: losses.append(intermediate_result.fun))
    assert losses[-1] == found.fun
    assert losses == sorted(losses, reverse=True)
    assert len(losses) == found.nit


# ------------------------------------------------------------------ which blocks a task takes
@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 65, 130])
def test_the_tree_of_sums_is_the_same_whichever_blocks_a_task_takes(count):
    rng = np.random.default_rng(count)
    add = lambda children: f"({' '.join(children)})"
    whole = runs.add_up({(0, k): str(k) for k in range(count)}, count, add)
    for places, threads in [([None] * count, 1), (list(rng.integers(0, 3, count)), 2), (list(range(count)), 1)]:
        tasks = runs.runs(places, threads)
        assert sorted(k for task in tasks for k in task) == list(range(count))
        assert all(len({places[k] for k in task}) == 1 for task in tasks)
        sums = [runs.add_up({(0, k): str(k) for k in task}, count, add) for task in tasks]
        rng.shuffle(sums)
        one = {key: part for s in sums[:3] for key, part in s.items()}
        for s in [runs.add_up(one, count, add), *sums[3:]]:
            one = runs.add_up({**one, **s}, count, add)
        assert one == whole
    (text,) = whole.values()
    assert [int(n) for n in text.replace("(", " ").replace(")", " ").split()] == list(range(count))


def test_tasks_of_one_place_have_about_one_length():
    lengths = lambda places, threads: sorted(map(len, runs.runs(places, threads)))
    assert lengths(["a"] * 23 + ["b"] * 17, 2) == [17, 23]
    assert lengths(["a"] * 60 + ["b"] * 4, 2) == [4, 30, 30]
    assert lengths(["a"] * 8 + ["b"] * 8, 4) == [4, 4, 4, 4]
    assert lengths([None] * 40, 2) == [5] * 8


def test_of_workers_that_hold_a_block_the_one_with_fewest_takes_it(client):
    x = client.persist(da.ones(60, chunks=10))
    distributed.wait(x)
    client.replicate(distributed.futures_of(x))
    where = scheduler.places(blocks.blocks_of("f", [x]))
    assert sorted(map(where.count, set(where))) == [3, 3]


def test_a_task_takes_several_small_blocks_and_no_two_large_ones_that_are_computed_still(monkeypatch):
    small = blocks.blocks_of("f", [da.ones(1000, chunks=10) + 1])
    assert len(set(scheduler.places(small))) == 1
    monkeypatch.setattr(scheduler, "SMALL", 10)
    assert len(set(scheduler.places(small))) == 100
    held = blocks.blocks_of("f", dask.persist(da.ones(1000, chunks=10) + 1, scheduler="threads"))
    assert set(scheduler.places(held)) == {None}


# ------------------------------------------------------------------ sizes, keys, limits and dtypes
def test_rows_that_do_not_divide_are_shared_out_from_the_first_block_on(monkeypatch):
    data = X.astype(np.float32), Y  # 24 bytes a row
    for most, sizes in ((1000, [39] * 6 + [38] * 7), (9600, [250] * 2), (4800, [167] * 2 + [166])):
        monkeypatch.setattr(blocks, "BLOCK_BYTES", most)
        cut = blocks.blocks_of("f", data)
        assert np.diff(cut.edges).tolist() == sizes
        assert [rows.values.shape for rows, _ in cut.parts] == [(n, 4) for n in sizes]
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1)
    cut = blocks.blocks_of("f", [X[:3].reshape(3, 2, 2)])
    assert cut.edges == (0, 1, 2, 3)
    assert len({rows.token for (rows,) in cut.parts}) == 3
    with pytest.warns(UserWarning, match="chunks differ"):
        assert blocks.blocks_of("f", (in_chunks(200)[0], in_chunks(130)[1])).edges == (0, 200, 400, 500)


def test_rows_of_matrices_in_a_file(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(60.0).reshape(5, 4, 3))
    rows = file_rows(np.load(tmp_path / "x.npy", mmap_mode="r")[1:])
    np.testing.assert_array_equal(rows.part(1, 3).read(), np.arange(24.0, 48.0).reshape(2, 4, 3))


def test_tasks_are_as_many_as_threads_and_limits_allow():
    lengths = lambda places, threads: sorted({len(task) for task in runs.runs(places, threads)})
    assert lengths([None] * 40, 1) == [20]  # no task takes more than 32
    assert lengths([None] * 1024, 100) == [4]  # 256 tasks are enough
    assert lengths(["a", "b"] * 10, 3) == [5]
    assert runs.runs(["a", "b"] * 4, 4) == [[0, 2], [1, 3], [4, 6], [5, 7]]


def test_threads_are_those_that_dask_was_told():
    for told, threads in (
        ({"scheduler": "sync", "num_workers": 7}, 1),
        ({"scheduler": "threads", "num_workers": 7}, 7),
        ({"pool": ThreadPoolExecutor(3), "num_workers": 7}, 3),
        ({"pool": 5}, 5),
    ):
        with dask.config.set(**told):
            assert scheduler.workers() == threads


def test_small_blocks_are_those_whose_mean_is_small(monkeypatch):
    monkeypatch.setattr(scheduler, "SMALL", 100)
    together = lambda *data: len(set(scheduler.places(blocks.blocks_of("f", data)))) == 1
    assert together(da.ones(100, chunks=10) + 1)
    assert not together(da.ones(100, chunks=20) + 1)
    assert not together(delayed_blocks(X[:240]))  # nobody knows how large they are


def test_what_a_cluster_could_not_do_is_said_once_and_by_block(monkeypatch):
    lost = scheduler._killed(SimpleNamespace(task=("symgrad-block-1f", 3, 5), last_worker="tcp://w"))
    assert lost.startswith("distributed: block 3 or 5 was given up: the workers that computed it died, the last of ")
    assert "task ('ones', 2) was given" in scheduler._killed(SimpleNamespace(task=("ones", 2), last_worker="w"))
    monkeypatch.setattr(scheduler, "time", SimpleNamespace(monotonic=lambda: 100.0))
    assert scheduler._said_after(10.0, 91.0, "tcp://s") == 91.0
    with pytest.warns(RuntimeWarning, match="cluster at tcp://s has no workers"):
        assert scheduler._said_after(10.0, 90.0, "tcp://s") == np.inf


def test_memory_that_is_short_stays_that_error():
    def loaded(k):
        raise MemoryError("block too large")

    with pytest.raises(MemoryError, match="too large"):
        sg.distributed.grad(lambda w, x: (w * x).sum())(1.0, [dask.delayed(loaded)(0)])


def test_rows_and_sums_keep_float32():
    single = da.from_array(X.astype(np.float32), chunks=(130, 4))
    w = P["w"].astype(np.float32)
    rows = sg.distributed.vmap(lambda x: 2 * x)(single)
    slopes = sg.distributed.jacobian(lambda w, x: (x * w).sum(1))(w, single)
    for lazy, expected in ((rows, 2 * X), (slopes, X)):
        assert lazy.dtype == lazy.compute().dtype == np.float32
        np.testing.assert_allclose(lazy.compute(), expected, rtol=1e-6)
    value, slope = sg.distributed.value_and_grad(lambda w, x: (x * w).sum())(w, single)
    assert type(value) is type(sg.value_and_grad(lambda w, x: (x * w).sum())(w, X.astype(np.float32))[0])
    assert slope.dtype == np.float32
    np.testing.assert_allclose(slope, X.sum(0), rtol=1e-4)
    with pytest.raises(ArgumentError, match=r"rows of data gave shape \[4, 4\]. Expected a row for each row"):
        sg.distributed.jacobian(lambda w, x: x.sum(0) * w)(w, single)


def test_gauss_newton_of_a_matrix_beside_a_vector_is_the_sum_over_rows():
    p = {"W": RNG.normal(size=(4, 3)), "b": RNG.normal(size=3)}
    D = 1 - np.tanh(X @ p["W"] + p["b"]) ** 2  # ∂r[n, j]/∂W[i, j] = D[n, j] X[n, i]
    one = np.eye(3)
    expected = {
        "W": {"W": np.einsum("nj,ni,nk,jl->ijkl", D**2, X, X, one), "b": np.einsum("nj,ni,jl->ijl", D**2, X, one)},
        "b": {"W": np.einsum("nj,nk,jl->jkl", D**2, X, one), "b": np.diag((D**2).sum(0))},
    }
    data = in_chunks(70)[0]
    assert_close(sg.distributed.gauss_newton(lambda p, x: sg.tanh(x @ p["W"] + p["b"]))(p, data), expected)


def test_sums_of_many_tasks_are_added_in_several_levels(monkeypatch):
    monkeypatch.setattr(summed, "MERGED", 3)
    e = X @ P["w"] + P["b"] - Y
    with dask.config.set(scheduler="threads", num_workers=7):
        value, slope = sg.distributed.value_and_grad(loss)(P, *in_chunks(11))
    assert_close((value, slope), (float(e @ e), {"w": 2 * e @ X, "b": float(2 * e.sum())}))


def test_a_process_keeps_the_kernels_that_were_used_last(monkeypatch):
    monkeypatch.setattr(work, "MOST_KERNELS", 2)
    monkeypatch.setattr(work, "_known", OrderedDict())
    texts = [work.BlockKernel(sg.value_and_grad, f, 0)._as_written() for f in (squares, cubes, fourths)]

    def used(k):
        kernel = work._read(texts[k])
        assert kernel(2.0, np.array([1.5, 3.0])) == (2.0 ** (k + 2) * 4.5, (k + 2) * 2.0 ** (k + 1) * 4.5)
        return kernel._made

    first, second = used(0), used(1)
    assert used(0) is first
    used(2)
    assert used(0) is first
    assert used(1) is not second
    assert len(work._known) == 2


def squares(w, x):
    return (w**2 * x).sum()


def cubes(w, x):
    return (w**3 * x).sum()


def fourths(w, x):
    return (w**4 * x).sum()


def test_a_shape_that_cannot_be_traced_is_tried_once_and_the_others_stay_compiled():
    lengths = []

    def counted(w, x):
        lengths.append(len(x))
        if len(x) == 110 and getattr(x, "_value", x) is None:
            raise ValueError("this needs numbers")
        return (w * x).sum()

    f = sg.distributed.grad(counted)
    for times, seen in ((2, {110, 130}), (1, {110}), (1, {110})):  # traced and run, then run
        lengths.clear()
        assert np.isclose(f(1.0, in_chunks(130)[1]), Y.sum())
        assert lengths.count(110) == times
        assert set(lengths) == seen  # several threads may trace 130


def test_of_several_bad_numbers_the_first_is_named_and_nan_before_inf():
    y, x = Y.copy(), X.copy()
    y[[300, 301, 310]] = np.inf, np.nan, np.nan
    with pytest.raises(NanBlockError, match=r"block 2 of 4 .* gave nan: data argument 1 has nan at \[41\]"):
        sg.distributed.grad(loss)(P, *in_chunks(of=y))
    x[302, 1] = np.nan
    with pytest.raises(NanBlockError, match=r"block 0 of 1 .* gave nan: data argument 0 has nan at \[302, 1\]"):
        sg.distributed.grad(loss)(P, x, y)
    with dask.config.set(scheduler="sync"), pytest.raises(NanBlockError, match=r"block 23 of 39 .* has nan at"):
        sg.distributed.grad(loss)(P, *in_chunks(13, y))  # 20 blocks a task, which are not one sum
