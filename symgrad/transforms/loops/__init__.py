"""Loops that are one operation: sg.scan and sg.fori_loop.

A body is traced once into a closed program (body), the operation Scan runs it (op), and its derivatives are Scans
whose bodies are derivatives of it (linear).
"""

from symgrad.transforms.loops.scanning import fori_loop, scan

__all__ = ["fori_loop", "scan"]
