"""LLVM kernels: scalar IR in loops that LLVM vectorises; needs llvmlite (``symgrad[llvm]``)."""
