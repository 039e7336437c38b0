"""Users' texts stay text: hostile names, keys, sizes and titles, in every language that is written.

The texts of ``hostile.py`` stand in one source together, which is executed, compiled or read.
"""

import ast
import html.parser
import inspect
import keyword
import os
import re
import shutil
import subprocess
import xml.dom.minidom
from pathlib import Path

import numpy as np
import pytest
import reserved_names
from exporting import loaded
from hostile import NAMES, TEXTS

import symgrad as sg
from symgrad.exports import TARGETS, ExportError
from symgrad.exports.names import PYTHON, C, function_name, identifier, identifiers
from symgrad.support import foreign

PACKAGE = Path(sg.__file__).parent
MODES = (["-std=c99"], ["-std=gnu99"], ["-std=c11"], ["-std=gnu17"], ["-x", "c++", "-std=c++11"],
         ["-x", "c++", "-std=gnu++20"])  # fmt: skip
with_gcc = pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("g++")), reason="needs gcc and g++")


# ------------------------------------------------------------------ sources, by the place of the texts in them
def keys():
    """A function of a dict and with a dict as its result, and its arguments."""
    return (lambda p: {k: 2 * v for k, v in p.items()}), (dict.fromkeys(TEXTS, np.ones(2)),), "f"


def nested():
    """Tuples as keys."""
    return (lambda x: {(t, k): k * x for k, t in enumerate(TEXTS)}), (np.ones(2),), "f"


def statics():
    """A string that the function returns beside arrays."""
    return (lambda x: (2 * x, list(TEXTS))), (np.ones(2),), "f"


def leaves():
    """A closed form whose leaves have the names."""
    xs = [sg.tensor(np.array([1.0, 2.0]), name=n, requires_grad=True) for n in NAMES[:60]]
    product = xs[0].sum()
    for x in xs:
        product = product * x.sum()
    return sg.derive(product, xs[0]), None, "f"


def titles():
    """The function's own name."""
    return (lambda x: 2 * x), (np.ones(2),), "".join(NAMES[:8])


PLACES = {f.__name__: f for f in (keys, nested, statics, leaves, titles)}


@pytest.fixture(autouse=True)
def unharmed(tmp_path, monkeypatch, capfd):
    """Nothing may have run: no output, no environment variable, no file."""
    monkeypatch.chdir(tmp_path)
    yield
    assert "PWNED" not in os.environ
    assert "PWNED" not in capfd.readouterr().out


def run(text, target, folder):
    """Execute, compile or read a source."""
    assert text.isprintable() or all(c == "\n" or c.isprintable() for c in text)
    if target in ("numpy", "python", "sympy"):
        exec(compile(text, "<exported>", "exec"), {"__name__": "exported"})
    elif target in ("jax", "torch"):
        tree = ast.parse(text)  # imports a library that need not be here
        assert isinstance(tree.body[-1], ast.FunctionDef)
        assert all(
            isinstance(s, (ast.Expr, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign)) for s in tree.body
        )
    elif target == "c":
        compiled(text, folder)
    else:
        latex(text)


def compiled(text, folder, modes=MODES):
    if not (shutil.which("gcc") and shutil.which("g++")):
        return
    for mode in modes:
        command = ["gcc", *(mode if "-x" in mode else ["-x", "c", *mode]), "-Wall", "-Wextra", "-Werror"]
        subprocess.run([*command, "-fsyntax-only", "-"], input=text, text=True, check=True, cwd=folder)


def latex(text):
    """Assert that nothing of a name's is a command, and that brackets are whole."""
    assert not {"input", "write", "include", "catcode", "def"} & set(re.findall(r"\\([A-Za-z]+)", text))
    bare = re.sub(r"\\[\\{}%&$#_]", "", text)
    assert bare.count("{") == bare.count("}")
    assert text.count(r"\end") == text.count(r"\begin")
    assert "^^" not in bare
    assert "$" not in bare
    assert all(line.startswith("%") or "%" not in line for line in bare.splitlines())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("place", PLACES)
def test_hostile_texts_in_sources_stay_text(place, target, tmp_path):
    f, args, name = PLACES[place]()
    run(sg.export(f, args, target=target, name=name), target, tmp_path)


def test_results_are_under_the_keys_that_were_given():
    f, args, name = keys()
    found = loaded(sg.export(f, args, target="numpy", name=name))(*[np.ones(2)] * len(TEXTS))
    assert list(found) == list(args[0])


