"""``sg.signal``: functions with the names of ``scipy.signal``. They are implemented in ``ops``."""

from __future__ import annotations

from symgrad.engine.adapters import public_named
from symgrad.ops.signal import convolving, filtering
from symgrad.signal import windows
from symgrad.support.namespace import namespace

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d", "fftconvolve", "lfilter", "windows"]

convolve = public_named(convolving.convolve, "in1", "in2")
fftconvolve = public_named(convolving.fftconvolve, "in1", "in2")
correlate = public_named(convolving.correlate, "in1", "in2")
convolve2d = public_named(convolving.convolve2d, "in1", "in2")
correlate2d = public_named(convolving.correlate2d, "in1", "in2")
lfilter = public_named(filtering.lfilter, "b", "a", "x", "zi")

__getattr__, __dir__ = namespace(globals(), __all__)
