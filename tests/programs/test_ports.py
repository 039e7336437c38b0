"""Programs of PyTorch's in examples/from_pytorch: with one import changed back they give the same numbers there."""

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import symgrad as sg

FOLDER = Path(__file__).parents[2] / "examples" / "from_pytorch"
PORTS = {  # program: its model, and its losses after a few steps; how many layers where it has many
    "nano_gpt": ("GPT", lambda m, model: m.train(model, 3)),
    "digits_cnn": ("Net", lambda m, model: [*m.train(model, few(m.data()[0], m), 2), m.accuracy(model, m.data()[1])]),
    "gru_series": ("Forecast", lambda m, model: [*m.train(model, m.series(), 3), *m.forecast(model, m.series(), 3)]),
    "vae": ("VAE", lambda m, model: m.train(model, m.images()[:256], 2)),
    "cart_pole": ("ActorCritic", lambda m, model: np.ravel(m.train(model, 1))),
}


def few(dataset, module):
    return module.TensorDataset(*dataset[:128])


def program(name, library):
    """The example as a module, on symgrad or on PyTorch."""
    path = FOLDER / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    module = ModuleType(f"port_{name}_{library}")
    module.__file__ = str(path)
    exec(
        compile(source if library == "symgrad" else re.sub(r"\bsymgrad\b", library, source), path, "exec"), vars(module)
    )
    return module


@pytest.fixture
def double_precision():
    torch = pytest.importorskip("torch", reason="compares with torch")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield torch
    torch.set_default_dtype(before)


@pytest.mark.parametrize("name", PORTS)
def test_a_port_computes_what_it_computes_on_pytorch(name, double_precision, monkeypatch):
    torch = double_precision
    if name in ("digits_cnn", "vae"):
        pytest.importorskip("sklearn", reason="reads scikit-learn's digits")
    kind, run = PORTS[name]
    modules = [program(name, library) for library in ("symgrad", "torch")]
    for module in modules:
        if name == "nano_gpt":
            module.LAYERS, module.BATCH = 2, 4
        if name == "cart_pole":
            module.STEPS = 128
    sg.manual_seed(0)
    ours, theirs = (getattr(module, kind)() for module in modules)
    state = ours.state_dict()
    assert [(k, tuple(v.shape)) for k, v in theirs.state_dict().items()] == [(k, v.shape) for k, v in state.items()]
    theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in state.items()})
    results = []
    for library, module, model in zip((sg, torch), modules, (ours, theirs), strict=True):
        rng = np.random.default_rng(0)
        monkeypatch.setattr(
            library, "randn_like", lambda x, T=library, rng=rng: T.tensor(rng.normal(size=tuple(x.shape)))
        )
        results.append(np.array(run(module, model), float))
    np.testing.assert_allclose(results[0], results[1], rtol=1e-9, atol=1e-10)
    for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-6, atol=1e-8)


def test_every_port_is_compared_and_differs_by_its_import():
    paths = sorted(FOLDER.glob("*.py"))
    assert [path.stem for path in paths] == sorted(PORTS)
    for path in paths:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert "import symgrad as torch" in lines
        assert all("import" in line for line in lines if re.search(r"\bsymgrad\b", line))
        assert len(lines) <= 140


def test_a_model_of_letters_writes():
    module = program("nano_gpt", "symgrad")
    module.LAYERS = 1
    sg.manual_seed(0)
    text = module.write(module.GPT(), "When", 6)
    assert text.startswith("When")
    assert len(text) == 10
