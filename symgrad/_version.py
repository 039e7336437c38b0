"""The version, which everything else reads here."""

__version__ = "0.2.0"
