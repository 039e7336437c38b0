"""``symgrad completion``: what a shell needs to complete commands, options and their words, made from the parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial

SHELLS = ("bash", "zsh", "fish")
FILES = ("--output",)  # options whose value is a file

BASH = """_symgrad() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
        return
    fi
    case "$command $before" in
{values}
    esac
    case "$command" in
{options}
    esac
}}
complete -o default -F _symgrad symgrad"""


def add_completion(root: argparse.ArgumentParser, p: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``symgrad completion``, which completes the root's commands."""
    p.add_argument("shell", choices=SHELLS, help="the shell")
    p.set_defaults(run=partial(run_completion, root))


def run_completion(root: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    """Print a script for a shell."""
    print(_WRITERS[args.shell](commands_of(root)))
    return 0


def commands_of(root: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return the parsers of the commands, by name."""
    return next(a for a in root._actions if isinstance(a, argparse._SubParsersAction)).choices


def options_of(p: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the options of a command."""
    return [a for a in p._actions if a.option_strings]


def _words(p: argparse.ArgumentParser) -> str:
    """Return what may stand where no option is open: options, and the choices of an argument."""
    chosen = [str(c) for a in p._actions if not a.option_strings for c in a.choices or ()]
    return " ".join([*chosen, *[o for a in options_of(p) for o in a.option_strings]])


def _bash(commands: Mapping[str, argparse.ArgumentParser]) -> str:
    values = [
        f'        "{name} {option}") COMPREPLY=($(compgen {_of(a)} -- "$word")); return ;;'
        for name, p in commands.items()
        for a in options_of(p)
        if a.choices or a.option_strings[-1] in FILES
        for option in a.option_strings
    ]
    options = [f'        {name}) COMPREPLY=($(compgen -W "{_words(p)}" -- "$word")) ;;' for name, p in commands.items()]
    return BASH.format(commands=" ".join(commands), values="\n".join(values), options="\n".join(options))


def _of(a: argparse.Action) -> str:
    return f'-W "{" ".join(map(str, a.choices))}"' if a.choices else "-f"


def _zsh(commands: Mapping[str, argparse.ArgumentParser]) -> str:
    """The words of bash, which zsh reads with ``bashcompinit``."""
    return f"#compdef symgrad\nautoload -U +X bashcompinit && bashcompinit\n{_bash(commands)}"


def _fish(commands: Mapping[str, argparse.ArgumentParser]) -> str:
    return "\n".join(["complete -c symgrad -f", *_fish_lines(commands)])


def _fish_lines(commands: Mapping[str, argparse.ArgumentParser]) -> Iterator[str]:
    for name, p in commands.items():
        yield f"complete -c symgrad -n __fish_use_subcommand -a {name} -d {shlex.quote(_told(p.description))}"
        seen = f"complete -c symgrad -n '__fish_seen_subcommand_from {name}'"
        for a in p._actions:
            chosen = f" -a {shlex.quote(' '.join(map(str, a.choices)))}" if a.choices else ""
            if not a.option_strings:
                yield from [f"{seen}{chosen}"] if chosen else []
                continue
            spelled = "".join(f" -{'s' if len(o) == 2 else 'l'} {o.lstrip('-')}" for o in a.option_strings)
            value = "" if a.nargs == 0 else " -r -F" if a.option_strings[-1] in FILES else " -x"
            yield f"{seen}{spelled}{value}{chosen} -d {shlex.quote(_told(a.help))}"


def _told(text: str | None) -> str:
    return (text or "").replace("%%", "%")


_WRITERS: dict[str, Callable[[Mapping[str, argparse.ArgumentParser]], str]] = {
    "bash": _bash, "zsh": _zsh, "fish": _fish,
}  # fmt: skip
