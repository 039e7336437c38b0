"""Metadata, archives and what a release changes: each fact is written once, and the others agree with it."""

import hashlib
import importlib.metadata
import importlib.util
import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import archives
import pytest
import test_package

import symgrad
from symgrad.support import extras

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]


def text(name):
    return (ROOT / name).read_text("utf-8")


@pytest.fixture(scope="module")
def release():
    spec = importlib.util.spec_from_file_location("release", ROOT / "packaging" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(release, tmp_path):
    """A folder with the files that a release changes."""
    for name in [*release.LINES, "CHANGELOG.md", "README.md"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


# ------------------------------------------------------------------ metadata
def test_a_package_page_has_what_it_shows():
    assert PROJECT["dynamic"] == ["version"]
    assert PROJECT["readme"] == "README.md"
    assert 40 < len(PROJECT["description"]) < 140
    assert (PROJECT["license"], PROJECT["license-files"]) == ("BSD-3-Clause", ["LICENSE"])
    assert len(PROJECT["keywords"]) >= 8
    for minor in (11, 12, 13):
        assert f"Programming Language :: Python :: 3.{minor}" in PROJECT["classifiers"]
    assert not any(c.startswith("License ::") for c in PROJECT["classifiers"])  # the license is an expression
    assert PROJECT["requires-python"] == ">=3.11"
    assert sys.version_info[:2] >= (3, 11)


def test_the_installed_metadata_is_that_of_pyproject():
    if test_package.is_editable():
        pytest.skip("the metadata of an editable installation is of the day it was made")
    found = importlib.metadata.metadata("symgrad")
    assert found["Summary"] == PROJECT["description"]
    assert found["Requires-Python"] == PROJECT["requires-python"]
    assert set(found.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    assert found.get_all("Classifier") == PROJECT["classifiers"]


def test_what_was_installed_from_a_wheel_is_the_package_and_its_metadata():
    distribution = importlib.metadata.distribution("symgrad")
    if Path(distribution.locate_file("symgrad")) != Path(symgrad.__file__).parent:
        pytest.skip("symgrad is not installed from a wheel")
    own = {"INSTALLER", "REQUESTED", "direct_url.json"}  # pip's
    names = [f.as_posix() for f in distribution.files if "__pycache__" not in f.parts and f.name not in own]
    assert archives.faults_of_wheel(n for n in names if not n.startswith("..")) == []


def test_the_contents_of_archives_are_compared():
    info = [f"symgrad-1.dist-info/{n}" for n in archives.METADATA]
    whole = [*archives.source_files(), *info]
    assert archives.faults_of_wheel(whole) == []
    assert archives.faults_of_wheel([n for n in whole if n != "symgrad/py.typed"]) == ["missing: symgrad/py.typed"]
    assert archives.faults_of_wheel([*whole, "tests/x.py"]) == ["beside the package: tests/x.py"]
    assert archives.faults_of_wheel([*whole, "symgrad/a.so"])[-1] == "of no kind: symgrad/a.so"
    assert archives.faults_of_wheel(whole[:-1]) == ["no metadata: licenses/LICENSE"]
    sdist = [*archives.source_files(), *archives.NEEDED]
    assert archives.faults_of_sdist(sdist) == []
    assert archives.faults_of_sdist([*sdist, "symgrad/__pycache__/a.pyc"])[0].startswith("unwanted")


# ------------------------------------------------------------------ one version, one way to install
def test_every_file_has_the_version_of_the_package(release):
    assert set(release.versions().values()) == {symgrad.__version__}


def test_the_changelog_has_a_dated_section_for_the_version():
    headings = re.findall(r"^## (.+)$", text("CHANGELOG.md"), re.M)
    assert headings[0] == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(symgrad.__version__)}\] - \d{{4}}-\d\d-\d\d", headings[1])
    assert f"date-released: {headings[1][-10:]}\n" in text("CITATION.cff")


def test_the_way_to_install_is_told_on_one_page():
    told = r"pip install [\"'](?:\.|symgrad)[^\"']*\[(\w+)\][\"']"
    pages = [p for p in (ROOT / "docs").glob("*.md") if p.name not in ("release.md", "performance.md")]
    assert [p.name for p in pages if re.search(told, p.read_text("utf-8"))] == ["install.md"]
    example = re.search(told, text("docs/install.md"))
    assert extras.HOW.format(extra=example[1]).startswith(example[0])


def test_the_page_has_every_extra_with_its_packages():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", text("docs/install.md"), re.M))
    assert set(rows) == set(PROJECT["optional-dependencies"])
    for extra, needed in PROJECT["optional-dependencies"].items():
        names = {re.match(r"[\w-]+", n)[0] for n in needed}
        assert {n.strip().lower() for n in rows[extra].split(",")} == names


def test_the_recipe_needs_what_the_package_needs():
    recipe = text("packaging/conda/recipe.yaml")
    run = re.search(r"  run:\n((?:    - .*\n)+)", recipe)[1]
    found = [line.strip("- ") for line in run.splitlines()]
    assert found == ["python >=${{ python_min }}", *(n.replace(">=", " >=") for n in PROJECT["dependencies"])]
    assert f'python_min: "{PROJECT["requires-python"].removeprefix(">=")}"' in recipe
    assert f"summary: {PROJECT['description']}\n" in recipe
    assert f"- symgrad = {PROJECT['scripts']['symgrad']}\n" in recipe
    optional = {
        re.sub(r"\[.*\]|;.*|-wheels", "", n)
        for needed in PROJECT["optional-dependencies"].values()
        for n in needed
        if "scikit" not in n
    }
    constrained = re.search(r"  run_constraints:\n((?:    - .*\n)+)", recipe)[1].replace("-base", "").replace(" >", ">")
    assert set(re.findall(r"- (\S+)", constrained)) == optional


def test_rattler_build_reads_the_recipe():
    rattler_build = pytest.importorskip("rattler_build")
    recipe = rattler_build.Stage0Recipe.from_file(str(ROOT / "packaging/conda/recipe.yaml"))
    (variant,) = recipe.render(rattler_build.VariantConfig())
    made = variant.recipe.to_dict()
    assert made["package"] == {"name": "symgrad", "version": symgrad.__version__}
    assert made["build"]["noarch"] == "python"
    assert made["requirements"]["run"][0] == f"python {PROJECT['requires-python']}"
    assert made["source"][0]["url"].endswith(f"/symgrad-{symgrad.__version__}.tar.gz")


# ------------------------------------------------------------------ what a release changes
def test_a_version_is_written_everywhere_and_dated(release, copy):
    release.set_version("9.8.7", "2031-02-03", copy)
    assert set(release.versions(copy).values()) == {"9.8.7"}
    assert "## [Unreleased]\n\n## [9.8.7] - 2031-02-03\n" in (copy / "CHANGELOG.md").read_text("utf-8")
    assert "date-released: 2031-02-03\n" in (copy / "CITATION.cff").read_text("utf-8")


@pytest.mark.parametrize(("version", "day"), [("1.2", "2031-02-03"), ("v1.2.3", "2031-02-03"), ("1.2.3", "3.2.2031")])
def test_what_is_no_version_or_day_changes_nothing(version, day, release, copy):
    with pytest.raises(ValueError, match=r"version|isoformat"):
        release.set_version(version, day, copy)
    assert set(release.versions(copy).values()) == {symgrad.__version__}


def test_a_checksum_is_written_into_the_recipe(release, copy):
    (copy / "s.tar.gz").write_bytes(b"symgrad")
    release.set_checksum(copy / "s.tar.gz", copy)
    digest = hashlib.sha256(b"symgrad").hexdigest()
    assert f'  sha256: "{digest}"\n' in (copy / "packaging/conda/recipe.yaml").read_text("utf-8")


def test_a_bill_of_materials_has_the_files_and_what_the_package_needs(release, copy):
    shutil.copy(ROOT / "pyproject.toml", copy)
    (copy / "dist").mkdir()
    with pytest.raises(ValueError, match="expected a wheel or an sdist"):
        release.write_bill(copy / "dist", copy)
    (copy / "dist" / "s.whl").write_bytes(b"symgrad")
    bill = json.loads(release.write_bill(copy / "dist", copy).read_text("utf-8"))
    main = bill["metadata"]["component"]
    assert main["purl"] == f"pkg:pypi/symgrad@{symgrad.__version__}"
    assert main["components"][0]["hashes"][0]["content"] == hashlib.sha256(b"symgrad").hexdigest()
    stated = {c["name"]: (c["scope"], c["properties"][0]["value"]) for c in bill["components"]}
    assert stated["numpy"] == ("required", ">=2.0")
    assert stated["dask"] == ("optional", "[array]>=2025.1")
    assert bill["dependencies"][0]["dependsOn"] == ["pkg:pypi/numpy", "pkg:pypi/sympy"]


def test_links_lead_to_files_that_exist_and_are_absolute_on_the_page_of_the_package(release, copy):
    page = text("README.md")
    files = [m[3] for m in release._LINK.finditer(page)] + [m[2] for m in release._SOURCE.finditer(page)]
    assert len(files) > 10
    assert [name for name in files if not (ROOT / name.partition("#")[0]).is_file()] == []
    release.set_links("https://host/symgrad/", copy)
    page = (copy / "README.md").read_text("utf-8")
    assert f"(https://host/symgrad/blob/v{symgrad.__version__}/docs/tutorial.md)" in page
    assert [m[0] for m in [*release._LINK.finditer(page), *release._SOURCE.finditer(page)]] == []


def test_the_workflow_and_the_checks_do_the_same(release):
    for page in ("docs/release.md", ".ci/run"):
        assert re.search(r"python -m build --no-isolation", text(page))
        assert re.search(r"twine check --strict", text(page))
        assert "python tests/tools/archives.py" in text(page)
    for words in re.findall(r"python packaging/release\.py (\w+)", text("docs/release.md")):
        assert f"release.py {words} " in release.__doc__
