"""The numbers that decide something in `steps/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# boxes
FEW_BOX_CELLS: Final = 64  # of boxes that are merged whatever else they then hold
# More cells than boxes have may be computed, so that these do not multiply
EXTRA_CELLS: Final = 1 / 8
EXTRA_READ: Final = 1 / 64  # of values that are read: each box is a slice to cut and send

# chunk_alignment
MOST_UNEVEN_PIECES: Final = 1_000  # pieces of unequal lengths: their edges are in the plan

# own_order
# Pieces all over a block, of cells taken in their own order, that are looked at
SAMPLED_PIECES: Final = 8

# parts
LITTLE_SHARE: Final = 1 / 4  # of a part's largest value: holding that takes less than pieces do
SMALL_SHARE: Final = 1 / 16  # of a part's largest value: what every piece reads is held below this
MUCH_LONGER: Final = 256  # times another dimension: that is not cut, with so many pieces

# piece_alignment
# Times the work and the bytes of the whole that pieces may take together
REPEATED_WORK: Final = 1.05
LEAST_REPEATING_PIECES: Final = 64  # pieces at least that read something again
# Times the length of pieces that is tried next, as they compute cells again
LONGER_PIECES: Final = 2

# piece_cuts
MOST_JOINTS: Final = 8  # pieces where parts meet that are looked at for what they take, as corners
MOST_PIECES: Final = 2**12  # of a block; larger blocks, of a quarter TiB, have larger pieces

# windows, block_schedule, streaming
# Bytes of windows, from which on pieces are shorter, and made in parts: threads have several blocks
LARGE_WINDOW_BYTES: Final = 2**29
# Times the work of two pieces as one, that these may take: then all take two thirds more, at most.
# With a month of hours in memory, 4 TiB of maps are read once, not five times
SHORTER_PIECES_WORK: Final = 1.25

# program
# That a program remembers: a block's is needed by its task and when that runs
SCHEDULES_REMEMBERED: Final = 64
# Boxes of which the demand of an operator is remembered: nine in ten of a search are asked again
DEMANDS_REMEMBERED: Final = 256
# Boxes of which what an operator reads is remembered, where that is more than its demand: a plan of
# 56,000 demands has 15,000 different ones, as programs with other values held ask the same
PIECES_REMEMBERED: Final = 512

# reading_places
# Places that are listed, of chunks that lie unevenly: more are so small that cuts may fall anywhere
MOST_CHUNK_PLACES: Final = 10_000
FEW_CHUNKS_APART: Final = 16  # of more that are read together, it saves little to read none twice
# Ends of parts along a dimension at which blocks are cut: rolls there and back have two, ten steps
# of a loop of them twenty; each is a few calls more, and joins of many values have hundreds
MOST_PART_ENDS: Final = 24
MOST_RUNS: Final = 256  # parts of a value that are read in ways of their own: each is looked at

# streaming
PIECE_BYTES: Final = 2**25  # bytes that a piece takes: a chunk as it is stored mostly, and more
# Parts of what a task may take, of which a piece takes one: a block of 300 MB workers, a quarter of
# which is 43 MiB, could not be computed beside the chunks that it reads with pieces of 32 MiB
PIECES_A_TASK: Final = 4
LEAST_PIECE_BYTES: Final = 2**20  # to begin with a piece takes some 50 us
PARTIAL_SHARE: Final = 0.5  # of a piece's bytes: partial results that are all kept until the end
WORTHWHILE_SHARE: Final = 0.8  # of the bytes of the whole, that turns may take at most
