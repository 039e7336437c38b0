"""A picture for each program of `examples/`, drawn with the program's own functions: `example_NAME`."""

import importlib.util
import io
import tempfile
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sympy as sp
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from scipy.optimize import least_squares, minimize
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import symgrad as sg
from pictures import COLOURS, canvas, graphs
from symgrad.proved.covering import verified

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def _program(name: str) -> ModuleType:
    """A program as a module, without a call of its `main`."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def example_quickstart() -> Any:
    """Bars of the twelve largest coefficients of a logistic regression of 569 diagnoses, blue for benign."""
    program, data = _program("quickstart"), load_breast_cancer()
    X = sg.tensor((data.data - data.data.mean(0)) / data.data.std(0))
    y = sg.tensor(data.target.astype(float))
    fit = minimize(sg.value_and_grad(lambda p: program.objective(p, X, y)), np.zeros(31), jac=True, method="L-BFGS-B")
    w = fit.x[:-1]
    most = np.argsort(-np.abs(w))[:12][::-1]
    figure, ax = canvas(size=(6.4, 4.0))
    ax.barh(
        [str(data.feature_names[k]) for k in most], w[most], color=["#2f7fc1" if w[k] > 0 else "#d9691d" for k in most]
    )
    ax.axvline(0, color="#808890", linewidth=0.8)
    ax.set_title("Coefficients of a logistic regression")
    return figure


def example_chain_rule() -> str:
    """Graph of y = exp(sin(x²)): each link with its value, and beside each arrow the derivative that flows back."""
    return graphs.graph_of_a_chain()


def example_compiled() -> Any:
    """A hundred coordinates that approach Rosenbrock's minimum at 1: a line for each of twelve steps."""
    program = _program("compiled")
    both, path = sg.compile(sg.value_and_grad(program.rosenbrock)), [np.linspace(-1.0, 1.0, 100)]
    minimize(both, path[0], jac=True, method="L-BFGS-B", callback=lambda x: path.append(x.copy()))
    figure, ax = canvas(size=(6.4, 3.4))
    for k in np.unique(np.linspace(0, len(path) - 1, 12).astype(int)):
        ax.plot(path[k], color="#2f7fc1", alpha=0.25 + 0.7 * k / len(path), linewidth=1.3)
    ax.set_xlabel("coordinate")
    ax.set_title("Rosenbrock in 100 dimensions: from a straight line to 1")
    return figure


def example_digits_model() -> Any:
    """Two rows of handwritten digits, and below each digit the gradient of its score with respect to the pixels."""
    program = _program("mlp_digits")
    program.EPOCHS = 6
    X, labels, X_test, labels_test = program.data()
    with redirect_stdout(io.StringIO()):
        parameters = [p.detach() for p in program.train(X, labels, np.random.default_rng(1))]
    figure, axes = canvas(2, 8, size=(8.0, 2.2))
    for k, (above, below) in enumerate(axes.T):
        score = lambda x, k=k: program.logits(x[None], *parameters)[0, int(labels_test[k])]
        above.imshow(X_test[k].reshape(8, 8), cmap="gray_r")
        below.imshow(np.asarray(sg.grad(score)(X_test[k])).reshape(8, 8), cmap="RdBu", vmin=-1.5, vmax=1.5)
        for ax in (above, below):
            ax.axis("off")
    return figure


