"""No page of the documentation is too long for a telephone: ``python tests/tools/page_sizes.py FOLDER`` of HTML."""

import sys
from pathlib import Path

MOST = 100_000  # bytes of a page of the reference
OTHERS = 180_000  # of any other page: the longest is a table of every name of PyTorch's
GROWING = {"changelog.html"}  # longer with every release


def too_long(folder):
    """(page, bytes, bytes allowed) of every page that is too long."""
    pages = sorted(page for page in Path(folder).rglob("*.html") if page.name not in GROWING)
    limits = [(page, MOST if page.parent.name == "reference" else OTHERS) for page in pages]
    return [(page, page.stat().st_size, most) for page, most in limits if page.stat().st_size > most]


def main(folder):
    """Print the pages that are too long, and say by the exit status whether there are any."""
    if not list(Path(folder).glob("reference/*.html")):
        sys.exit(f"{folder} has no reference")
    found = too_long(folder)
    for page, size, most in found:
        print(f"{page}: {size} bytes of HTML. Expected at most {most}.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main(sys.argv[1])
