import numpy as np

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks.regions import TILE
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from dask_tapestry_kernels.parameters.region_tiles import Tiled

TILED = Tiled((4, 3), (2,), 2)
CELLS = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]], bool)  # a row of the second tile is missing
BOX = np.ones((3, 3), bool)
ROWS, COUNTS = OutputAxis(0, 2), OutputShape("counts", np.dtype("i8"), (OutputAxis(0, 1),))
LABELS = OutputShape("labels", np.dtype("i4"), (ROWS, OutputAxis(None, 3)))
KEEP = (slice(0, 4), slice(0, 3))


def parts(*outputs):
    return KERNELS["regionparts"](
        None, CELLS, structure=BOX, tiled=TILED, points=(2,), outputs=outputs
    )


def joined(labels):
    told = {"first": (0,), "points": (2,), "begins": (0, 0), "axis": 0}
    return KERNELS["regionjoints"](None, labels, structure=BOX, tiled=TILED, **told)


def test_tiles_are_numbered_by_themselves():
    made = parts(LABELS, COUNTS)
    assert made["labels"].tolist() == [[1, 0, 2], [1, 0, 2], [1, 1, 1], [0, 0, 0]]
    assert made["counts"].tolist() == [2, 1]
    assert parts(COUNTS)["counts"].tolist() == [2, 1]


def test_regions_that_touch_across_tiles_become_one():
    labels, counts = parts(LABELS, COUNTS).arrays
    buckets = joined(labels)
    assert buckets.cells[0].tolist() == [[1, TILE + 1], [2, TILE + 1]]
    assert len(buckets.cells[1]) == 0
    merged = KERNELS["regionmerge"](None, counts, buckets)
    assert merged.cells[0].tolist() == [[0, 2], [1, 0], [2, 1]]
    assert merged.cells[1].tolist() == [[1, 1], [1, 0], [1, 1]]
    told = {"tiled": TILED, "dtype": np.dtype("i4"), "keep": KEEP}
    made = KERNELS["renumber"](None, labels, merged, **told)
    assert made[:3].tolist() == CELLS.astype(int).tolist()
    assert not made[3].any()
    out = np.empty_like(made)
    assert np.shares_memory(KERNELS["renumber"](out, labels, merged, **told), out)
    assert KERNELS["regioncount"](None, merged) == 1


def test_tiles_that_touch_nothing_go_on_counting():
    labels, counts = np.array([[1, 0, 2], [0] * 3, [0] * 3, [1, 0, 2]], "i4"), np.array([2, 2])
    merged = KERNELS["regionmerge"](None, counts, joined(labels))
    made = KERNELS["renumber"](None, labels, merged, tiled=TILED, dtype=np.dtype("i8"), keep=KEEP)
    assert made.tolist() == [[1, 0, 2], [0] * 3, [0] * 3, [3, 0, 4]]
    assert KERNELS["regioncount"](None, merged) == 4
