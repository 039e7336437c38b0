"""Samplers from other packages, applied to a model's log-density and gradient; draws as ArviZ's InferenceData.

Each sampler is a function of a ``Task``; it returns unconstrained draws (chains, draws, size) and its statistics
(chains, draws) by ArviZ's names.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, MissingExtra, NotConverged
from symgrad.support.arguments import shown
from symgrad.support.extras import is_installed, required
from symgrad.support.notices import warn
from symgrad.support.progress import long_work

Draws = tuple[Any, dict[str, Any]]


@dataclass(frozen=True)
class Task:
    """A request to a sampler: a model, the starting points (chains, size), a seed, and options."""

    model: Any
    draws: int
    tune: int
    starts: Any
    seed: int
    options: Mapping[str, Any]

    @property
    def chains(self) -> int:
        """The number of chains."""
        return len(self.starts)


@dataclass(frozen=True)
class _Sampler:
    run: Callable[[Task], Draws]
    extra: str  # that installs it
    has_processes: bool = False  # whether chains run in processes of their own


def sampled(
    model: Any, name: str | None, *, draws: int, tune: int, chains: int | None, seed: int | None, start: Any,
    cores: int | None, progress: bool, options: Mapping[str, Any],
) -> Any:  # fmt: skip
    """Return InferenceData by the sampler of this name, or the first that is installed."""
    name = _chosen(name)
    arviz = required("sample", "arviz", "arviz")
    required(f"sample(sampler={name!r})", SAMPLERS[name].extra, name)
    chains = chains or (max(2 * model.size + 2, 16) if name == "emcee" else 4)
    if name == "emcee" and chains < 2 * model.size:
        raise ArgumentError(f"sample: emcee has {chains} walkers. Expected chains={2 * model.size} or more.")
    seeds = np.random.SeedSequence(seed).spawn(chains)
    starts = np.stack([model.start(s) if start is None else start for s in seeds])
    if name == "emcee" and start is not None:  # whose walkers must differ
        starts = starts + 1e-2 * np.random.default_rng(seeds[0]).standard_normal(starts.shape)
    task = Task(model, draws, tune, starts, int(seeds[0].generate_state(1)[0]), options)
    model.value_and_grad(starts[0])  # compiled before any process forks
    try:
        y, statistics = _in_processes(name, task, seeds, _processes(name, chains, cores), progress)
    except (AttributeError, TypeError) as error:
        if not (unknown := [option for option in options if option in str(error)]):
            raise
        raise ArgumentError(f"sample: {name} refuses the option {unknown[0]!r}: {error}.") from error
    _report(name, statistics)
    return _inference_data(arviz, name, model, y, statistics)


def _chosen(name: str | None) -> str:
    if name is None:
        name = next((n for n, sampler in SAMPLERS.items() if is_installed(sampler.extra)), None)
        if name is None:
            raise MissingExtra(
                "sample needs a sampler, and none is installed. Run pip install nutpie arviz, the extra 'bayes'."
            )
    if name not in SAMPLERS:
        raise ArgumentError(f"sample: sampler is {shown(name)}. Expected one of {', '.join(SAMPLERS)}.")
    return name


def _processes(name: str, chains: int, cores: int | None) -> int:
    """In how many processes chains run: 1 where the sampler has its own way, or a process cannot fork safely."""
    if not SAMPLERS[name].has_processes or sys.platform != "linux":
        return 1
    return min(chains, cores or len(os.sched_getaffinity(0)))


# ------------------------------------------------------------------ processes
def _in_processes(name: str, task: Task, seeds: list[Any], processes: int, progress: bool) -> Draws:
    """Run chains one by one, in this process or in several."""
    run = SAMPLERS[name].run
    if not SAMPLERS[name].has_processes:
        with long_work(name, shown=progress):
            return run(task)
    tasks = [
        replace(task, starts=task.starts[k : k + 1], seed=int(s.generate_state(1)[0])) for k, s in enumerate(seeds)
    ]
    with long_work(f"{name}, chains", len(tasks), shown=progress) as work:
        results = []
        if processes == 1:
            for one in tasks:
                results.append(run(one))
                work.step()
        else:
            results = _forked(run, tasks, processes, work)
    return np.concatenate([y for y, _ in results]), {
        k: np.concatenate([s[k] for _, s in results]) for k in results[0][1]
    }


def _forked(run: Callable[[Task], Draws], tasks: list[Task], processes: int, work: Any) -> list[Draws]:
    """Run tasks in forked processes, which end with this one: by Ctrl-C, or by the first error."""
    context = multiprocessing.get_context("fork")
    waiting = list(enumerate(tasks))
    running: dict[Any, tuple[int, Any]] = {}
    results: dict[int, Draws] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                k, task = waiting.pop(0)
                here, there = context.Pipe(duplex=False)
                process = context.Process(target=_child, args=(run, task, there), daemon=True)
                with warnings.catch_warnings():  # a child has symgrad's locks anew, and does not call JAX
                    warnings.simplefilter("ignore", DeprecationWarning)
                    warnings.simplefilter("ignore", RuntimeWarning)
                    process.start()
                there.close()
                running[here] = (k, process)
            for ready in wait(list(running)):
                k, process = running.pop(ready)
                results[k] = _received(ready, process)
                work.step()
    finally:
        for _, process in running.values():
            process.terminate()
        for _, process in running.values():
            process.join()
    return [results[k] for k in range(len(tasks))]


def _child(run: Callable[[Task], Draws], task: Task, there: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent has it, and ends this process
    try:
        there.send(run(task))
    except Exception as error:
        there.send(error)
    except BaseException as error:  # a panic of a sampler's own language
        there.send(ArgumentError(f"sample: the sampler ended with {type(error).__name__}: {error}"))


def _received(here: Any, process: Any) -> Draws:
    try:
        result = here.recv()
    except EOFError as error:
        process.join()
        raise ArgumentError(
            f"sample: the process of a chain ended with exit code {process.exitcode}. Pass cores=1 to see its error."
        ) from error
    process.join()
    if isinstance(result, Exception):
        raise result
    return result  # type: ignore[no-any-return]


# ------------------------------------------------------------------ samplers
def _rejecting(model: Any, what: str) -> Callable[..., Any]:
    """The compiled function, -∞ where a matrix has no factor or a solver fails: Stan rejects such steps too."""
    function = model.compiled(what)
    worst: Any = -np.inf if what == "value" else (-np.inf, np.zeros(model.size))

    def call(y: Any) -> Any:
        try:
            return function(y)
        except (np.linalg.LinAlgError, NotConverged):
            return worst

    return call


def _nutpie(task: Task) -> Draws:
    nutpie = required("sample", "bayes", "nutpie")
    compiled_pyfunc = required("sample", "bayes", "nutpie.compiled_pyfunc")
    size, density = task.model.size, _rejecting(task.model, "value_and_grad")
    compiled = compiled_pyfunc.from_pyfunc(
        size, lambda: density, lambda *seeds: lambda y: {"y": y}, [np.dtype(np.float64)], [(size,)], ["y"],
        make_initial_point_fn=lambda seed: task.starts[0],
    )  # fmt: skip
    trace = nutpie.sample(
        compiled, draws=task.draws, tune=task.tune, chains=1, cores=1, seed=task.seed, progress_bar=False,
        save_warmup=False, **task.options,
    )  # fmt: skip
    names = {
        "diverging": "diverging", "lp": "logp", "energy": "energy", "tree_depth": "depth", "n_steps": "n_steps",
        "step_size": "step_size", "acceptance_rate": "mean_tree_accept",
    }  # fmt: skip
    statistics = trace.sample_stats
    return np.asarray(trace.posterior["y"]), {k: np.asarray(statistics[n]) for k, n in names.items() if n in statistics}


def _mici(task: Task) -> Draws:
    mici = required("sample(sampler='mici')", "mici", "mici")
    options = dict(task.options)
    density, target = _rejecting(task.model, "value_and_grad"), options.pop("target_accept", 0.8)

    value_of = _rejecting(task.model, "value")

    def slope(y: Any) -> Any:
        value, gradient = density(y)
        return -gradient, -value

    system = mici.systems.EuclideanMetricSystem(lambda y: -value_of(y), grad_neg_log_dens=slope)
    sampler = mici.samplers.DynamicMultinomialHMC(
        system, mici.integrators.LeapfrogIntegrator(system), np.random.default_rng(task.seed), **options
    )
    adapters = [mici.adapters.DualAveragingStepSizeAdapter(target), mici.adapters.OnlineVarianceMetricAdapter()]
    with np.errstate(all="ignore"):
        result = sampler.sample_chains(
            task.tune, task.draws, list(task.starts), adapters=adapters, display_progress=False,
            trace_funcs=[lambda state: {"y": state.pos, "energy": system.h(state)}],
        )  # fmt: skip
    names = {"diverging": "diverging", "acceptance_rate": "accept_stat", "n_steps": "n_step"}
    traces, statistics = result.traces, result.statistics
    return np.stack(traces["y"]), {
        "energy": np.stack(traces["energy"]),
        **{k: np.stack(statistics[n]) for k, n in names.items() if n in statistics},
    }


def _emcee(task: Task) -> Draws:
    emcee = required("sample(sampler='emcee')", "emcee", "emcee")

    value_of = _rejecting(task.model, "value")

    def density(y: Any) -> float:
        value = value_of(np.ascontiguousarray(y))
        return value if np.isfinite(value) else -np.inf

    ensemble = emcee.EnsembleSampler(task.chains, task.model.size, density, **task.options)
    ensemble.random_state = np.random.RandomState(task.seed).get_state()
    with np.errstate(all="ignore"):
        ensemble.run_mcmc(task.starts, task.tune + task.draws)
    y, logs = ensemble.get_chain(discard=task.tune), ensemble.get_log_prob(discard=task.tune)
    return np.swapaxes(y, 0, 1), {"lp": logs.T}


def _blackjax(task: Task) -> Draws:
    """JAX's program calls back for the density and its gradient, in double precision, for one chain after another."""
    blackjax = required("sample(sampler='blackjax')", "blackjax", "blackjax")
    jax = required("sample(sampler='blackjax')", "blackjax", "jax")
    precise = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)  # for all threads: calls come from one of JAX's own
    try:
        density = _in_jax(jax, task.model)
        key = jax.random.PRNGKey(task.seed)
        chain = jax.jit(lambda start, key: _blackjax_chain(jax, blackjax, density, task, start, key))
        runs = [chain(start, jax.random.fold_in(key, k)) for k, start in enumerate(task.starts)]
    finally:
        jax.config.update("jax_enable_x64", precise)
    return np.stack([y for y, _ in runs]), {k: np.stack([s[k] for _, s in runs]) for k in runs[0][1]}


