"""What reads source text."""

import ast

from symgrad.support.definitions import parsed


def test_a_source_is_parsed_again_where_another_thread_disturbed_the_parser(monkeypatch):
    """Python 3.11 counts how deep its parser is in one place for all threads."""
    parse, calls = ast.parse, []

    def disturbed(source, mode="exec"):
        calls.append(mode)
        if len(calls) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=162, after=84)")
        return parse(source, mode=mode)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert ast.unparse(parsed("x + 1", mode="eval")) == "x + 1"
    assert calls == ["eval"] * 3
