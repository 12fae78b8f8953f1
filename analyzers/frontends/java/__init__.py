"""The Java front end: syntax to IR (`lower`), and names to declarations (`link`)."""

from __future__ import annotations

from .lowering.unit import lower

__all__ = ["lower"]
