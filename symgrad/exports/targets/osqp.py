"""One step of sequential quadratic programming in C: the functions of a nonlinear program, and OSQP's generated solver.

At x the step d minimises ½ dᵀ(H + s·I) d + ∇fᵀd, where g and x keep to their ends to first order. OSQP's code generator
writes its solver for the pattern of this program; each call fills in the numbers.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.loops.errors import ExportError
from symgrad.exports.request import Request
from symgrad.exports.targets.c import header, table
from symgrad.exports.translate import Translator
from symgrad.support.extras import required

_FAR = 1e30  # what OSQP takes for infinite
_NEW = "OSQP 1.0"
_KEPT = re.compile(r"(\w+_workspace\.[ch]|osqp_configure\.h|(src|inc)/.*\.[ch])")

_STEP = """/* Written by symgrad. */
#include "{file}_step.h"
#include "{file}.h"
#include "osqp.h"
#include "{name}_qp_workspace.h"

{tables}

{prototype}
{{
    static double slope[{n}], held[{m}], jacobian[{nj}], hessian[{nh}];
    static OSQPFloat P[{np}], A[{na}], lower[{rows}], upper[{rows}];
    int failed = {calls};
    if (failed) {{
        return 1;
    }}
    for (long j = 0, k = 0; j < {n}; j++) {{
        for (; k < {name}_P_columns[j + 1]; k++) {{
            P[k] = {name}_P_entries[k] < 0 ? 0.0 : hessian[{name}_P_entries[k]];
        }}
        P[k - 1] += shift;
    }}
    for (long j = 0, k = 0; j < {n}; j++) {{
        for (long e = {name}_A_columns[j] - j; e < {name}_A_columns[j + 1] - j - 1; e++) {{
            A[k++] = jacobian[e];
        }}
        A[k++] = 1.0;
    }}
    for (long i = 0; i < {rows}; i++) {{
        const double at = i < {held} ? held[i] : x[i - {held}];
        lower[i] = {name}_lower[i] > -{far} ? {name}_lower[i] - at : -{far};
        upper[i] = {name}_upper[i] < {far} ? {name}_upper[i] - at : {far};
    }}
    if (osqp_update_data_mat(&{name}_qp_solver, P, OSQP_NULL, {np}, A, OSQP_NULL, {na})
        || osqp_update_data_vec(&{name}_qp_solver, slope, lower, upper) || osqp_solve(&{name}_qp_solver)) {{
        return 2;
    }}
    const OSQPInt status = {name}_qp_solver.info->status_val;
    if (status != OSQP_SOLVED && status != OSQP_SOLVED_INACCURATE && status != OSQP_MAX_ITER_REACHED) {{
        return 2;
    }}
    for (long j = 0; j < {n}; j++) {{
        step[j] = {name}_qp_solver.solution->x[j];
    }}
    for (long i = 0; i < {rows}; i++) {{
        prices[i] = {name}_qp_solver.solution->y[i];
    }}
    return status == OSQP_MAX_ITER_REACHED ? 3 : 0;
}}
"""

_SAYS = """/* Computes a step of sequential quadratic programming: x + step is the next iterate.

   multipliers: ({held},) those of g in f + multipliersᵀ g, such as the last prices; 0 at first
   shift: added to the diagonal of the Hessian; as large as makes it positive definite where the step has no ends
   step: ({n},)
   prices: ({rows},) the multipliers of g, then those of the bounds of x

Returns 0; 1 where a function failed; 2 where OSQP did, such as for a program that is not convex or has no feasible
point; 3 where it reached its limit of iterations, and the step is inexact.
*/
{prototype};"""


class Pattern(NamedTuple):
    """The matrices of OSQP.

    Attributes:
        p_columns, p_rows: where the columns of P's upper triangle start, and the rows of its entries.
        p_entries: where these stand among the entries of the Hessian's lower triangle; −1 for none.
        a_columns, a_rows: the same of A.
    """

    p_columns: Any
    p_rows: Any
    p_entries: Any
    a_columns: Any
    a_rows: Any

    @classmethod
    def of(cls, tables: Mapping[str, Any], held: int) -> Pattern:
        """Return the pattern of a program's tables; A is the Jacobian above the unit matrix."""
        n = len(tables["hessian_columns"]) - 1
        columns = np.repeat(np.arange(n), np.diff(tables["hessian_columns"]))
        entries = {(int(i), int(j)): k for k, (i, j) in enumerate(zip(tables["hessian_rows"], columns, strict=True))}
        places = sorted({*entries, *((j, j) for j in range(n))})  # rows of the lower triangle: columns of the upper
        starts = np.searchsorted([i for i, _ in places], np.arange(n + 1))
        below = np.split(np.asarray(tables["jacobian_rows"]), tables["jacobian_columns"][1:-1])
        rows = [r for j in range(n) for r in (*below[j], held + j)]
        return cls(
            starts, np.array([j for _, j in places]), np.array([entries.get(p, -1) for p in places]),
            np.asarray(tables["jacobian_columns"]) + np.arange(n + 1), np.array(rows, int),
        )  # fmt: skip