def _in_jax(jax: Any, model: Any) -> Any:
    """The log-density as a function of JAX, with symgrad's gradient."""
    density_of = _rejecting(model, "value_and_grad")
    number, vector = (jax.ShapeDtypeStruct(shape, np.float64) for shape in ((), (model.size,)))

    def both(y: Any) -> Any:
        value, slope = density_of(np.asarray(y))
        return np.float64(value), slope

    def asked(y: Any) -> Any:
        return jax.pure_callback(both, (number, vector), y, vmap_method="sequential")

    density = jax.custom_vjp(lambda y: asked(y)[0])
    density.defvjp(asked, lambda slope, cotangent: (cotangent * slope,))
    return density


def _blackjax_chain(jax: Any, blackjax: Any, density: Any, task: Task, start: Any, key: Any) -> Draws:
    options = dict(task.options)
    target = options.pop("target_accept", 0.8)
    warm, drawing = jax.random.split(key)
    adaptation = blackjax.window_adaptation(blackjax.nuts, density, target_acceptance_rate=target, **options)
    (state, parameters), _ = adaptation.run(warm, start, num_steps=task.tune)
    step = blackjax.nuts(density, **parameters).step
    _, (y, info) = jax.lax.scan(
        lambda state, key: (lambda new, info: (new, (new.position, info)))(*step(key, state)),
        state, jax.random.split(drawing, task.draws),
    )  # fmt: skip
    names = {
        "diverging": "is_divergent", "energy": "energy", "acceptance_rate": "acceptance_rate",
        "n_steps": "num_integration_steps", "tree_depth": "num_trajectory_expansions",
    }  # fmt: skip
    return y, {k: getattr(info, n) for k, n in names.items()}