def example_mlp_digits() -> Any:
    """Loss against batches of a network of two layers on handwritten digits, falling from 2.3 to below 0.1."""
    program = _program("mlp_digits")
    X, labels, _, _ = program.data()
    generator = np.random.default_rng(1)
    weights = [generator.normal(size=s) / np.sqrt(s[0]) for s in ((64, 48), (48, 10))]
    parameters = [sg.tensor(weights[0], requires_grad=True), sg.zeros(48, requires_grad=True)]
    parameters += [sg.tensor(weights[1], requires_grad=True), sg.zeros(10, requires_grad=True)]
    optimizer, losses = sg.optim.Adam(parameters, lr=5e-3), []
    for _ in range(200):
        batch = generator.integers(0, len(labels), 64)
        optimizer.zero_grad()
        loss = sg.nn.functional.cross_entropy(program.logits(X[batch], *parameters), labels[batch])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    figure, ax = canvas(size=(6.4, 3.2))
    ax.semilogy(losses, linewidth=1.2)
    ax.set_xlabel("batch of 64 digits")
    ax.set_title("Cross entropy while training")
    return figure


def example_gaussian_mixture() -> Any:
    """Petals of 150 irises in three colours, with the contours of the three Gaussians that were fitted."""
    program, iris = _program("gaussian_mixture"), load_iris()
    X = (iris.data - iris.data.mean(0)) / iris.data.std(0)
    loss = sg.compile(sg.value_and_grad(program.loss))
    fit = minimize(loss, program.start(X, np.random.default_rng(0)), (X,), "L-BFGS-B", jac=True)
    component = np.asarray(program.log_joint(sg.tensor(fit.x), X)).argmax(1)
    figure, ax = canvas(size=(5.6, 4.0))
    for k in range(3):
        _, means, A = (np.asarray(a) for a in program.unpack(sg.tensor(fit.x)))
        covariance = np.linalg.inv(A[k].T @ A[k])[2:, 2:]
        angles = np.linspace(0, 2 * np.pi, 100)
        circle = np.linalg.cholesky(covariance) @ np.stack([np.cos(angles), np.sin(angles)])
        (points,) = ax.plot(*X[component == k, 2:].T, ".", markersize=6)
        for sigmas in (1, 2):
            ax.plot(*(means[k, 2:, None] + sigmas * circle), color=points.get_color(), linewidth=1)
    ax.set_xlabel("length of petals")
    ax.set_ylabel("width of petals")
    ax.set_title("Three Gaussians by L-BFGS")
    return figure


def example_gaussian_process() -> Any:
    """Observed against predicted progression of diabetes, around the diagonal."""
    program, raw = _program("gaussian_process"), load_diabetes()
    X, y = raw.data[:, [raw.feature_names.index(name) for name in program.FEATURES]], raw.target
    X, y = (X - X.mean(0)) / X.std(0), (y - y.mean()) / y.std()
    n = 80
    loss = sg.compile(sg.value_and_grad(program.loss))
    p = minimize(loss, np.zeros(6), (X[:n], y[:n]), "L-BFGS-B", jac=True).x
    K = np.asarray(program.kernel(sg.tensor(p), X[:n], X[:n])) + np.exp(p[5]) * np.eye(n)
    predicted = np.asarray(program.kernel(sg.tensor(p), X[n:], X[:n])) @ np.linalg.solve(K, y[:n])
    figure, ax = canvas(size=(5.0, 4.0))
    ax.plot(predicted, y[n:], ".", alpha=0.6)
    ax.plot([-1.5, 1.8], [-1.5, 1.8], color="#808890", linewidth=1)
    ax.set_xlabel("predicted")
    ax.set_ylabel("observed")
    ax.set_title("Patients that the process has not seen")
    return figure