def step(
    name: str, file: str, requests: Mapping[str, Request], tables: Mapping[str, Any], ends: tuple[Any, Any]
) -> dict[str, str]:
    """Return the files of a step by their names, beside the file of the program's functions.

    Args:
        name: of the program in the source.
        file: the name of that file, without its suffix.
        requests: its functions.
        tables: the columns and rows of Jacobian and Hessian.
        ends: lower and upper ends of g, followed by the bounds of x.
    """
    first, *rest = zip(requests["gradient"].params, requests["gradient"].shapes, strict=True)
    n, rows = len(tables["hessian_columns"]) - 1, len(ends[0])
    pattern, held = Pattern.of(tables, rows - n), rows - n
    others = "".join(f", const double *{p}" if s else f", double {p}" for p, s in rest)
    arguments = f"const double *x{others}, const double *multipliers, double shift, double *step, double *prices"
    taken = {first[0], *(p for p, _ in rest)} & {"multipliers", "shift", "step", "prices", "x"} - {"x"}
    if taken:
        raise ExportError(f"export: qp='osqp' has an argument {min(taken)!r} of its own. Rename the parameter.")
    prototype = f"int {name}_step({arguments})"
    near, far = (np.clip(np.asarray(e, np.float64), -_FAR, _FAR) for e in ends)
    numbers = {
        "P_columns": pattern.p_columns, "P_entries": pattern.p_entries, "A_columns": pattern.a_columns,
        "lower": near, "upper": far,
    }  # fmt: skip
    sizes = {
        "n": n, "held": held, "rows": rows, "m": max(1, held), "nj": max(1, len(tables["jacobian_rows"])),
        "nh": max(1, len(tables["hessian_rows"])), "np": len(pattern.p_rows), "na": len(pattern.a_rows),
    }  # fmt: skip
    text = _STEP.format(
        name=name, file=file, prototype=prototype, far=_FAR, **sizes, calls=_calls(name, requests, rest),
        tables="\n".join(table(f"{name}_{k}", v, Translator()) for k, v in numbers.items()),
    )  # fmt: skip
    says = _SAYS.format(prototype=prototype, **sizes)
    generated = _solver(name, pattern, (near, far))
    return {
        f"{file}_step.c": text, f"{file}_step.h": header(f"{name}_step", says),
        **{f"{file}_osqp/{k}": v for k, v in generated.items()},
    }  # fmt: skip


def _calls(name: str, requests: Mapping[str, Request], rest: Any) -> str:
    """Return the calls of the program's functions, joined by "or"."""
    others = "".join(f", {p}" for p, _ in rest)
    out = {"gradient": "slope", "constraints": "held", "jacobian": "jacobian", "hessian": "hessian"}
    calls = [
        f"{name}_{f}(x{', 1.0, multipliers' if f == 'hessian' else ''}{others}, {into})"
        for f, into in out.items()
        if f in requests
    ]
    return " || ".join(calls) if "hessian" in requests else " || ".join([*calls, "!multipliers"])


def _solver(name: str, pattern: Pattern, ends: tuple[Any, Any]) -> dict[str, str]:
    """Return the files of OSQP's solver for this pattern, without those that are programs of their own."""
    osqp = required("export: qp='osqp'", "osqp", "osqp")
    matrix = required("export: qp='osqp'", "osqp", "scipy.sparse").csc_matrix
    n, rows = len(pattern.p_columns) - 1, len(ends[0])
    columns = np.repeat(np.arange(n), np.diff(pattern.p_columns))
    unit = (pattern.p_rows == columns).astype(np.float64)  # its zeros are entries
    P = matrix((unit, pattern.p_rows, pattern.p_columns), (n, n))
    A = matrix((np.ones(len(pattern.a_rows)), pattern.a_rows, pattern.a_columns), (rows, n))
    work = osqp.OSQP()
    with tempfile.TemporaryDirectory() as folder:
        try:
            work.setup(P, np.zeros(n), A, *ends, verbose=False, polishing=False, eps_abs=1e-6, eps_rel=1e-6)
            work.codegen(folder, "matrices", extension_name=None, force_rewrite=True, prefix=f"{name}_qp_")
        except (TypeError, AttributeError, AssertionError, ImportError) as error:
            raise ExportError(f"export: qp='osqp' needs the code generator of {_NEW} or later: {error}.") from None
        texts = {p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in sorted(Path(folder).rglob("*.[ch]"))}
    return {k: re.sub(r"by OSQP on .*", "by OSQP.", v) for k, v in texts.items() if _KEPT.fullmatch(k)}
