"""Problems of textbooks, and how their derivatives print: ``python tests/textbook.py [NAME…]`` shows the table.

A form is right when its value is what finite differences of the function say. Its length counts names, numbers, signs
and superscripts, definitions after ``where`` included; products' ``*``, brackets and commas do not count.
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


def main(names):
    """Print a line for each problem and the totals."""
    right = short = count = 0
    for problem in [p for p in TEXTBOOK if not names or p["name"] in names or p["group"] in names]:
        count += 1
        signal.alarm(SECONDS)
        start = time.perf_counter()
        try:
            found = of_problem(problem)
            text, seconds = str(found.form), time.perf_counter() - start
            good = bool(np.allclose(found.expected, differences(problem), rtol=1e-5, atol=1e-6))
            length = tokens(text)
        except Exception as error:  # whatever is raised is no form
            text, seconds, good, length = (
                f"{type(error).__name__}: {error}"[:200],
                time.perf_counter() - start,
                False,
                0,
            )
        signal.alarm(0)
        within = good and length <= problem["limit_tokens"]
        right, short = right + good, short + within
        mark = "ok   " if within else "LONG " if good else "WRONG"
        print(f"{mark} {problem['name']:18} {length:3}/{problem['limit_tokens']:<3} {seconds:5.1f} s  {text}")
        if not within:
            print(f"{'':38}book: {problem['textbook']}")
    print(f"{count} problems, {right} right, {short} within the limit")


if __name__ == "__main__":
    main(sys.argv[1:])