def example_robot_arm() -> Any:
    """A robot with six joints in space, in the poses through which it reaches its target, the last one dark."""
    program = _program("robot_arm")
    both = sg.compile(lambda q, p, R: (program.miss(q, p, R), sg.jacobian(program.miss)(q, p, R)))
    goal = np.array([0.4, -1.2, 1.5, -0.6, 0.9, 0.3])
    target = [np.asarray(a) for a in program.tool(sg.tensor(goal))]
    q = goal + np.array([1.1, -0.7, 0.9, -0.8, 0.8, -0.6])
    figure = Figure(figsize=(5.0, 4.4))
    ax = figure.add_subplot(projection="3d")
    for step in range(6):
        pose, places = np.eye(4), [np.zeros(3)]
        for angle, parameters in zip(q, program.ARM, strict=True):
            pose = pose @ np.asarray(program.joint(sg.tensor(angle), *parameters))
            places.append(pose[:3, 3])
        ax.plot(*np.transpose(places), "-o", color="#2f7fc1", alpha=0.15 + 0.15 * step, linewidth=3, markersize=4)
        r, J = both(q, *target)
        q = q - np.linalg.solve(J.T @ J + 0.05 * (r @ r) * np.eye(6), J.T @ r)
    ax.plot(*target[0], "*", color="#d9691d", markersize=14)
    ax.set_title("Inverse kinematics of six joints")
    return figure


def example_pendulum() -> Any:
    """The noisy film of a pendulum as dots, the fitted swing through them, and the first guess far off."""
    program = _program("pendulum")
    predict = sg.compile(program.film)
    observed = predict(np.array([1.3, 0.15, 2.0, -0.4])) + 0.06 * np.random.default_rng(0).normal(size=program.FRAMES)
    start = np.array([1.0, 0.0, observed[0], 0.0])
    fit = least_squares(lambda u: predict(u) - observed, start, jac=sg.compile(sg.func.jacfwd(program.film)))
    t = program.DT * program.STEPS * np.arange(program.FRAMES)
    figure, ax = canvas()
    ax.plot(t, predict(start), color="#808890", linestyle=":", label="first guess")
    ax.plot(t, observed, ".", color="#d9691d", label="film")
    ax.plot(t, predict(fit.x), linewidth=2, label=f"fit: {fit.x[0]:.2f} m, friction {fit.x[1]:.2f}/s")
    ax.set_xlabel("seconds")
    ax.set_ylim(-3, 2.2)
    ax.legend(fontsize=9, loc="lower center", ncols=3)
    ax.set_title("A pendulum, fitted through its integrator")
    return figure


def example_bundle_adjustment() -> Any:
    """Pattern of a Jacobian of cameras and points: a block for each camera on the left, for each point on the right."""
    program = _program("bundle_adjustment")
    program.CAMERAS, program.POINTS = 4, 14
    generator = np.random.default_rng(0)
    camera, point = np.nonzero(generator.uniform(size=(4, 14)) < 0.6)
    try:
        J = sg.sparse_jacobian(lambda x: program.project(x, camera, point).reshape(-1))(program.scene(generator))
    finally:
        program.CAMERAS, program.POINTS = 12, 80
    figure, ax = canvas(size=(5.6, 4.4))
    ax.spy(J.toarray(), markersize=2, color="#2f7fc1", aspect="auto")
    ax.axvline(4 * 7 - 0.5, color="#d9691d", linewidth=1)
    ax.set_title(f"cameras | points: {J.nnz} entries of {np.prod(J.shape)}")
    ax.set_xticks([])
    ax.set_yticks([])
    return figure


def example_econometrics() -> Any:
    """Estimates of ten regression coefficients with bars of their standard errors, the robust ones beside them."""
    program, data = _program("econometrics"), load_diabetes()
    X, y = data.data * np.sqrt(len(data.target)), data.target - data.target.mean()
    start = np.concatenate([np.zeros(10), [np.log(y.var())]])
    theta, _, errors, robust = program.fit(lambda t: program.normal(t[:10], t[10], X, y), start)
    figure, ax = canvas(size=(6.4, 3.6))
    at = np.arange(10)
    ax.errorbar(at - 0.1, theta[:10], 2 * errors[:10], fmt="o", label="± 2 s.e. from the Hessian")
    ax.errorbar(at + 0.15, theta[:10], 2 * robust[:10], fmt="s", markersize=4, label="± 2 robust s.e.")
    ax.axhline(0, color="#808890", linewidth=0.8)
    ax.set_xticks(at, data.feature_names)
    ax.legend(fontsize=9, loc="lower right")
    ax.set_title("Progression of diabetes: coefficients")
    return figure


