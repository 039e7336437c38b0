"""Kernels compiled by the C compiler of this machine: the code of ``llvm``, for where llvmlite is not installed."""
