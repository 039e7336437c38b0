"""Texts that try to leave the place they are written into, for tests: as names, keys, sizes and titles.

Each that could run says PWNED, or sets ``PWNED`` in the environment.
"""

from __future__ import annotations

SET = "__import__('os').environ.__setitem__('PWNED', '1')"
TEXTS = (
    '"""; print("PWNED"); """', "'''; print('PWNED'); '''", '"; print("PWNED"); "', "'; print('PWNED'); '",
    f'"""\n{SET}\n"""', f"a\n{SET}", f"a\r{SET}", f"a\u2028{SET}", f"a\u2029{SET}", f"a\x85{SET}", f"a\x0c{SET}",
    f"a\x1c{SET}", f"]: {SET} if 1 else [", f"{{{SET}}}", f"x = {SET}", "\\", '\\"""', "\\\n", '"', '""', '"""', "'''",
    "\\N{BULLET}", "\\u0022\\u0022\\u0022", "%(x)s", "{0.__class__}", ">>> print('PWNED')", "\n>>> print('PWNED')\n",
    "*/ int boom(void); /*", "*/", "/*", "// \\", "??/", "??/\n#error PWNED", "\n#error PWNED", "a: (99)",
    "   x: (7)", "\n   out0: (9)", "</script><script>alert('PWNED')</script>", "</svg><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">', '" onload="alert(1)', "' onload='alert(1)", "</style>", "]]>", "<!--", "-->",
    "<![CDATA[", "&#60;script&#62;", "&lt;b&gt;", "</title></code></pre>", 'a"]; b -> c [label="',
    "]] end\nclick n0 call", "%%{init: {}}%%", "`${1}`", "[a](javascript:alert(1))", r"\input{/etc/passwd}",
    r"\end{align*}\write18{ls}", "%",
    "$", "$$", "}", "{", "^^5cinput", "&", "#1", "~", "\x1b[31m", "\x1b]0;PWNED\x07", "\x00", "\u202ex", "\ufeff",
    "\ud800", "\u200b", "ﬁ", "fi", "𝐱", "х", "", " ", "\t", "class", "None", "0", "x" * 5000,
)  # fmt: skip
NAMES = tuple(t for t in TEXTS if 0 < len(t) < 200)  # what a tensor may be called
