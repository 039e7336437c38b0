"""Functions along axes: sums, extremes, variances, running and smooth ones."""

from __future__ import annotations

from symgrad.engine.adapters import public
from symgrad.ops.reductions import calculus, extremes, reduce, running, scan, variance
from symgrad.ops.reductions import simpson as simpson_rule
from symgrad.ops.reductions import softmax as softmax_ops
from symgrad.ops.sorting import sorting, statistics
from symgrad.support.arguments import check_all

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "cummax", "cummin", "cumprod", "cumsum",
    "diff", "gradient", "log_softmax", "logsumexp", "max", "mean", "min", "nansum", "prod", "softmax", "std",
    "std_mean", "sum", "var", "var_mean", "aminmax", "corrcoef", "cov", "cumulative_trapezoid", "logcumsumexp",
    "nanmean", "renorm", "simpson", "trapezoid", "trapz",
]  # fmt: skip

sum = public(reduce.sum)
mean = public(reduce.mean)
prod = public(reduce.prod)
all = public(reduce.all)
any = public(reduce.any)
var = public(variance.var)
std = public(variance.std)
var_mean = public(variance.var_mean)
std_mean = public(variance.std_mean)
max = public(extremes.max)
min = public(extremes.min)
amax = public(extremes.amax)
amin = public(extremes.amin)
argmax = public(extremes.argmax)
argmin = public(extremes.argmin)
diff = public(calculus.diff)
gradient = public(calculus.gradient)
nansum = public(reduce.nansum)
count_nonzero = public(reduce.count_nonzero)
cummax = public(sorting.cummax)
cummin = public(sorting.cummin)
cumsum = public(scan.cumsum)
cumprod = public(scan.cumprod)
logsumexp = public(softmax_ops.logsumexp)
softmax = public(softmax_ops.softmax)
log_softmax = public(softmax_ops.log_softmax)
logcumsumexp = public(running.logcumsumexp)
trapezoid = public(calculus.trapezoid)
simpson = public(simpson_rule.simpson)
trapz = public(calculus.trapezoid)
cumulative_trapezoid = public(calculus.cumulative_trapezoid)
nanmean = public(statistics.nanmean)
aminmax = public(statistics.aminmax)
renorm = public(statistics.renorm)
cov = public(statistics.cov)
corrcoef = public(statistics.corrcoef)


check_all(globals(), __all__)
