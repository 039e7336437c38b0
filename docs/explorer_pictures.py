"""The pictures of the explorer's how-to: beside ``symgrad serve``, ``python docs/explorer_pictures.py`` writes them.

It needs the group ``browser``, Pillow and Chromium. 128 colours are enough for a page, and keep its pictures small.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

PLACE = Path(__file__).parent / "static"
COLOURS = 128
WIDE, NARROW = {"width": 1160, "height": 720}, {"width": 390, "height": 780}
SHARP = 1.5  # pixels of the picture for each of the page


def steps(page: Page) -> None:
    """The derivation of least squares."""
    page.get_by_text("substitute").first.wait_for()


def tangent(page: Page) -> None:
    """A curve, its derivative and a tangent."""
    page.get_by_role("slider").wait_for()


def practise(page: Page) -> None:
    """A wrong answer and a hint."""
    page.get_by_label("Your answer").fill("cos(x^4)")
    page.get_by_role("button", name="Check").click()
    page.locator("#verdict p").first.wait_for()
    page.get_by_role("button", name="Hint").click()
    page.locator("#hints li").first.wait_for()


def sheet(page: Page) -> None:
    """A sheet to print."""
    page.locator("ol > li").last.wait_for()


def phone(page: Page) -> None:
    """Level lines and a gradient, dark and narrow."""
    page.get_by_role("slider").wait_for()
    page.locator("#answer-title").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.querySelector('.derivative').offsetTop - 12)")


PICTURES: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "explorer-steps": (steps, "#f=norm(X*w - y)^2&wrt=w&tab=steps", {"viewport": WIDE}),
    "explorer-plot": (tangent, "#f=sin(3*x)*exp(-x^2/4)&tab=plot", {"viewport": WIDE}),
    "explorer-practise": (practise, "#practise&topic=chain&level=2&seed=35&problem=4", {"viewport": WIDE}),
    "explorer-sheet": (sheet, "sheet?topic=chain&level=2&seed=3", {"viewport": WIDE}),
    "explorer-phone": (phone, "#f=x^2+x*y+3*y^2-sin(2*x)&tab=plot", {"viewport": NARROW, "color_scheme": "dark"}),
}


def main(address: str) -> None:
    """Write all pictures of the page at an address."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (prepare, fragment, settings) in PICTURES.items():
            page = browser.new_page(device_scale_factor=SHARP, **settings)
            page.goto(address + fragment)
            prepare(page)
            page.wait_for_timeout(800)  # milliseconds, for what fades and scrolls
            write(page.screenshot(), PLACE / f"{name}.png")
        browser.close()


def write(shot: bytes, path: Path) -> None:
    """Write a picture in few colours."""
    picture = Image.open(io.BytesIO(shot)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000/")
