"""Other libraries: every example of the page that needs one, frames and labelled arrays, quantities refused."""

import re
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentTypeError, DTypeError

PAGE = (Path(__file__).parents[2] / "docs" / "interoperate.md").read_text("utf-8")
SNIPPETS = {
    re.search(r"^import (\w+)", code, re.MULTILINE)[1]: code for code in re.findall(r"```python\n(.*?)```", PAGE, re.S)
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("package", SNIPPETS)
def test_snippet_of_the_page_runs(package):
    pytest.importorskip(package)
    precision = np.array([[2.0, 1.2], [1.2, 2.0]])
    exec(
        SNIPPETS[package],
        {"np": np, "sg": sg, "precision": precision, "log_density": lambda x: -(x @ precision @ x) / 2},
    )


def test_the_page_has_them_all():
    assert set(SNIPPETS) == {"xarray", "emcee", "numba", "pint"}
    assert all(f">>> {name}" in PAGE for name in ("import pandas", "from sklearn", "from scipy"))


class Quantity:
    """A quantity like Pint's."""

    units = "meter"
    magnitude = np.array([1.0, 2.0])

    def __array__(self, dtype=None, copy=None):
        return np.array(self.magnitude, dtype)


class Measured(np.ndarray):
    """A quantity like astropy's, which is NumPy's array."""

    unit = "s"


class Labelled:
    """An array around a quantity, like xarray's around Pint's."""

    data = Quantity()

    def __array__(self, dtype=None, copy=None):
        return np.array(self.data.magnitude, dtype)


QUANTITIES = {"pint": Quantity(), "astropy": np.array([1.0, 2.0]).view(Measured), "labelled": Labelled()}
X = sg.tensor([1.0, 2.0], requires_grad=True)
USES = {
    "tensor": sg.tensor,
    "asarray": sg.asarray,
    "operator": lambda q: X * q,
    "function": sg.sin,
    "numpy": lambda q: np.add(X, q),
    "stack": lambda q: sg.stack([X, q]),
    "list": lambda q: sg.tensor([X, q]),
    "where": lambda q: sg.where(X > 0, X, q),
    "grad": sg.grad(lambda x: (x**2).sum()),
    "jacobian": sg.jacobian(lambda x: x**2),
    "vmap": sg.vmap(lambda x: x**2),
    "compile": sg.compile(lambda x: x**2),
    "form": lambda q: sg.derive("sum(x**2)", "x", shapes={"x": 2})(q),
    "explain": lambda q: sg.explain(lambda x: (x**2).sum(), at=q),
    "crosscheck": lambda q: sg.testing.crosscheck(lambda x: (x**2).sum(), q),
}


@pytest.mark.parametrize("kind", QUANTITIES)
@pytest.mark.parametrize("use", USES)
def test_quantity_is_refused_where_its_unit_would_be_lost(use, kind):
    with pytest.raises(ArgumentTypeError, match="tensors have no units, and this quantity's"):
        USES[use](QUANTITIES[kind])


@pytest.mark.parametrize("use", ["minimize", "sparse_jacobian"])
def test_quantity_is_refused_by_what_needs_scipy(use):
    pytest.importorskip("scipy")
    calls = {
        "minimize": lambda q: sg.optim.minimize(lambda x: (x**2).sum(), q),
        "sparse_jacobian": sg.sparse_jacobian(abs),
    }
    with pytest.raises(ArgumentTypeError, match="tensors have no units"):
        calls[use](Quantity())


MASKED = {
    "masked": np.ma.masked_array([1.0, 2.0], [True, False]),
    "labelled": type("Labelled", (Labelled,), {"data": np.ma.masked_array([1.0, 2.0], [True, False])})(),
}


@pytest.mark.parametrize("kind", MASKED)
@pytest.mark.parametrize("use", [use for use in USES if use != "numpy"])
def test_masked_array_is_refused_where_its_mask_would_be_lost(use, kind):
    with pytest.raises(ArgumentTypeError, match="tensors have no mask"):
        USES[use](MASKED[kind])


@pytest.mark.parametrize("backend", ["auto", "c", "numpy", "python"])
def test_compiled_function_that_was_called_with_arrays_refuses_a_mask(backend):
    try:
        square = sg.compile(lambda x: (x**2).sum(), backend=backend)
        square(np.ones(2)), square(np.ones(2))
    except sg.errors.MissingExtra:
        pytest.skip("there is no C compiler")
    with pytest.raises(ArgumentTypeError, match="tensors have no mask"):
        square(MASKED["masked"])


def loss(x):
    return (x**3).sum()


@pytest.mark.parametrize("reader", [sg.tensor, sg.asarray, sg.grad(loss), sg.compile(sg.grad(loss))], ids=range(4))
def test_frames_series_and_labelled_arrays_are_their_numbers(reader):
    pd = pytest.importorskip("pandas")
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    frame = pd.DataFrame(numbers, columns=["a", "b"], index=["x", "y"])
    np.testing.assert_array_equal(reader(frame), reader(numbers))
    np.testing.assert_array_equal(reader(frame["b"]), reader(numbers[:, 1]))
    np.testing.assert_array_equal(reader(frame["b"].astype("Float64")), reader(numbers[:, 1]))
    xr = pytest.importorskip("xarray")
    np.testing.assert_array_equal(reader(xr.DataArray(numbers, dims=("a", "b"))), reader(numbers))


def test_columns_that_are_no_numbers_are_refused():
    pd = pytest.importorskip("pandas")
    for column in (["a", "b"], pd.to_datetime(["2026-01-01", "2026-01-02"]), pd.Categorical(["u", "v"])):
        with pytest.raises((ArgumentTypeError, DTypeError)):
            sg.tensor(pd.Series(column))
