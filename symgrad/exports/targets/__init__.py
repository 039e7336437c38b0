"""The languages that sources are written in: one file a target."""