class Evil(str):
    """A string that runs when its representation does."""

    def __repr__(self):
        return "print('PWNED')"

    __str__ = __repr__


class Thing:
    """A key that is no text."""

    def __repr__(self):
        return "print('PWNED')"


@pytest.mark.parametrize("target", ["numpy", "python", "jax", "torch", "sympy"])
def test_representations_of_classes_are_not_written(target):
    text = sg.export(
        lambda x: {Evil("a"): x, 2.5: x, np.int64(3): x, (True, None): 2 * x}, (1.0,), target=target, name="f"
    )
    assert "PWNED" not in text
    assert all(t in text for t in ("{'a': ", "2.5: ", " 3: ", "(True, None): "))
    with pytest.raises(ExportError, match="a key of the result cannot be written: a Thing has no literal"):
        sg.export(lambda x: {Thing(): x}, (1.0,), target=target)


# ------------------------------------------------------------------ names that a language has taken
TAKEN = (
    *(
        "RAND_MAX",
        "EXIT_SUCCESS",
        "FP_NAN",
        "isnan",
        "memcpy",
        "printf",
        "size_t",
        "new",
        "this",
        "template",
        "operator",
    ),
    *("xor", "linux", "unix", "asm", "status", "work", "out0", "v1", "c1", "t1", "i1", "s1", "step1", "sg_norm", "n"),
    *("self", "math", "np", "jnp", "lax", "special", "print", "list", "match", "ﬁ", "fi", "x", "X", "SYMGRAD_HAS_norm"),
)


def function_of(names):
    """The sum of squares of arguments that are called so."""
    f = lambda *xs: sg.stack([(x * x).sum() for x in xs]).sum()
    each = inspect.Parameter.POSITIONAL_OR_KEYWORD
    f.__signature__ = inspect.Signature([inspect.Parameter(n, each) for n in dict.fromkeys(names)])
    return f


@pytest.mark.parametrize("target", ["numpy", "python", "c"])
@pytest.mark.parametrize("shape", [(2,), ("n",)], ids=str)
def test_arguments_may_be_called_as_the_language_calls_something(target, shape, tmp_path):
    names = [n for n in dict.fromkeys(TAKEN) if n.isidentifier()]
    text = sg.export(function_of(names), shapes=[shape] * len(names), target=target, name="f")
    run(text, target, tmp_path)
    if target != "c":
        assert loaded(text)(*[np.array([1.0, 2.0])] * len(names)) == 5 * len(names)


@pytest.mark.parametrize("target", ["numpy", "python", "c"])
@pytest.mark.parametrize("name", TAKEN)
def test_a_function_may_be_called_as_the_language_calls_something(target, name, tmp_path):
    text = sg.export(lambda x: sg.linalg.solve(x, x).sum(), shapes=[(2, 2)], target=target, name=name)
    if target == "c":
        compiled(text, tmp_path, MODES[1:2])
    else:
        assert isinstance(ast.parse(text).body[-1], ast.FunctionDef)
        assert not keyword.iskeyword(ast.parse(text).body[-1].name)


@with_gcc
@pytest.mark.parametrize("mode", [*MODES, ["-x", "c++", "-std=gnu++23"]], ids=lambda m: m[-1])
def test_no_name_means_anything_to_a_c_compiler(mode, tmp_path):
    """Every macro, function, type and keyword, as a function and as an argument, behind all headers."""
    words = [*reserved_names.FILE.read_text().split(), *TAKEN, *_keywords()]
    lines = [
        f"#include <{h}.h>" for h in reserved_names.HEADERS if "c++" not in mode or h not in reserved_names.NOT_IN_CPP
    ]
    lines += [f"int {function_name(w, (), C)}(double {identifier(w, (), C)});" for w in dict.fromkeys(words)]
    compiled("\n".join(lines), tmp_path, [mode])


def _keywords():
    from symgrad.exports import names

    return f"{names._C_KEYWORDS}{names._CPP_KEYWORDS}".split()


@with_gcc
def test_all_macros_of_this_machine_are_known():
    known = set(reserved_names.FILE.read_text().split())
    assert not reserved_names.macros("c", "gnu17") - known
    assert not reserved_names.macros("c++", "gnu++20") - known


@pytest.mark.parametrize("language", [PYTHON, C])
def test_identifiers_are_distinct_in_ascii_and_mean_nothing(language):
    found = identifiers([*TEXTS, *TAKEN, *TEXTS], (), language)
    assert len(set(found)) == len(found)
    assert all(n.isascii() and n.isidentifier() and len(n) < 50 for n in found)
    assert language == C or not any(map(keyword.iskeyword, found))


