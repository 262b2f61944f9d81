"""Why tests of NumPy fail with our functions: patterns of names and errors, and the reason."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {r"Python objects|object": "Cells of Python objects"}
