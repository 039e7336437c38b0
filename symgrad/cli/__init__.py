"""The command line: ``symgrad derive …``, also as ``python -m symgrad``."""
