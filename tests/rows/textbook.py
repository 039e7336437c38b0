"""Problems of textbooks, and how their derivatives print: ``python tests/rows/textbook.py [NAME…]`` shows the table.

A form is right when its value is what finite differences of the function say. Its length counts names, numbers, signs
and superscripts; products' ``*``, brackets and commas do not count. Two lengths are printed beside the limit, which is
drawn from the book's form: with the definitions after ``where``, and of the formula before it, since books use names
that they define elsewhere.
"""

import re
import signal
import sys
import time

import numpy as np
from written_forms import TEXTBOOK, differences, of_problem

TOKEN = r"[^\W\d]\w*|\d+\.?\d*(?:e[-+]?\d+)?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ]+|\*\*|\^⊙|[<>]=|[^\s\w*()\[\]{},;]"
SECONDS = 60  # a problem that takes longer is given up


def tokens(text):
    """Count names, numbers, superscripts and signs; Xᵀ and X² are one, ``*``, brackets and commas do not count."""
    return len(re.findall(TOKEN, text))


def formula_tokens(text):
    """Count as ``tokens`` does, without the definitions after ``where``."""
    return tokens(text.split(" where ")[0])


def main(names):
    """Print a line for each problem and the totals."""
    right = short = whole = count = 0
    for problem in [p for p in TEXTBOOK if not names or p["name"] in names or p["group"] in names]:
        count += 1
        signal.alarm(SECONDS)
        start = time.perf_counter()
        try:
            found = of_problem(problem)
            text, seconds = str(found.form), time.perf_counter() - start
            good = bool(np.allclose(found.expected, differences(problem), rtol=1e-5, atol=1e-6))
            length, formula = tokens(text), formula_tokens(text)
        except Exception as error:  # whatever is raised is no form
            text, seconds = f"{type(error).__name__}: {error}"[:200], time.perf_counter() - start
            good, length, formula = False, 0, 0
        signal.alarm(0)
        within = good and formula <= problem["limit_tokens"]
        right, short, whole = right + good, short + within, whole + (good and length <= problem["limit_tokens"])
        mark = "ok   " if within else "LONG " if good else "WRONG"
        lengths = f"{length:3} {formula:3}/{problem['limit_tokens']:<3}"
        print(f"{mark} {problem['name']:18} {lengths} {seconds:5.1f} s  {text}")
        if not within:
            print(f"{'':42}book: {problem['textbook']}")
    print(f"{count} problems, {right} right")
    print(f"within the limit: {short} by the formula before where, {whole} with its definitions")


if __name__ == "__main__":
    main(sys.argv[1:])
