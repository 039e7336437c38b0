"""LLVM kernels: scalar code in loops that LLVM vectorises; needs llvmlite (``symgrad[llvm]``)."""
