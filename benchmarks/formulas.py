"""Seconds of processor time to a printed formula: ``python benchmarks/formulas.py``.

A fresh process for each, so that nothing is known from the one before; loading symgrad is not counted.
"""

import subprocess
import sys

FUNCTIONS = [
    ("exp(sin(x))", 5),
    ("x**2*exp(x)/(1 + x**2)", 4),
    ("atan(x/(1 - x))", 4),
    ("sigmoid(x)*sigmoid(2*x)", 3),
    ("softplus(x)**2*sigmoid(x)", 3),
    ("x*tanh(x)*sigmoid(x)", 2),
]
PROGRAM = """
import sys, time
import symgrad as sg
str(sg.derive("x**2", "x"))
start = time.process_time()
text = str(sg.derive(sys.argv[1], "x", order=int(sys.argv[2])))
print(f"{time.process_time() - start:.2f}")
"""


def main():
    """Print a row for each function and order."""
    print("| function | order | seconds |\n|---|---:|---:|")
    for text, order in FUNCTIONS:
        command = [sys.executable, "-c", PROGRAM, text, str(order)]
        took = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip()
        print(f"| `{text}` | {order} | {took} |", flush=True)


if __name__ == "__main__":
    main()
