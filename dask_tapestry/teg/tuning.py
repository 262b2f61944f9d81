"""The numbers that decide something in `teg/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# chunking
MOST_CHUNK_EDGES: Final = 100_000  # of chunks of unequal lengths; more are not followed
SLIVER_RATIO: Final = 8  # times a chunk that the longest is, from which on it is joined with others
# The part of a chunk, one in so many, by which cells of stencils are shifted at most. Products of
# 24 lags are shifted further: if grids far apart counted, their nodes would take two passes
LITTLE_SHIFT: Final = 32

# nominal
MOST_NOMINAL_GROWTH: Final = 8  # times the bytes it should have that a chunk nobody said may have
# a canonical chunk takes half of a block's working set: it is read and written
WORKING_SET_SHARE: Final = 2

# For who reads or waits: how much a page, a line or a wait may hold. No value depends on it.

# picture
NODES_DRAWN: Final = 200  # nodes; of a larger graph the first ones are drawn, and a note says so
