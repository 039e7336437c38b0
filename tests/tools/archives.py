"""What a wheel and an sdist hold: ``python tests/tools/archives.py dist`` says what is missing and what is too much.

A wheel holds the package, typed, and its metadata; an sdist all that it takes to build, test and document it.
"""

import fnmatch
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = "symgrad_command.py"  # answers --version and --help without importing the package
STATIC = ("html", "css", "js", "svg", "woff2", "txt")  # of a page
PACKAGE = (
    "*.py", "*.pyi", "*/py.typed", "*.txt", "symgrad/teach/notebook/*.js",
    *(f"symgrad/web/static/*.{kind}" for kind in STATIC),
)  # fmt: skip
METADATA = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
NEEDED = (
    "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "PKG-INFO", "tests/conftest.py",
    "docs/conf.py", "docs/index.md", "examples/quickstart.py", "packaging/conda/recipe.yaml", ".ci/run",
)  # fmt: skip
UNWANTED = ("*.pyc", "*.so", "*.pyd", "*.orig", "*.rej", "*~", "*/__pycache__/*", "*/.git/*", "*/_build/*", "*.whl")


def source_files() -> set[str]:
    """The files of the package, and the command beside it, as paths below the root."""
    found = (p.relative_to(ROOT).as_posix() for p in (ROOT / "symgrad").rglob("*") if p.is_file())
    return {COMMAND, *(name for name in found if "__pycache__" not in name)}


def faults_of_wheel(names: Iterable[str]) -> list[str]:
    """What is wrong with the names in a wheel, or in the record of what was installed from one."""
    names = set(names)
    package = {n for n in names if n.startswith("symgrad/") or n == COMMAND}
    metadata = {n.partition(".dist-info/")[2] for n in names if ".dist-info/" in n}
    others = {n for n in names - package if ".dist-info/" not in n}
    return [
        *(f"missing: {n}" for n in sorted(source_files() - package)),
        *(f"not in the source: {n}" for n in sorted(package - source_files())),
        *(f"of no kind: {n}" for n in sorted(package) if not any(fnmatch.fnmatch(n, kind) for kind in PACKAGE)),
        *(f"no metadata: {n}" for n in METADATA if n not in metadata),
        *(f"beside the package: {n}" for n in sorted(others)),
    ]


def faults_of_sdist(names: Iterable[str]) -> list[str]:
    """What is wrong with the names in an sdist, without its folder in front."""
    names = set(names)
    return [
        *(f"missing: {n}" for n in sorted({*source_files(), *NEEDED} - names)),
        *(f"unwanted: {n}" for n in sorted(names) if any(fnmatch.fnmatch(n, kind) for kind in UNWANTED)),
    ]


def faults(archive: Path) -> list[str]:
    """What is wrong with an archive."""
    if archive.suffix == ".whl":
        return faults_of_wheel(zipfile.ZipFile(archive).namelist())
    with tarfile.open(archive) as opened:
        return faults_of_sdist(m.name.partition("/")[2] for m in opened if m.isfile())


def main(folder: str) -> int:
    """Say what is wrong with the one wheel and the one sdist in a folder."""
    archives = sorted(Path(folder).iterdir())
    found = [f"{a.name}: {fault}" for a in archives for fault in faults(a)]
    if sorted(a.suffix for a in archives) != [".gz", ".whl"]:
        found.append(f"expected a wheel and an sdist, got {[a.name for a in archives]}")
    print("\n".join(found) or f"{', '.join(a.name for a in archives)}: all is well")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
