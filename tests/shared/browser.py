"""A page in headless Chromium: its elements once it is loaded, and what the browser has to say."""

import shutil
import subprocess
import urllib.parse

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
    "--virtual-time-budget=5000", "--allow-file-access-from-files",
]  # fmt: skip

in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to show the page in")


def shown(path):
    """Return the elements of the page in this file, as text, and the lines of the console."""
    url = f"file://{urllib.parse.quote(str(path))}"
    done = subprocess.run([CHROMIUM, *FLAGS, url], capture_output=True, text=True, timeout=600)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]
