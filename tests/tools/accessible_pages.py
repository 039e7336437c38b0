"""Pages of the documentation are accessible: ``python tests/tools/accessible_pages.py FOLDER [--all]`` of HTML.

axe looks for violations on a wide dark page and on a narrow light one, which must not scroll sideways either. Without
``--all``, a sample is looked at: one page of each kind, and every `STEP`-th of the others.
"""

import argparse
import shutil
import sys
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

KINDS = (
    "index.html",
    "search.html?q=hessian",
    "performance.html",
    "pictures.html",
    "reference/optim.html",
    "_static/pictures/report.html",
)
STEP = 150
ADDRESS = "http://documentation/"  # which no server has
SCREENS = (
    {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
)


def answer(folder, route):
    """Give the browser a file of the folder, without a server."""
    file = folder / urlsplit(route.request.url).path.lstrip("/")
    route.fulfill(path=file) if file.is_file() else route.fulfill(status=404)


def chosen(folder, every):
    """The pages to look at: all of them, or a sample."""
    pages = sorted(page.relative_to(folder).as_posix() for page in folder.rglob("*.html"))
    return [*KINDS, *(pages if every else pages[::STEP])]


def faults(page):
    """What is wrong with the page that is shown, a line each."""
    found = Axe().run(page).response["violations"]
    if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        yield "scrolls sideways"
    for violation in found:
        for node in violation["nodes"]:
            yield f"{violation['id']}: {node['html'][:160]}"


def main():
    """Print what is wrong, and say by the exit status whether anything is."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--all", action="store_true", help="look at every page")
    asked = options.parse_args()
    count = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for screen in SCREENS:
            page = browser.new_context(**screen, reduced_motion="reduce").new_page()
            page.route(f"{ADDRESS}**", partial(answer, asked.folder))
            for name in chosen(asked.folder, asked.all):
                page.goto(ADDRESS + name)
                for fault in faults(page):
                    count += 1
                    print(f"{name}, {screen['viewport']['width']} px, {screen['color_scheme']}: {fault}", flush=True)
        browser.close()
    sys.exit(bool(count))


if __name__ == "__main__":
    main()
