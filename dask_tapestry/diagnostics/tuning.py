"""The numbers that decide something in `diagnostics/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Of others: what NumPy, SciPy, Dask, zarr, file formats and operating systems have.

# job_progress
FULL_MEMORY: Final = 0.8  # of a worker's memory, from which memory limits a job

# plan_summary_json
READ_DIMENSIONS: Final = 64  # dimensions

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# bottleneck
# Of the memory that a worker may fill, from which a plan is close to it
NEARLY_FULL_MEMORY: Final = 0.9
EQUALLY_LIMITING: Final = 0.8  # of the largest resource, from which the second one limits as well

# job_progress
# Part of a job after which the plan counts half as much as what was measured
TRUSTED_SHARE: Final = 0.1
MOST_CORRECTION: Final = 20.0  # times by which a prediction is corrected at most
# Of threads without a task though tasks are open: the scheduler limits a job
IDLE_THREADS: Final = 0.5

# local_jobs
JOBS_REMEMBERED: Final = 50  # jobs that are remembered
MEMORY_LOOK_SECONDS: Final = 0.05  # seconds between looks at this process's memory

# measured_run
# Of all steps that one resource limits, below which nothing is known
LEAST_MEASURED_SECONDS: Final = 0.02
MOST_RATE_CHANGE: Final = 100.0  # times by which a run makes a rate faster or slower

# plan_summaries
REPEATED_READS: Final = 1.5  # times that stored bytes are read, from which it is said why
# Bytes of a constant, up to which its cells are told apart by a digest
DIGESTED_BYTES: Final = 2**26

# plan_summary_json
READ_TEXT_LETTERS: Final = 1_000_000  # of one text
READ_FILE_LETTERS: Final = 2**28  # letters of a file
READ_NUMBER: Final = 2**200  # bytes, cells and blocks of plans of more than any machine has

# step_text
# Parts of its seconds by which a step may differ and count as no slower
ALIKE_SECONDS: Final = 1e-3

# For who reads or waits: how much a page, a line or a wait may hold. No value depends on it.

# block_summaries
BLOCK_SLICES_SHOWN: Final = 12  # slices that a block shows

# charts
MOST_TICKS: Final = 5  # of an axis, at most

# chunk_picture
DEEP_PARTS: Final = 1.7  # a dimension that leads into the picture is drawn so much shorter
MOST_CHUNK_CUTS_DRAWN: Final = 32  # lines of a dimension; of more, every few of them
PICTURE_MARGIN_PIXELS: Final = 50  # for the numbers beside a grid

# compare
ALIKE_FIGURES: Final = 0.005  # parts by which figures may differ and count as the same
# Steps that differ; of more, these are shown and the others counted
MOST_DIFFERENCES_SHOWN: Final = 50

# dashboard
REFRESH_MILLISECONDS: Final = 500  # milliseconds

# explain
NEGLIGIBLE_SHARE: Final = 0.01  # of a step's seconds; what takes less is not named
NAMED_RESULT_BYTES: Final = 2**20  # bytes of results; what less takes is not named

# grid_picture
LONGER_SIDE_PIXELS: Final = 120  # pixels of the longer side
SHORTER_SIDE_PIXELS: Final = 24  # of the shorter one
MOST_CUTS_DRAWN: Final = 48  # cuts that are drawn; of more, every few of them

# html_text
TEXT_LETTERS: Final = 1000  # of one text; of a longer one its beginning is shown

# job_page
BOX_LETTERS: Final = 35  # of a label that fit a box
MOST_JOB_STEPS_DRAWN: Final = 60  # steps of a graph
JOBS_IN_FULL: Final = 3  # jobs in full; of others a line

# job_text
BAR_SIGNS: Final = 24  # signs of a bar
JOB_LINES: Final = 12  # steps that are drawn of a job

# page
NOTEBOOK_ROWS: Final = 40  # steps that a notebook shows; a page shows all
MOST_POINTS_DRAWN: Final = 400  # plans of a frontier that are drawn

# plan_summaries
MOST_EDGES_LISTED: Final = 48  # irregular cuts of a dimension that are told
PARAMETER_LETTERS: Final = 300  # of parameters
STEPS_IN_DETAIL: Final = 200  # of which blocks and signatures are told

# profile
LABEL_LETTERS: Final = 48  # of a label in a terminal

# progress_drawing
DRAWING_SECONDS: Final = 0.2  # seconds between drawings of a terminal or a notebook
LOG_SECONDS: Final = 10.0  # seconds between lines of a log
JOBS_DRAWN: Final = 4  # jobs at a time

# step_details
OPERATORS_LISTED: Final = 40  # of a step that are listed
SIGNATURES_SHOWN: Final = 8  # of a step that are shown
SLICES_SHOWN: Final = 12  # slices of a block, and inputs of a step, that are shown

# step_rows
ALIKE_STEPS: Final = 4  # steps that are, from which they share a row
# Rows; of a plan of more, operators, signatures and blocks are left out
WHOLE_PLAN_ROWS: Final = 150
STEP_NUMBERS_NAMED: Final = 3  # of steps, that a row of several names
NARROW_BAR: Final = 0.3  # hundredths of the time; bars that are no further apart are one
CODE_LINES: Final = 3  # lines of the user's that a row shows

# step_text
OPERATORS_NAMED: Final = 12  # operators of a step; of more, the first and the last ones are named
GROUPED_DIGITS_FROM: Final = 1000  # from which a number is written in groups of three digits

# step_words
STEP_WORDS: Final = 6  # words that a step is called by; of more, the first ones
WORD_LETTERS: Final = 60  # letters of a word of the user's

# steps_picture
LABEL_LINE_LETTERS: Final = 32  # letters that fit into a line of a box
LABEL_LINES: Final = 4  # of a label
MOST_STEPS_DRAWN: Final = 60  # steps; a larger plan has no picture, as nobody could read it

# users_code
CODE_LINE_LETTERS: Final = 200  # of a line; of a longer one its beginning is shown