@with_gcc
def test_headers_of_names_that_differ_in_case_are_both_read(tmp_path):
    for k, name in enumerate(("f", "F", "new", "RAND_MAX")):
        sg.export(lambda x: x * 2, shapes=[(2,)], target="c", name=name, path=tmp_path / f"{k}.c")
    source = "#include <stdlib.h>\n" + "".join(f'#include "{k}.h"\n' for k in range(4))
    source += "int main(void) { double x[2] = {1, 2}; return f(x, x) + F(x, x) + new_(x, x) + RAND_MAX_(x, x); }"
    compiled(source, tmp_path)


# ------------------------------------------------------------------ pages and pictures
class Page(html.parser.HTMLParser):
    """The elements, attributes and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.found, self.texts = set(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found |= {tag, *(f"{tag} {key}" for key, _ in attributes)}

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        self.found.add("a comment")

    handle_decl = unknown_decl = handle_pi = lambda self, data: self.found.add(data)


def picture(name):
    x = sg.tensor(2.0, name=name, requires_grad=True)
    return sg.sin(x) * x


PAGES = {
    "report": lambda n: sg.report(picture(n), path=None, title=n).page,
    "srcdoc": lambda n: sg.report(picture(n), path=None, title=n)._repr_html_(),
    "explain": lambda n: sg.explain(picture(n)).html(),
    "svg": lambda n: sg.graph(picture(n), adjoints=True).to_svg(),
}


@pytest.mark.parametrize("kind", PAGES)
def test_hostile_texts_add_no_element_to_a_page(kind):
    usual = {e for name in ("x", "two words", "x1", "long" * 30) for e in Page(PAGES[kind](name)).found}
    for name in NAMES[:: 1 if kind == "svg" else 7]:
        text = PAGES[kind](name)
        assert Page(text).found <= usual, name
        if kind == "svg":
            xml.dom.minidom.parseString(text.encode())


MERMAID = re.compile(r'    n\d(\(\[|\[\[?)"[^"<>`\[\]{}]*"(\]\)|\]\]?)|    n\d -->(\|"[^"<>`]*"\|)? n\d')
DOT = re.compile(r'    n\d( -> n\d)?( \[label="([^"\\]|\\.)*"(, [^"]*)?\])?;')


@pytest.mark.parametrize("name", NAMES, ids=lambda n: ascii(n)[:20])
def test_hostile_texts_stay_in_the_labels_of_pictures(name):
    found = sg.graph(picture(name), adjoints=True)
    assert all(map(MERMAID.fullmatch, found.to_mermaid().replace("<br/>", " ").split("\n")[1:]))
    assert all(map(DOT.fullmatch, found.to_dot().split("\n")[4:-1]))


@pytest.mark.parametrize("name", NAMES[::5], ids=lambda n: ascii(n)[:20])
def test_formulas_and_explanations_of_hostile_names_are_text(name):
    x = sg.tensor(2.0, name=name, requires_grad=True)
    form, told = sg.derive(sg.sin(x) * x, x), sg.explain(sg.sin(x) * x)
    latex(form.latex())
    prose = told.latex()
    assert not {"input", "write", "include", "catcode"} & set(re.findall(r"\\([A-Za-z]+)", prose))
    assert all(c == "\n" or c.isprintable() for text in (str(form), str(told), repr(form)) for c in text)


# ------------------------------------------------------------------ nothing else escapes
SIGNS = {"<", ">", "&", '"', "'", "\\", "%", "$", "{", "}", "*/", '"""'}


def test_text_is_escaped_in_one_module():
    """No other module imports a function that escapes, or replaces a sign that a language reads."""
    for path in PACKAGE.rglob("*.py"):
        if path.name == "foreign.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and "symgrad" not in str(getattr(node, "module", "")):
                assert not {a.name for a in node.names} & {"escape", "quoteattr", "html", "saxutils"}, path
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "replace":
                assert not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value in SIGNS), path


def test_docstrings_and_literals_are_read_as_they_were():
    for text in TEXTS:
        assert ast.literal_eval(foreign.literal(text)) == text
        read = ast.literal_eval(f'"""{foreign.docstring(text)}"""')
        assert read == "".join(c if c.isprintable() else " " for c in text)
        assert foreign.comment(text).isprintable()
        assert "*/" not in foreign.comment(text)