def example_fit_distributions() -> Any:
    """Lifetimes as ticks, and the three densities fitted to them."""
    program = _program("fit_distributions")
    x, xs = program.LIFETIMES, np.linspace(1, 200, 300)
    figure, ax = canvas(size=(6.4, 3.2))
    for name, start in program.FAMILIES.items():
        family = getattr(sg.stats, name)
        a, s = program.scoring(family, np.array(start), x)
        ax.plot(xs, family.pdf(xs, a, scale=s).numpy(), label=f"{name}, shape {a:.2f}")
    ax.plot(x, np.zeros_like(x), "|", markersize=14, color="#808890")
    ax.set_yticks([])
    ax.set_xlabel("millions of revolutions")
    ax.legend(fontsize=9)
    ax.set_title("How long 23 ball bearings lasted")
    return figure


def example_export_c() -> Any:
    """The log density of a product of Cauchys with the parabola of its Hessian, whose top is Newton's next point."""
    program = _program("export_c")
    location, scale = np.array([-1.0, 0.5, 2.0]), np.array([0.8, 1.0, 1.5])
    along = lambda x: program.log_density(sg.stack([x, x, x]), location, scale)
    xs, at = np.linspace(-4, 5, 200), 1.0
    value, slope, bend = along(at), sg.grad(along)(at), sg.grad(sg.grad(along))(at)
    figure, ax = canvas(size=(6.4, 3.2))
    ax.plot(xs, np.asarray(sg.vmap(along)(xs)), linewidth=2, label="log density")
    model = float(value) + slope * (xs - at) + 0.5 * bend * (xs - at) ** 2
    ax.plot(xs, model, "--", label="value, gradient, Hessian at the dot")
    ax.plot([at], [float(value)], "o", color="#d9691d")
    ax.set_ylim(-8, 0)
    ax.legend(fontsize=9)
    ax.set_title("What the exported C file computes")
    return figure


def example_distributed() -> Any:
    """Coefficients that were fitted to blocks of rows, as dots on the line of the true coefficients."""
    truth = np.linspace(-1, 1, 10)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 10))
    y = (rng.random(20_000) < 1 / (1 + np.exp(-X @ truth))).astype(float)
    found = sg.optim.minimize(_program("distributed").loss, {"w": np.zeros(10), "b": 0.0}, data=(X, y), reduce="mean")
    figure, ax = canvas(size=(6.4, 3.2))
    ax.plot(truth, label="that made the rows")
    ax.plot(found.x["w"], "o", label="found, block by block")
    ax.set_xlabel("coefficient")
    ax.legend()
    ax.set_title("Logistic regression by several processes")
    return figure


def example_kepler() -> Any:
    """How far a planet is ahead of a uniform motion over one revolution, for three eccentricities."""
    program = _program("kepler")
    figure, ax = canvas(size=(6.4, 3.2))
    times = np.linspace(0.05, 2 * np.pi - 0.05, 60)
    for e in (0.0167, 0.2056, 0.6):
        ax.plot(times, [float(program.anomaly(e, m)) - m for m in times], label=f"e = {e}")
    ax.set_xlabel("mean anomaly M")
    ax.legend(fontsize=9)
    ax.set_title("E − M by Kepler's equation")
    return figure


def example_keep_away() -> Any:
    """Boxes along the path of a spacecraft around a planet, all of them clear of a moon."""
    program = _program("keep_away")
    figure, ax = canvas(size=(6.4, 4.0))
    program.show(ax, program.tube())
    ax.set_title("A tube that contains every path")
    return figure


def example_stability() -> Any:
    """Motions of a damped pendulum that begin on an ellipse and come to rest within it."""
    program = _program("stability")
    figure, ax = canvas(size=(6.4, 4.0))
    program.show(ax, program.level())
    ax.set_title("A proved region of attraction")
    return figure


