"""Lines of lessons as pages take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgrad.teach.writing.document import Document


def lines(document: Document) -> list[dict[str, Any]]:
    """Return what a document says, line by line."""
    return [line(record) for record in document.data()]


def line(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line of an explanation with what pages ask for: its rule, its words, its mathematics."""
    words = " ".join(p["text"] for p in record["parts"] if "mathml" not in p).strip()
    formulas = [m for p in record["parts"] for m in p.get("mathml", ())]
    rule = record["text"].rstrip(":") if record["kind"] in ("why", "rule") else None
    return {**record, "rule": rule, "words": words, "mathml": " ".join(formulas)}
