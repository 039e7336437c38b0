"""Loops that are one operation, sg.scan and sg.fori_loop, and branches and loops that depend on values.

A body is traced once into a closed program (body), the operation Scan runs it (op), and its derivatives are Scans
whose bodies are derivatives of it (linear).
"""

from symgrad.transforms.loops.branching import associative_scan, cond, stop_gradient, switch, while_loop
from symgrad.transforms.loops.scanning import fori_loop, scan

__all__ = ["associative_scan", "cond", "fori_loop", "scan", "stop_gradient", "switch", "while_loop"]