def _boxes(ax: Axes, boxes: Any, colour: str) -> None:
    """Draw boxes (n, 2, 2), each with its lower and upper bounds, on axes."""
    for low, high in boxes:
        style = {"facecolor": colour, "edgecolor": "white", "alpha": 0.55, "linewidth": 0.4}
        ax.add_patch(Rectangle(low, *(high - low), **style))


def example_safe_robot() -> Any:
    """A two-link arm in forty poses beside a disc, and its pairs of angles in boxes: safe, unsafe or undecided."""
    program = _program("safe_robot")
    figure, (left, right) = canvas(1, 2, size=(8.0, 3.8))
    for q in np.random.default_rng(1).uniform(*program.WORK, (40, 2)):
        places = program.joints(q)
        left.plot(places.real, places.imag, "-o", color=COLOURS[0], alpha=0.35, markersize=3)
    left.add_patch(Circle(program.OBSTACLE, program.SAFE, color=COLOURS[1]))
    left.set_aspect("equal")
    left.set_title("Poses of the framed box")
    for boxes, colour in zip(program.divided(), (COLOURS[2], COLOURS[1], COLOURS[5]), strict=True):
        _boxes(right, boxes, colour)
    low, high = map(np.array, program.WORK)
    right.add_patch(Rectangle(low, *(high - low), fill=False, edgecolor=COLOURS[0], linewidth=2))
    right.set(xlim=np.array(program.ALL)[:, 0], ylim=np.array(program.ALL)[:, 1])
    right.set_xlabel("first angle")
    right.set_ylabel("second angle")
    right.set_title("Green is safe, orange is not: proved")
    return figure


def example_equilibrium() -> Any:
    """Two curves of mass action on a square in boxes: grey ones have no equilibrium, the orange one exactly one."""
    program = _program("equilibrium")
    proof = sg.prove.root(lambda x: program.residuals(x, 5.0), program.PHYSICAL)
    leaves = verified(np.array(program.PHYSICAL).T, proof.certificate["tree"], lambda box, node: True) or []
    figure, ax = canvas(size=(5.6, 4.6))
    ax.axvspan(0, 1, color=COLOURS[5], alpha=0.2, linewidth=0)  # what Newton's step cuts off has no box
    for claim, colour in (("no zero", COLOURS[5]), ("one zero", COLOURS[1])):
        _boxes(ax, [box.T for box, node in leaves if node[0] == claim], colour)
    grid = np.linspace(0, 1, 200)
    values = np.asarray(program.residuals(np.meshgrid(grid, grid), 5.0))
    for value, colour in zip(values, (COLOURS[0], COLOURS[2]), strict=True):
        ax.contour(grid, grid, value, levels=[0.0], colors=[colour])
    ax.plot(*proof.zero.lower, "o", color="black")
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.set_xlabel("extent of CH₄ + H₂O ⇌ CO + 3 H₂")
    ax.set_ylabel("extent of CO + H₂O ⇌ CO₂ + H₂")
    ax.set_title("One equilibrium at 5 bar, and no other")
    return figure


def example_rounding() -> Any:
    """Errors of a sine in C as dots, below the proved bounds for parts of its domain, which form steps like a V."""
    program = _program("rounding")
    source = sg.export(program.sine, shapes={"x": ()}, target="c")
    xs = np.random.default_rng(2).uniform(-1, 1, 1500)
    errors = [abs(sp.sin(sp.Float(x, 50)) - program.run(source, float(x))) for x in xs]
    figure, ax = canvas(size=(6.4, 3.4))
    ax.stairs(program.bounds(source), program.EDGES, color=COLOURS[1], linewidth=2, baseline=None, label="proved bound")
    ax.plot(xs, np.array(errors, dtype=float), ".", markersize=3, color=COLOURS[0], label="error")
    ax.set_xlabel("x")
    ax.legend(fontsize=9)
    ax.set_title("|sine in C − sin x|, roundings included")
    return figure


