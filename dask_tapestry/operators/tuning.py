"""The numbers that decide something in `operators/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Of others: what NumPy, SciPy, Dask, zarr, file formats and operating systems have.

# images/labelled_regions
INT64_LABEL_CELLS: Final = 2**31 - 2  # cells from which numbers are int64, as SciPy's are

# lanes
SORT_SPACE: Final = 0.75  # of a lane: room of a stable sort

# products/sparse_matmul
WEIGHT_TOLERANCE: Final = 1e-6  # of a share of weight that is 0 or 1

# transforms/fourier
FOURIER_LANES: Final = 3  # of one dtype, that pocketfft takes to compute one

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# cells/cell_bytes
MOST_JOINED_CELLS: Final = 64  # cells that become one: each is an input of the node

# cells/cell_function
# Of an elementary function; what a function of others costs is not known
USER_CELL_FLOPS: Final = 32

# forms
MOST_FORM_SIZES: Final = 12  # of a form: halvings from two pieces to four thousand

# functions/infer_meta
TRIAL_CELLS: Final = 1 << 18  # that a trial may take; more would take time that a user notices

# functions/monoid_dtype
MOST_STATE_BYTES: Final = 1 << 18  # bytes of a cell: joined strings grow with the number of cells

# images/labelled_regions
MOST_FACE_PAIRS: Final = 2**13  # that are expected of a face: large ones have large regions

# images/nearest_sites
NEAREST_CELL_BYTES: Final = 80  # of those that are worked on at a time

# images/region_boxes
TILE_CELLS_A_REGION: Final = 64  # of a tile, for each that is expected there

# images/region_tiles
LEAST_TILE_ROWS: Final = 16  # of a tile, lest faces have as many cells
MANY_TILES: Final = 2**12  # from which tiles are larger
UNEVEN_TILES: Final = 2  # times as many tiles, lest one lies in two chunks

# images/spline_filter
POLE_FLOPS: Final = 5  # of a cell: forth, back, and its part of the first one
SPLINE_SCRATCH_CELLS: Final = 2**20  # doubles, or some lanes

# indexing/bucket_shuffle
OWNER_SKEW: Final = 2.0  # times what an owner has on average that a plan allows for
FEWEST_RUN_PLACES: Final = 2**12  # of a run, from which one is worth a task
MOST_OWNERS: Final = 2**12  # of a table: each makes a bucket of every run
SHUFFLED_PLACE_BYTES: Final = 8 * 4  # the owner, the order, and steps on the way to it

# indexing/gather
WORTH_SHUFFLING_BYTES: Final = 2**22  # bytes of a table, which each task may as well have
GATHERED_INDEX_BYTES: Final = 8 * 3  # where a window begins in memory, and two steps on the way

# indexing/index_ranges
# Parts of an index tensor, along its first dimension, whose bounds a plan has
MOST_INDEX_SPANS: Final = 4096  # 64 KiB
# Of the range of all indices: spans whose own ranges are so wide tell nothing
TELLING_WIDTH: Final = 0.9

# indexing/take
MOST_READ_APART: Final = (
    128  # ranges of a block that are read one by one: each is a call of a store
)

# indexing/masked_gather
MASK_FLOPS: Final = 3  # of a place, to tell whether an owner has it: passes over a run
OWNERS_COMPARED: Final = (2, 8, 32)  # how many are worth comparing

# indexing/scatter
SCATTERED_PLACE_BYTES: Final = 8 * 4  # the row that an update belongs in, and steps on the way

# joins/diagonal
DIAGONAL_SQUARE_CELLS: Final = 1024  # cells of a diagonal that are read as one box
MOST_SQUARES: Final = 64  # longer diagonals take larger squares

# lanes
PICK_DOUBT: Final = 16  # a pass picks a part of all cells too many, 1 / DOUBT at most

# matrices/matrix_operator
LEAST_PANEL_CELLS: Final = 2**22  # of a matrix that has a form in panels: any worker holds 32 MiB
PANEL_COUNTS: Final = (4, 8, 16, 32, 64)  # the last are some hundred steps

# matrices/panel_cholesky
MOST_PRODUCTS: Final = 8  # of a tile, by panels before it, in one task: each takes two tiles more

# matrices/panel_lu
SQUARES_ABOVE: Final = (
    4  # of a panel above its corner, in a block: more leave less to other workers
)

# matrices/panel_qr
REFLECTION_COPIES: Final = 1.5  # of a panel, which making its reflections takes
REFLECTION_FLOPS: Final = 4.0  # of making them, for each row and pair of columns
REFLECTION_SQUARES: Final = 3.0  # as wide as a panel, which applying them takes
SQUARES_BESIDE: Final = 2  # of rows of R, in a block: more leave less room to what writes it

# matrices/panel_upper_band
SQUARES_OF_ROWS: Final = 4  # of rows in a block of products: fewer are more slices of each strip

# products/matmul
PRODUCT_STRIP_BYTES: Final = 2**24  # of a product that is added to another one
SMALL_MATRIX_BYTES: Final = 2**14  # of operands and result: a piece has hundreds of them

# products/repeated_cells
MOST_REPEATED_NODES: Final = 64  # that are looked at: a loop may have written thousands

# products/row_footprint
MOST_FOOTPRINT_TILES: Final = 1024  # their boxes travel with each task: 8 kB for a grid of two axes
MOST_FOOTPRINT_MARKS: Final = 256  # rows of a matrix, evenly apart, by which cells are found

# products/sparse_matmul
WEIGHT_PLACE_FLOPS: Final = 4  # operations that finding a cell of the matrix takes, once a block
WEIGHTED_TILE_CELLS: Final = 2**16  # of results that a kernel which is not compiled takes at a time

# reductions/bincount
CELLS_A_BIN: Final = 4  # of a leaf: its table is no more than a fourth of what it reads

# reductions/common_tile
LONGEST_TILE: Final = 8  # times the longest node: blocks of whole tiles are no longer than that
# Of the cells' bytes: nodes that take more, which are held and sent, are made of more cells
NODES_OF_TILE_SHARE: Final = 1 / 4
MOST_TILE_BYTES: Final = 2**30  # of such a tile, which a task reads whole

# reductions/count_nonzero
MOST_COUNTED_SPANS: Final = 4096  # a plan carries the counts

# reductions/group_fold
CELLS_A_GROUP: Final = 4  # of a leaf or node: its table is no more than a fourth of what it reads

# reductions/reduce
NODE_COPIES: Final = 2  # alive at a time: each level has half the nodes of the one before

# scans/scan_leaves
MOST_LEAF_STRETCH: Final = 4  # times longer or shorter that a leaf may be to fit into a chunk
SCAN_LEAF_CELLS: Final = 128  # cells: totals are few, and many leaves still fit a cache
MOST_SCAN_LEAVES: Final = 1 << 24  # totals that one task scans; longer axes have longer leaves

# sorting/compress
MOST_KNOWN_CELLS: Final = 2**18  # of a mask: a plan carries them, as many bytes as of counts

# sorting/exchange_sort
MOST_PROBES: Final = 1024  # of a window: 33 MB a round for 64 runs of float64
FEWEST_PROBES: Final = 64  # with which a round makes windows an eighth as long for certain
PROBED_PART: Final = 64  # a round sends about this part of all cells
WORST_WINDOW: Final = 8  # by probes, how long windows become for certain; 4 in fact
SAMPLED_CELLS: Final = 128  # of a run, times the runs: a split leaves a 64th of a run open
MOST_SAMPLED_CELLS: Final = 2**24  # of all runs, which one task orders: 2 s
SAMPLED_PART: Final = 1 / 2  # of a run, that all runs send at most: that task takes what a run does
NUMBERS_A_KEY: Final = 8  # of eight bytes, that ordering such cells takes
OPEN_PART: Final = 1 / 24  # of a run: what a split may leave open, of which both sides get all
SHORTEST_SORT_RUN_BYTES: Final = 2**15  # bytes of a run, from which one is worth a task
MOST_SORT_RUNS: Final = 2**12  # of an axis: each tells all others its probes

# sorting/partition
# Of a lane, which a block reads whole; longer ones are sorted in runs
MOST_PARTITIONED_BYTES: Final = 2**28
MOST_PIVOTS: Final = 8  # each is some passes; of more the lane is as well sorted
PARTITION_MASK_BYTES: Final = 3  # bytes a cell

# sorting/sort
# Numbers of eight bytes a cell that an order takes, where many are alike
ORDER_NUMBERS_A_CELL: Final = 12

# sorting/topk
TOPK_SAVING: Final = 16  # a run has so many times the cells that are kept of it

# sorting/unordered_cells
WIDEST_CHUNK_ROW_BYTES: Final = 2**28  # of a row of chunks that is as well read in C order

# sorting/weighted_order_statistics
WEIGHTED_NUMBERS_A_CELL: Final = 6  # numbers of eight bytes a cell that weighted ones take
WEIGHTED_LEAF_CELLS: Final = 2**20  # cells: 8 MiB, less than a block of what is too long for one

# threads/thread_inserts
# Progressions that one insert is cut in; beyond, cells are scattered
MOST_INSERT_PIECES: Final = 64
CHECKED_START_BYTES: Final = 12  # of one that is checked: where its part ends, and flags
COMPARED_CELL_BYTES: Final = 8 * 6  # of one compared with others: places, their order, both sorted
MOST_CHECK_SCRATCH: Final = 2**62  # a check is of all threads, however many

# threads/thread_kinds
MOST_THREAD_VALUES: Final = 2**22  # of threads for which a size or a condition is computed

# threads/thread_write_conflicts
MOST_MEETING_CELLS: Final = 2**22  # that are compared one by one, where the axes do not tell

# threads/thread_tiles
MOST_THREAD_PAIRS: Final = 2**22  # of threads that are compared one by one, where no rule tells

# threads/thread_wavefronts
MOST_TURN_PIECES: Final = 64  # that the threads of a turn are cut in

# transforms/fourier
CONVOLVED_LANE_WORK: Final = 4  # times what a lane takes whose length has other factors
BUTTERFLY_FLOPS: Final = 5  # operations of a complex cell at each halving of a lane

# transforms/fourier_transform
LONG_FOURIER_CELLS: Final = 2**23  # cells: of complex128 three such lanes, one computed, are 400 MB
NARROW_ROWS: Final = 2**6  # rows; a matrix of fewer is little easier to hold than the lane

# user/block_function
TRIAL_WHOLE_CELLS: Final = 2  # cells of a long dimension in a trial, where all would be too many

# user/user_scan
SCANNED_STEPS: Final = 2**16  # steps that are scanned by one call: calling takes little beside them

# user/user_windows
# Windows that a block reads by themselves; of more all that they span
MOST_WINDOW_PIECES: Final = 64

# views/reshape
MOST_RESHAPE_BOXES: Final = 64  # boxes that a block reads; more cost more than the cells they save
RESHAPE_SLACK_CELLS: Final = 1024  # that the one box may hold besides the wanted ones

# windows/convolution
CONVOLUTION_STRIP_BYTES: Final = 2**20  # as the kernel has it
LEAST_STRIP_CELLS: Final = 64  # of a strip, as the kernel has it
CONVOLUTION_TILE_BYTES: Final = 2**18  # as the kernel has it

# windows/stencil_steps
# Of a stencil in one pass: further ones compute more cells twice than they save
MOST_FUSED_STEPS: Final = 16

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# cells/histogram_bin
HISTOGRAM_FLOPS: Final = 16  # of a cell: it takes about so many passes over a tile

# sorting/joint_runs
LOOKED_UP_FLOPS: Final = 40  # of a cell, beside merging: 2e6 of runs take 80 ns each
TOLD_AT_A_TIME: Final = 2**19  # cells, as the kernel has it
TOLD_CELL_BYTES: Final = 128  # of each of these, and of its place in their order

# sorting/set_cells
CHOICE_MARKS: Final = 3  # bytes of a cell: whether it is the first of its kind, unlike, and sought

# sorting/search
SEARCH_STEP_FLOPS: Final = 8  # of a binary search
PARTS_PLANNING: Final = 0.5  # seconds, of a search in parts
MOST_TABLE_PARTS: Final = 2**10
SHORTEST_TABLE_PART: Final = 2**5  # cells

# images/affine_points
SPLINE_WEIGHT_FLOPS: Final = 8  # and of bringing coordinates into range

# images/labelled_regions
LABEL_CELL_FLOPS: Final = 16  # to find runs, and to join those that touch
FACE_CELLS_A_PAIR: Final = 64  # of a face, for each pair that is expected there; of noise 10
PAIR_FLOPS: Final = 200  # to join two regions: a few calls of NumPy for all, some lookups for each

# images/nearest_sites
NEAREST_CELL_FLOPS: Final = 60  # to build an envelope and to read it

# images/region_boxes
BOX_CELL_FLOPS: Final = 4  # of a cell of a tile

# images/region_tiles
FEW_TILE_CELLS: Final = 2**20  # cells of a tile
MOST_TILE_CELLS: Final = 2**24  # of a tile of a large image

# indexing/bucket_shuffle
PLACE_SORT_FLOPS: Final = 25  # to sort places by owner
ROW_FLOPS: Final = 4  # to take a row
LINE_FLOPS: Final = 20  # of each cache line of it
CACHE_LINE_BYTES: Final = 64  # bytes
BUCKET_FLOPS: Final = 3000  # to make a bucket, or to take one: a few calls of NumPy

# indexing/scatter
CELLS_SIDE_BY_SIDE: Final = 8  # of a row, that are folded in the time of one alone

# lanes
# Bytes of lanes that are in hand: those that are sorted, and those before
LANES_IN_HAND_BYTES: Final = 2**23
LANE_PASS_FLOPS: Final = 13  # of a cell of a lane that is looked at: 1.6 ns
SORT_LEVEL_FLOPS: Final = 5  # of a cell, for each doubling of the length: 2e7 cells take 70 ns each

# matrices/matrix_operator
LAPACK_SPEED: Final = 1 / 20  # of the time that other functions take for an operation
PANELS_PLANNING: Final = 2.0  # seconds: 1 to 2 for LU and solve of 8000 columns

# matrices/panel_cholesky
PRODUCT: Final = 2 / 3  # of the time LAPACK takes: 39 GFLOP/s against 25 to 29

# products/matmul
LEAST_STRIP_ROWS: Final = 256  # of a strip: products of fewer rows take longer

# products/tensordot
# Of a product: with as many, BLAS is as fast as with all, even of 4 terms
LEAST_PRODUCT_ROWS: Final = 64

# random/permutation
LONGEST_TABLE: Final = 2**20  # 8 MiB, made in .1 s
PERMUTATION_FLOPS: Final = 64  # of a cell of a long one

# random/random_bits
RANDOM_BITS_FLOPS: Final = 8  # operations that a cell's bits cost

# random/variates
VARIATE_FLOPS: Final = 160  # of a cell: about 30 ns

# reductions/bincount
# a leaf costs 20 calls of NumPy, a twentieth of counting as many cells
COUNTED_LEAF_CELLS: Final = 65_536
BINCOUNT_FLOPS: Final = 8  # of a cell
# numbered and counted in one loop: .7 to .9 ns a cell, where counting alone takes .5
EVEN_COUNT_FLOPS: Final = 12
UNEVEN_COUNT_FLOPS: Final = 20  # as many, and a search among the edges of a cell of the grid

# reductions/cells_at_extreme
# For each cell that is taken at a place: as many as a fold does in that time, by the rates measured
TAKING_OPERATIONS: Final = 64

# reductions/count_nonzero
SHORTEST_COUNTED_SPAN: Final = 1024  # cells; shorter ones cost more to plan than to count

# reductions/few_values
MOST_FEW_VALUES: Final = 2**10  # of a span: a table of 24 KiB, which a core's cache holds
FEW_VALUES_FLOPS: Final = 8  # of a cell that is looked up

# reductions/group_fold
GROUPED_LEAF_CELLS: Final = 65_536  # of a leaf, kept cells included: it costs some calls of NumPy
GROUPED_CELL_FLOPS: Final = 8  # of a cell that is added

# sorting/joined_keys
KEY_BYTE_FLOPS: Final = 3  # of a key: 1.7 ns

# cells/order_key
ORDER_KEY_FLOPS: Final = 8  # of a cell: a NaN is looked for, and bits turned, in NumPy's loops

# sorting/rank_digits
DIGIT_BITS: Final = 16  # of a key in a pass: tables of 512 KiB, which caches hold; 4 passes of f8
MOST_DIGIT_RANKS: Final = 8  # tables of a block, and comparisons of each cell
ADDED_TABLES: Final = 16  # of parts, by one task: of 4 MiB with most ranks
DIGIT_PARTS: Final = (4, 32, 256, 2048)  # that count, of which a plan chooses

# sorting/order_statistics
RANK_PASS_FLOPS: Final = 2  # of a cell of a long lane, for each group of ranks

# sorting/partition
FEWEST_PARTITIONED_CELLS: Final = 2**12  # cells of a lane, from which a call for each takes no time
PARTITION_FLOPS: Final = 6  # of a cell: to find pivots, to compare, to pick
PIVOT_FLOPS: Final = 4  # of a cell, for each pivot

# sorting/sort
CELLS_SORTED_TOGETHER: Final = 2**19  # cells of lanes; a longer lane is ordered for itself

# sorting/topk
SHORTEST_TOPK_RUN: Final = 1 << 16  # cells; of shorter ones too many cells would be kept
SHORTEST_TOPK_LANE: Final = 1 << 9  # cells: to partition takes .2 to .7 of what sorting does

# sorting/weighted_order_statistics
# Bytes of a lane, of which one kernel takes half the time of these steps
LONG_WEIGHTED_LANE_BYTES: Final = 2**27

# threads/thread_body
THREAD_VALUES_BYTES: Final = 2**21  # bytes of values of threads computed together: they stay in L2

# threads/thread_wavefronts
MOST_TURNS: Final = 256  # each is a write that waits for the last: a few tasks, a few milliseconds

# user/user_windows
WINDOW_GAP_BYTES: Final = 2**14  # bytes between windows: reading them takes as long as to call

# windows/convolve
FEW_CHANNEL_PAIRS: Final = 16  # of a group: of fewer, copying windows takes longer than adding

# windows/dilated_windows
PHASES_PLANNING: Final = 15.0  # seconds: 10 to 20, as boxes of phases are many

# windows/long_windows
# Of a window that is folded by doubling: in 3 to 6 ns a result, where each cell takes .15 ns
LONG_WINDOW_CELLS: Final = 64

# windows/stencil_steps
# Steps in cache that take as long as reading, moving and writing a field once. 16 heat steps of
# 6000 x 6000 float64 cells, 1, 2, 4, 8 and 16 at a time, took 3.0, 1.6, 1.1, .74 and .57 s of CPU.
STEPS_A_PASS: Final = 4.0

# windows/window_call
WINDOW_CALL_FLOPS: Final = 5000  # of a call of a small NumPy function

# For who reads or waits: how much a page, a line or a wait may hold. No value depends on it.

# threads/thread_wavefronts
THREADS_NAMED: Final = 4  # threads of a circle that an error names
