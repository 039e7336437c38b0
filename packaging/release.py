"""What a release changes in the files of the repository; docs/release.md tells when.

python packaging/release.py version 0.3.0 2026-12-24     the version, everywhere, and the heading in the changelog
python packaging/release.py links https://…/symgrad      absolute links in README, for the page of the package
python packaging/release.py checksum dist/symgrad-0.3.0.tar.gz    the recipe's line
python packaging/release.py sbom dist                    symgrad-0.3.0.cdx.json, the bill of materials
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")
LINES = {  # the lines that have a version: its source, and what is written after it
    "symgrad/_version.py": '__version__ = "{}"',
    "CITATION.cff": "version: {}",
    "packaging/conda/recipe.yaml": '  version: "{}"',
}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)\s]+)\)")
_SOURCE = re.compile(r'((?:src|srcset|href)=")(?!https?://|#)([^"]+)(")')
_REQUIREMENT = re.compile(r"([\w.-]+)(\[.*?\])?(.*)")


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version that each file has."""
    return {name: _line(line).search((root / name).read_text("utf-8"))[1] for name, line in LINES.items()}  # type: ignore[index]


def set_version(version: str, day: str, root: Path = ROOT) -> None:
    """Write a version and its day, and head what is unreleased in the changelog with them."""
    datetime.date.fromisoformat(day)
    if not VERSION.fullmatch(version):
        raise ValueError(f"{version!r} is not a version. Expected numbers as in 0.3.0, or 0.3.0rc1.")
    for name, line in LINES.items():
        _replace(root / name, _line(line), line.format(version))
    _replace(root / "CITATION.cff", re.compile(r"^date-released: \S+$", re.M), f"date-released: {day}")
    _replace(
        root / "CHANGELOG.md", re.compile(r"^## \[Unreleased\]$", re.M), f"## [Unreleased]\n\n## [{version}] - {day}"
    )


def set_checksum(sdist: Path, root: Path = ROOT) -> None:
    """Write the SHA-256 of an sdist into the recipe."""
    digest = _digest(sdist)
    _replace(
        root / "packaging/conda/recipe.yaml", re.compile(r'^  sha256: "?[0-9a-f]{64}"?$', re.M), f'  sha256: "{digest}"'
    )


def bill_of_materials(archives: list[Path], root: Path = ROOT) -> dict[str, Any]:
    """Return what a release consists of and needs, in the format CycloneDX.

    Requirements have ranges of versions, because an installer chooses the versions.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    name, version = project["name"], versions(root)["symgrad/_version.py"]
    needed = [_component(text, "required") for text in project["dependencies"]]
    optional = {t: None for texts in project["optional-dependencies"].values() for t in texts}
    components = {c["bom-ref"]: c for c in [*(_component(t, "optional") for t in optional), *needed]}
    files = [{"type": "file", "name": a.name, "hashes": [{"alg": "SHA-256", "content": _digest(a)}]} for a in archives]
    ref = f"pkg:pypi/{name}@{version}"
    main = {"type": "library", "bom-ref": ref, "purl": ref, "name": name, "version": version, "components": files}
    main |= {"description": project["description"], "licenses": [{"license": {"id": project["license"]}}]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "metadata": {"component": main},
        "components": [components[k] for k in sorted(components)],
        "dependencies": [{"ref": ref, "dependsOn": sorted(c["bom-ref"] for c in needed)}],
    }


def _component(requirement: str, scope: str) -> dict[str, Any]:
    """Return a requirement such as ``numpy>=2.0`` as a component."""
    name, extras, rest = _REQUIREMENT.fullmatch(requirement).groups()  # type: ignore[union-attr]
    ref = f"pkg:pypi/{name.lower().replace('_', '-')}"
    stated = [{"name": "requirement", "value": f"{extras or ''}{rest}"}]
    return {"type": "library", "bom-ref": ref, "purl": ref, "name": name, "scope": scope, "properties": stated}


def write_bill(folder: Path, root: Path = ROOT) -> Path:
    """Write the bill of materials of the archives in a folder beside this folder."""
    archives = sorted(p for p in folder.iterdir() if p.name.endswith((".whl", ".tar.gz")))
    if not archives:
        raise ValueError(f"{folder}: expected a wheel or an sdist, found none. Run python -m build first.")
    path = folder.parent / f"symgrad-{versions(root)['symgrad/_version.py']}.cdx.json"
    path.write_text(json.dumps(bill_of_materials(archives, root), indent=2) + "\n", "utf-8")
    return path


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def absolute(text: str, address: str, version: str) -> str:
    """Return a page whose links to files of the repository lead to its address, at the tag of the version.

    >>> absolute("[a](docs/a.md) ![b](b.svg) [c](#c)", "https://host/x", "1.0.0")
    '[a](https://host/x/blob/v1.0.0/docs/a.md) ![b](https://host/x/raw/v1.0.0/b.svg) [c](#c)'
    """

    def place(name: str, picture: bool) -> str:
        return f"{address.rstrip('/')}/{'raw' if picture else 'blob'}/v{version}/{name}"

    text = _LINK.sub(lambda m: f"{m[1]}[{m[2]}]({place(m[3], bool(m[1]))})", text)
    return _SOURCE.sub(lambda m: m[1] + place(m[2], not m[1].startswith("href")) + m[3], text)


def set_links(address: str, root: Path = ROOT) -> None:
    """Write README's links as they are on the page of the package; this is not committed."""
    page = root / "README.md"
    page.write_text(absolute(page.read_text("utf-8"), address, versions(root)["symgrad/_version.py"]), "utf-8")


def _line(line: str) -> re.Pattern[str]:
    return re.compile("^" + re.escape(line).replace(r"\{\}", r"([\w.]+)") + "$", re.M)


def _replace(path: Path, what: re.Pattern[str], by: str) -> None:
    text, count = what.subn(lambda m: by, path.read_text("utf-8"))
    if count != 1:
        raise ValueError(f"{path.name}: expected one line such as {by.splitlines()[0]}, found {count}.")
    path.write_text(text, "utf-8")


def main(words: list[str]) -> int:
    """Do what the first word says."""
    match words:
        case ["version", version, day]:
            set_version(version, day)
        case ["links", address]:
            set_links(address)
        case ["checksum", sdist]:
            set_checksum(Path(sdist))
        case ["sbom", folder]:
            print(write_bill(Path(folder)))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