def example_optimal_transport() -> Any:
    """Points of a ring on their way to a crescent, along the gradient of the transport cost."""
    program = _program("optimal_transport")
    Y, places, _ = program.moved()
    figure, ax = canvas(size=(6.4, 3.2))
    ax.plot(places[:, :, 0], places[:, :, 1], color="C0", linewidth=0.6)
    ax.plot(*places[0].T, "o", color="C0", markersize=4, label="points")
    ax.plot(*Y.T, "x", color="C1", label="target")
    ax.plot(*places[-1].T, ".", color="C2", label="after 15 steps")
    ax.set_aspect("equal")
    ax.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    ax.set_title("Optimal transport with entropy")
    return figure


def example_pendulum_period() -> Any:
    """The period of a pendulum over its amplitude, and three partial sums of its series, which fall short of it."""
    program = _program("pendulum_period")
    amplitudes = np.linspace(0.05, 2.8, 60)
    ratios = [float(program.period(a, 1.0, 1.0)) / (2 * np.pi) for a in amplitudes]
    figure, ax = canvas(size=(6.4, 3.2))
    ax.plot(amplitudes, ratios, label="the integral")
    for order, power in ((2, "θ²"), (4, "θ⁴"), (6, "θ⁶")):
        ax.plot(amplitudes, np.polyval(program.TEXTBOOK[order::-1], amplitudes), "--", label=f"series to {power}")
    ax.set_xlabel("amplitude θ in radians")
    ax.legend(fontsize=9)
    ax.set_title("T / (2π·√(L/g)) of a pendulum")
    return figure


def example_supply_and_demand() -> Any:
    """The prices that consumers pay and producers receive against the tax: two curves with the same starting point."""
    program = _program("supply_and_demand")
    taxes = np.linspace(0.0, 3.0, 40)
    p = np.array([float(program.price(t)) for t in taxes])
    figure, ax = canvas(size=(6.4, 3.2))
    ax.plot(taxes, p, label="consumers pay p")
    ax.plot(taxes, p - taxes, label="producers get p − t")
    ax.set_xlabel("tax t")
    ax.legend(fontsize=9)
    ax.set_title("Who bears the tax")
    return figure


def example_ridge_lambda() -> Any:
    """The loss on held-out patients over λ, a shallow valley."""
    program = _program("ridge_lambda")
    data, grid = program.data(), np.linspace(-2, 8, 31)
    figure, ax = canvas(size=(6.4, 3.2))
    ax.semilogx(np.exp(grid), [float(program.validation(s, *data)) for s in grid])
    ax.set_xlabel("λ")
    ax.set_title("Loss on held-out patients")
    return figure


def example_lynx_and_hare() -> Any:
    """Pelts of hares and lynxes from 1900 to 1920 as dots, with the waves of the fitted equations."""
    program = _program("lynx_and_hare")
    years = np.linspace(1900, 1920, 161)
    lines = program.numbers(sg.tensor(program.fit()[0]), years).numpy().T
    figure, ax = canvas(size=(6.4, 3.2))
    for line, counts, name, colour in zip(lines, program.PELTS.T, ("hares", "lynxes"), COLOURS, strict=False):
        ax.plot(years, line, color=colour, label=name)
        ax.plot(program.YEARS, counts, "o", markersize=4, color=colour)
    ax.set_xticks(range(1900, 1921, 4))
    ax.legend(fontsize=9)
    ax.set_title("Pelts in thousands, and Lotka and Volterra's equations")
    return figure


def example_survival() -> Any:
    """Shares of patients in remission over the weeks, with a drug and without: steps, and Weibull's curves."""
    program = _program("survival")
    figure, ax = canvas(size=(6.4, 3.6))
    program.draw(ax, program.fit().params)
    return figure