SAMPLERS = {
    "nutpie": _Sampler(_nutpie, "bayes", True),
    "blackjax": _Sampler(_blackjax, "blackjax"),
    "mici": _Sampler(_mici, "mici", True),
    "emcee": _Sampler(_emcee, "emcee"),
}


# ------------------------------------------------------------------ what is returned
def _report(name: str, statistics: Mapping[str, Any]) -> None:
    """Say in words that draws diverged."""
    diverging = statistics.get("diverging")
    if diverging is not None and (count := int(np.sum(diverging))):
        warn(
            f"{name}: {count} of {diverging.size} draws diverged: the posterior bends more sharply there than the "
            "steps can follow, so that the draws may miss a part of it. Pass a larger target_accept, such as 0.95, "
            "write hierarchical effects in noncentred form with constraints={…: lambda mu, tau: transforms.affine(mu, "
            "tau)}, or narrow the priors of scales."
        )


def _inference_data(arviz: Any, name: str, model: Any, y: Any, statistics: Mapping[str, Any]) -> Any:
    pointwise = model.pointwise(y)
    data = {k: np.asarray(v) for k, v in model.data.items()}
    observed = {k: v for k, v in data.items() if k in pointwise}
    return arviz.from_dict(
        posterior=model.constrain(y),
        sample_stats=dict(statistics),
        log_likelihood=pointwise,
        observed_data=observed or None,
        constant_data={k: v for k, v in data.items() if k not in observed} or None,
        attrs={"inference_library": name},
    )
