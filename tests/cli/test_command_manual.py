"""``symgrad completion`` and ``symgrad man``: all that ``--help`` has."""

import shutil
import subprocess

import pytest

from symgrad.cli import arguments, pictures
from symgrad.cli.completion import commands_of, options_of
from symgrad.cli.main import main
from symgrad.cli.parser import parser
from symgrad.exports import TARGETS
from symgrad.expression.reader import SYNTAXES
from symgrad.teach import TOPICS
from symgrad.teach.explanation import STYLES


def printed(words, capsys):
    assert main(words) == 0
    return capsys.readouterr().out


def completed(script, *words):
    """What bash offers for the last of the words."""
    listed = " ".join(f"'{w}'" for w in words)
    asked = f'COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _symgrad; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes_commands_options_and_their_words(capsys, tmp_path, monkeypatch):
    script = printed(["completion", "bash"], capsys)
    assert completed(script, "symgrad", "ex") == ["explain", "exercises", "export"]
    assert completed(script, "symgrad", "derive", "--s") == ["--shape", "--syntax", "--structure"]
    assert completed(script, "symgrad", "derive", "x", "--form", "m") == ["matrix"]
    assert completed(script, "symgrad", "completion", "") == ["bash", "zsh", "fish", "-h", "--help", "--ascii"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loss.c").touch()
    assert completed(script, "symgrad", "export", "x", "-o", "lo") == ["loss.c"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_every_command_and_option(shell, capsys):
    script = printed(["completion", shell], capsys)
    for name, p in commands_of(parser()).items():
        lines = [line for line in script.splitlines() if name in line]
        assert lines
        for option in [o.lstrip("-") for a in options_of(p) for o in a.option_strings]:
            assert any(option in line for line in lines), (name, option)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_are_read_by_their_shells(shell, capsys, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(printed(["completion", shell], capsys), encoding="utf-8")
    done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_manual_page_has_every_command_option_and_example(capsys):
    page = printed(["man"], capsys)
    assert page.startswith('.TH SYMGRAD 1 "" "symgrad ')
    bare = page.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
    for name, p in commands_of(parser()).items():
        section = bare.partition(f".SS symgrad {name}\n")[2].partition("\n.S")[0]
        assert section
        for option in [o for a in options_of(p) for o in a.option_strings]:
            assert f"\\fB{option}\\fR" in section
    assert '  symgrad derive "x**2 * sin(x)" --wrt x --order 2 --latex\n' in bare
    assert ".SH EXIT STATUS\n" in bare
    assert "%(" not in page


def test_groff_sets_the_manual_page(capsys):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    page = printed(["man"], capsys)
    done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-c"], input=page, capture_output=True, text=True)
    assert done.stderr == ""
    assert "x'*A*x" in done.stdout


def test_choices_are_the_keys_of_the_tables():
    assert sorted(TARGETS) == list(arguments.TARGETS)
    assert tuple(TOPICS) == arguments.TOPICS
    assert tuple(pictures.WRITERS) == arguments.PICTURES
    assert (SYNTAXES, STYLES) == (arguments.SYNTAXES, arguments.STYLES)
