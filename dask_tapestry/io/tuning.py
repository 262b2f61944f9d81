"""The numbers that decide something in `io/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Of others: what NumPy, SciPy, Dask, zarr, file formats and operating systems have.

# chunks/bounded_codecs
FILTER_BYTES_A_CELL: Final = 16  # bytes a cell that filters may need beside twice the cell

# chunks/chunk_costs
SMALL_CHUNKS_AT_ONCE: Final = 10  # smaller chunks that zarr has in hand side by side

# chunks/chunk_decoders
LZMA_MEMORY: Final = 2**27  # bytes that decoding takes at most by any of its presets

# files/file_cells
ROWS_A_CALL: Final = 1024  # rows in one call to the system, which takes no more

# journals/zarr_version
NAMES_LISTED_AT_ONCE: Final = 300  # names that folders and servers of objects list at one moment

# sources/cells_digest
# Bytes of cells that are looked at in one go; the digest is made of theirs
DIGEST_SLAB_BYTES: Final = 2**24

# stores/checked_metadata
MOST_STORED_DIMENSIONS: Final = 64  # that NumPy's arrays have at most
MOST_STORED_BYTES: Final = 2**63  # of an array or a chunk: files have less

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# chunks/bounded_codecs
CODEC_SLACK_BYTES: Final = 2**16  # bytes beside them
STRING_CHUNK_BYTES: Final = 2**31  # bytes of a chunk of strings, whose lengths metadata do not say

# chunks/chunk_decoders
ZLIB_PIECE_BYTES: Final = 2**14  # bytes that zlib is given at a time

# chunks/chunk_format
# Bytes beside twice a chunk that an outer codec may give an inner one
INNER_CODEC_SLACK_BYTES: Final = 2**16

# chunks/default_chunks
CHUNKS_A_TASK: Final = 4  # that a task has memory for: read, computed, stored
MOST_TINY_CHUNKS: Final = 10_000  # such chunks in an array

# chunks/zarr_direct
CELLS_LOOKED_AT: Final = 8  # cells of a chunk; one in 256 is zero where bytes are drawn at random

# chunks/zarr_on_device
DEVICE_SCRATCH_BYTES: Final = 2**23  # bytes of rows of a chunk on a device, of which part is wanted

# files/file_locks
# Seconds that a lock is waited for: its process may have been stopped
LOCK_PATIENCE_SECONDS: Final = 60.0
LOCK_PAUSE_SECONDS: Final = 0.002  # between attempts to take a lock

# files/folder_swap
DELETE_ATTEMPTS: Final = 16  # attempts to delete a folder to which tasks may still write

# files/mapped_pages
# Touched pages that are kept: a 16th of what a worker of 500 MB has beside its process. To touch
# 256 MB again took .04 s with or without letting go at each 16 MiB, .045 s at each MiB
MAPPED_PAGES_BYTES: Final = 2**24

# files/memmap_file
GATHERED_SPREAD: Final = 2  # times a box's cells: of wider spans most that is in memory is others'
MOST_LAYOUT_STEPS: Final = 10_000  # steps in which two layouts are compared

# journals/stored_chunks
REQUESTS_AT_ONCE: Final = 64  # requests to a store behind a network

# journals/write_marks
MOST_MARKS: Final = 10_000  # of a write; of more chunks, several have one
MOST_WRITES_REMEMBERED: Final = 64  # whose chunks without a mark a process remembers

# journals/zarr_journal
RECORD_KEPT_SECONDS: Final = 24 * 3600  # a record of what is done: plans that read may last as long

# sources/joined_source
MOST_SPACED: Final = 1.25  # times the places that are stored: of more, most chunks are short

# stores/icechunk_store
FORKS_A_MERGE: Final = 8  # forks that one task merges

# stores/retries
ERROR_CHARACTERS: Final = 200  # characters of an error that are kept
MOST_RETRIED_SOURCES: Final = 1000  # most sources that are told apart

# stores/retry_policy
REQUEST_ATTEMPTS: Final = 5  # at one request
# Seconds before the second attempt; twice as long before each later one
FIRST_WAIT_SECONDS: Final = 0.1

# stores/zarr_consolidate
CONSOLIDATE_ATTEMPTS: Final = 5  # at writing metadata that others change

# targets/hdf5_conflicts
MOST_STOPPED_WRITES: Final = 1000  # writes that are remembered, as their tasks may still come

# targets/write_region
# Of progressions that are compared; more are said to share a chunk
MOST_COMPARED_PAIRS: Final = 50_000

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# chunks/zarr_array_format
HANDED_OVER_BYTES: Final = 2**18  # bytes of chunks that another thread reads: fewer take no time

# chunks/chunk_costs
# Bytes of a chunk, from which handing it over by itself takes no longer
LARGE_CHUNK_BYTES: Final = 2**22

# chunks/default_chunks
TINY_CHUNK_BYTES: Final = 2**16  # a smaller chunk costs a store more than its bytes do

# chunks/request_sizes
REQUEST_BYTES: Final = 10 * 10**6  # bytes of a request
LARGEST_REQUEST_BYTES: Final = 15 * 10**6  # that one request asks for, where there is more than one
# Bytes between two that are read, and not needed, sooner than asked for again
GAP_BYTES: Final = 2**18

# files/file_cells
READ_SCRATCH_BYTES: Final = 2**20  # bytes read before they are copied, half of a core's cache
SKIPPED_ROW_BYTES: Final = 2**14  # bytes of each row, from which reading only the others is quicker
# Bytes between rows up to which they are read, into a cache, by the call that reads the rows
READ_THROUGH_BYTES: Final = 2**16
SHORTEST_ROW_BYTES: Final = 2**12  # bytes of a row, from which no copy is quicker: a page
# Bytes; a copy that begins 1 to 31 bytes further on in its page than what is
COPY_PAGE_BYTES: Final = 2**12
# Copied takes up to ten times as long (AMD EPYC), so it begins a little before
COPY_ALIGNED_BYTES: Final = 64

# sources/stores_behind_objects
MOST_SEARCHED_OBJECTS: Final = 100_000  # that are looked at, in a second or so

# sources/numpy_source
HASHED_BYTES: Final = 1 << 13  # of cells known by their values: a digest takes 12 us
