"""What symgrad refuses to be imported by."""

import subprocess
import sys


def test_a_python_without_its_lock_is_refused_with_what_to_do():
    code = "import sys; sys._is_gil_enabled = lambda: False; import symgrad"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: symgrad: Python runs without its global interpreter lock" in done.stderr
    assert "PYTHON_GIL=1" in done.stderr
