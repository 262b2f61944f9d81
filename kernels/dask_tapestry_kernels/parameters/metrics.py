"""Metrics: how far apart two cells are, of what their coordinates differ by."""

from __future__ import annotations

from typing import Final, Literal

Metric = Literal["euclidean", "taxicab", "chessboard"]
METRICS: Final[tuple[Metric, ...]] = ("euclidean", "taxicab", "chessboard")  # kernels count them