def example_orange_trees() -> Any:
    """Circumferences of five orange trees at seven ages as dots, and through them the curve of each tree."""
    program = _program("orange_trees")
    figure, ax = canvas(size=(6.4, 3.6))
    program.draw(ax, {name: float(value) for name, value in program.fit().params.items()})
    return figure


def example_eight_schools() -> Any:
    """The expected effects of eight schools over τ, which spread from one value to the data, and τ's density."""
    program = _program("eight_schools")
    taus = np.linspace(0.01, 25, 120)
    figure, axes = canvas(2, 1, size=(6.4, 4.6), sharex=True, height_ratios=[3, 1])
    axes[0].plot(taus, program.effects(np.full_like(taus, program.REFERENCE["mu"]), taus))
    axes[0].set_title("Expected effects of eight schools, if their spread is τ")
    draws, weights = program.weighted_draws(program.marginal())
    axes[1].hist(draws["tau"], np.linspace(0, 25, 51), weights=weights, color=COLOURS[-1])
    axes[1].set_xlabel("τ, and how likely it is")
    axes[1].set_yticks([])
    return figure


def example_cart_pole() -> Any:
    """A pendulum on a cart at 25 times of its swing-up, from hanging at the left to standing at the right."""
    program = _program("cart_pole")
    states = program.problem().solve(16).state(np.linspace(0, 2, 25))
    tips = states["place"] + 0.5 * np.sin(states["angle"]), -0.5 * np.cos(states["angle"])
    figure, ax = canvas(size=(6.4, 3.2))
    for k in range(25):
        ax.plot([states["place"][k], tips[0][k]], [0.0, tips[1][k]], "o-", color="C0", alpha=0.2 + k / 32, markersize=3)
    ax.set_aspect("equal")
    ax.set_title("A pendulum on a cart is swung up")
    return figure


def example_rocket() -> Any:
    """The thrust of Goddard's rocket over time: full, then a singular arc, then none."""
    program = _program("rocket")
    guess = {"height": lambda s: 1 + 0.01 * s, "speed": lambda s: 0.4 * s * (1 - s), "thrust": 1.75, "end": 0.2}
    trajectory = program.problem().solve(program.NODES, method="trapezoidal", guess=guess)
    figure, ax = canvas(size=(6.4, 3.2))
    ax.plot(trajectory.control_times, trajectory.controls["thrust"])
    ax.set_xlabel("t")
    ax.set_title("Goddard's rocket: thrust")
    return figure


def example_race_car() -> Any:
    """A track of two corners, and the car's line in the least time, coloured by its speed."""
    program = _program("race_car")
    figure, ax = canvas(size=(6.4, 3.6))
    program.draw(ax, program.problem().solve(program.NODES, method="trapezoidal"))
    return figure


def example_mpc_in_c() -> Any:
    """A pendulum that a controller in C keeps upright, pushed after two seconds: its angle, and the limited torque."""
    program, file = _program("mpc_in_c"), Path(tempfile.mkdtemp()) / "mpc.c"
    nlp = program.program()
    sg.export(nlp, target="c", path=file, name="mpc")
    figure, axes = canvas(2, 1, size=(6.4, 4.0), sharex=True)
    program.draw(axes, *program.closed_loop(program.Controller(file, nlp)))
    return figure


def example_reaction_rates() -> Any:
    """Concentrations of three substances that react: noisy dots, and the curves of the estimated rates."""
    program = _program("reaction_rates")
    measured = program.measurements()
    figure, ax = canvas(size=(6.4, 3.6))
    program.draw(ax, measured, program.problem(measured).solve().x)
    return figure


def example_power_flow() -> Any:
    """A network of nine buses with a weak line: power on the lines, and its price at each bus."""
    program = _program("power_flow")
    network, problem = program.program(program.weak(program.CASE9, 5, 60.0))
    figure, ax = canvas(size=(6.4, 4.0))
    program.draw(ax, problem.solve(), network)
    return figure
