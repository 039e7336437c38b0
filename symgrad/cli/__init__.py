"""The command line, ``symgrad derive …`` or ``python -m symgrad derive …``."""
