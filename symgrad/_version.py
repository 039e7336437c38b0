"""The version, which everything else reads here."""

__version__ = "0.3.0"
