"""A sine in C for a controller without a mathematical library: a proved bound of its error, with all roundings.

sg.export writes a polynomial in C, whose lines are read back. In floats each operation has the result r (1 + δ) + η
instead of r, where |δ| ≤ 2⁻⁵³, and |η| ≤ 2⁻¹⁰⁷⁵ matters below the normal range. By the mean-value theorem the error is
at most Σ sup|∂f/∂δ| 2⁻⁵³ + Σ sup|∂f/∂η| 2⁻¹⁰⁷⁵, bounded by sg.enclose, and Taylor's remainder, at most |x|¹⁹/19!.
Assumed: IEEE doubles, rounded to nearest, without -ffast-math. A fused multiply-add only omits a rounding.
Run: python examples/rounding.py
"""

import ast
import re
import shutil
import tempfile

import numpy as np
import sympy as sp

import symgrad as sg
from symgrad.exports import load_c

EDGES, LIMITS = np.linspace(-1.0, 1.0, 25), np.array([2.0**-53, 2.0**-1074])  # 24 parts; 2⁻¹⁰⁷⁵ is no float


def sine(x):
    """Return Taylor's polynomial of degree 17."""
    tail = 1 - x**2 / 110 * (1 - x**2 / 156 * (1 - x**2 / 210 * (1 - x**2 / 272)))
    return x * (1 - x**2 / 6 * (1 - x**2 / 20 * (1 - x**2 / 42 * (1 - x**2 / 72 * tail))))


class EachOperation(ast.NodeTransformer):
    """Replaces each operation, such as a * b, by rounded(a * b)."""

    def visit_BinOp(self, node):
        """Return the call, in which the operands have been replaced as well."""
        return ast.Call(ast.Name("rounded", ast.Load()), [self.generic_visit(node)], [])


def run(source, x, rounded=lambda r: r):
    """Return the result of the C code, whose lines are assignments that Python can read, for numbers of any kind."""
    names = {"x": x, "rounded": rounded, "__builtins__": {}}
    for line in source.rpartition("{\n")[2].partition("    return 0;")[0].splitlines():
        name, text = re.fullmatch(r"    (?:const double )?(\w+)(?:\[0\])? = (.+);", line).groups()
        tree = ast.parse(re.sub(r"\b(\d+)\.0\b", r"\1", text), mode="eval")  # whole numbers are exact in SymPy, too
        names[name] = eval(ast.unparse(EachOperation().visit(tree)), names)
    return names["out0"]


def results(source, x, d):
    """Return the result of each operation with its δ and η, of which the last one is that of the code."""
    every = []
    run(source, x, lambda r: every.append(r * (1 + d[0, len(every)]) + d[1, len(every)]) or every[-1])
    return sg.stack(every)


def bounds(source):
    """Return a bound of the error for each part of the box, on which no result overflows."""
    count, parts = len(results(source, EDGES, np.zeros((2, 99)))), (EDGES[:-1], EDGES[1:])
    limits = np.tile(LIMITS[:, None, None], (1, count, len(EDGES) - 1))
    assert np.abs(sg.enclose(lambda x, d: results(source, x, d), [parts, (-limits, limits)])).max() < 1e300
    slopes = sg.enclose(lambda x, d: results(source, x, d)[-1].sum(), [parts, (-limits, limits)], derivative=1)[1]
    remainder = np.abs(parts).max(axis=0) ** 19 / float(sp.factorial(19))
    return ((np.abs(slopes).max(axis=0) * limits).sum(axis=(0, 1)) + remainder) * (1 + 1e-12)  # for rounding here


def main():
    """Prove the bound, and compare compiled code with 50 digits."""
    path, x = f"{tempfile.mkdtemp()}/sine.c", sp.Symbol("x")
    source = sg.export(sine, shapes={"x": ()}, target="c", path=path)
    assert sp.expand(run(source, x) - sp.sin(x).series(x, 0, 18).removeO()) == 0
    bound = bounds(source)
    print(f"For every float from -1 to 1 the C code is within {bound.max():.3e} of the sine: proved")
    code = load_c(path) if shutil.which("cc") else lambda v: run(source, v)  # the same operations in Python's floats
    samples = [*np.random.default_rng(0).uniform(-1, 1, 1000), *EDGES, *(0.5 ** np.arange(0, 1070, 5))]
    errors = np.array([abs(sp.sin(sp.Float(v, 50)) - code(float(v))) for v in samples], dtype=float)
    assert (errors <= bound[np.clip(np.searchsorted(EDGES, samples) - 1, 0, 23)]).all()
    print(f"The largest error at {len(samples)} floats is {errors.max():.3e}, and each is within the bound of its part")


if __name__ == "__main__":
    main()
