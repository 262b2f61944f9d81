"""Why tests of dask.array fail with our arrays: patterns of names and errors, and the reason."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {}
