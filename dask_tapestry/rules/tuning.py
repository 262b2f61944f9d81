"""The numbers that decide something in `rules/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# alike_pieces
# Of a join: for fewer, each with a formula, plans are found as fast, and blocks are not copied
FEWEST_ALIKE_PIECES: Final = 9
FEWEST_ALIKE_FILES: Final = 33  # of pieces that are no lines of one array, so are joined before

# alike_reductions
FEWEST_ALIKE_REDUCTIONS: Final = 17  # fewer are joint reductions
STACKED_BYTES: Final = 2**28  # of values that are no sources, and are copied to lie together

# cells_at_extremes
# Of a score that is the same for several bands: it is folded again for each of them
MOST_FOLDED_AGAIN: Final = 16

# chosen_lines
# Of what a reduction folds: nodes that are looked through for lines that were chosen
MOST_LINE_NODES: Final = 24

# grouped_lines
FEWEST_GROUPS: Final = 9  # fewer are joint reductions
# Lines of a run, which blocks of groups read alone: of shorter ones all between are read, as
# planning takes 10 s with 14,610 single days
LEAST_RUN_OF_LINES: Final = 4
MOST_LINES_OF_A_GROUP: Final = 2**20  # whose places a rule looks at; of 10**9 it took .4 s each
MOST_LINES_TOLD: Final = 2**15  # whose places a plan has one by one, in 512 KiB
LINES_OF_OTHERS: Final = 4  # times its own, between the first and the last line of a group
LEAST_LINES_READ: Final = 2  # where one in so many lines is used, or fewer, others are left out
GROUP_OF_LINES_BYTES: Final = 2**30  # of lines side by side, which a block has whole

# joined_sources
FEWEST_JOINED_SOURCES: Final = 9  # of fewer a plan is found as fast, and each may be held alone
MOST_READ_ALONE: Final = 1 / 8  # of the sources; these are read twice

# insert_chains
FEWEST_INSERTS: Final = 5  # of a value: fewer are the edges of a field, which loops know as such

# joint_group_folds
# Of the cells of a leaf: a table that is repeated along kept axes adds as much to what nodes take
REPEATED_TABLE: Final = 1 / 16

# joint_products
LONG_FACTOR_TIMES: Final = 4  # the cells of a product, that its factor has at least
MOST_JOINT_PRODUCTS: Final = 16  # of one factor, in one pass

# matrix_chains
MOST_FACTORS: Final = 12  # of a chain; the work of the search grows with their cube

# merged_dims
LEFT_PART: Final = 2  # times as many bytes that a fold takes as it leaves: then they move before
FEWEST_MERGED_CELLS: Final = 64  # terms of a product; of fewer, adding up takes as long
MOST_MERGED_NODES: Final = 64  # of formulas that are looked through for merged dimensions

# mosaics
# That nested joins may become: each costs a copy, and an entry of every schedule
MOST_MOSAIC_PIECES: Final = 128

# open_constants
# Of a value: formulas of more cells are compiled with their constants, and take as long as planning
OPEN_CELLS: Final = 4096

# overlapping_parts
MOST_OVERLAPPING_PARTS: Final = 64  # of an array: each is compared with those before

# reduction_node_overlaps
SHARED_CELLS: Final = 1 / 2  # of the cells of the smaller node that lie in both
FEW_BOXES: Final = 256  # that are followed back: of ten steps of a loop of rolls

# products_in_tiles
ENOUGH_TERMS: Final = 4096  # of a product: of more, adding up is no longer seen beside multiplying
TERMS_A_ROW: Final = 4  # of a result: so what is multiplied takes more than what is added up
TILE_BYTES: Final = 2**27  # of what is multiplied at a time: workers of 500 MB have some of these
MOST_TILE_SUMS: Final = 9  # of two dimensions whose first and last chunks are shorter: steps each

# repeated_parts
FEW_OF_CELLS: Final = 8  # times the cells of a part, that what it is taken of has at least

# selected_folds
# Of the same cells: fewer are joint reductions, each with nodes where it has cells
FEWEST_SELECTIONS: Final = 17

# selections
FEWEST_TOUCHED_CHUNKS: Final = 1 / 8  # of all; of fewer it costs less to fetch the cells alone

# stencil_formulas
MOST_TAPS: Final = 64  # cells that a formula of a stencil reads
MOST_FORMULA_STEPS: Final = 400  # of a formula
FARTHEST_CELLS: Final = 64  # cells that a step may read beside its own

# repeated_steps
FEWEST_STEPS: Final = 4  # steps
MOST_STEP_NODES: Final = 400  # of a step
MOST_FIELDS: Final = 8  # of a state
STEP_LENGTHS_TRIED: Final = 64  # lengths of a step
MOST_GRAPH_PARTS: Final = 64  # that a graph is looked at in

# stencil_loops
MOST_STEP_VIEWS: Final = 4  # to see steps that are tried

# tables_in_any_order
LONG_TABLE_CELLS: Final = 2**22  # sorted in .1 s: less is sorted once, and handed to all blocks

# turned_folds
MOST_TURNED_FORMULAS: Final = 64  # that are followed back from a fold

# views
COSTLY_FLOPS: Final = 128  # operations a cell; a formula that takes so many is computed once

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# joint_reductions
# Reductions in one pass: a formula that they share is computed once. One of 32, or of 64,
# of 8 M cells takes no longer than passes of 8 together, along any axis, nor does compiling it
MOST_REDUCTIONS_OF_A_PASS: Final = 64

# joint_group_folds, tiled_reductions, joint_bin_counts, cells_at_extremes, selected_folds
# Folds in one pass: each has its cells and its nodes, or its table, in cache
MOST_JOINT_REDUCTIONS: Final = 8
