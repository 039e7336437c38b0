"""Seconds of processor time to a printed formula: ``python benchmarks/formulas.py``.

A fresh process for each, so that nothing is known from the one before; loading symgrad is not counted.
"""

import subprocess
import sys

FUNCTIONS = [
    ("x**2*sin(x)", 1),
    ("exp(sin(x))", 5),
    ("x**2*exp(x)/(1 + x**2)", 4),
    ("(1 + x)**x", 3),
    ("atan(x/(1 - x))", 4),
    ("sigmoid(x)*sigmoid(2*x)", 3),
    ("softplus(x)**2*sigmoid(x)", 3),
    ("x*tanh(x)*sigmoid(x)", 2),
    ("sin(x)*exp(x) + tanh(x)*log(x) + cosh(x)*atan(x) + tan(x)*sqrt(x) + sinh(x)*sigmoid(x)", 1),
]
PROGRAM = """
import sys, time
import symgrad as sg
str(sg.derive("x**2", "x"))
start = time.process_time()
text = str(sg.derive(sys.argv[1], "x", order=int(sys.argv[2])))
print(f"{time.process_time() - start:6.2f} s {len(text):4} signs")
"""


def main():
    """Print a line for each function and order."""
    for text, order in FUNCTIONS:
        command = [sys.executable, "-c", PROGRAM, text, str(order)]
        took = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip()
        print(f"{took}  order {order} of {text}")


if __name__ == "__main__":
    main()
