from itertools import pairwise

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.sources.joined_source import joined_source
from dask_tapestry.lower.moving_window import MovingWindow, ShownValue
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.program import Instruction
from dask_tapestry.steps.window import MovingNeeds, window_of
from dask_tapestry.steps.windows import opened, sliding
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

SHAPE, CHUNK = (47, 8, 6), (10, 8, 6)
CELLS = np.random.default_rng(0).random(SHAPE)


def slid(tmp_path, lo, hi, chunks=CHUNK, change=None, **options):
    zarr.create_array(tmp_path / "x", data=CELLS, chunks=chunks, **options)
    x = dt.from_zarr(tmp_path / "x")
    value = x[1:] * x[:-1] if change is None else change(x)
    own = opened(group_of(value.node, set()).program)
    box = ZRange((lo, 0, 0), (hi, *value.shape[1:]))
    return own, box, sliding(own, box, 0, 5)


@pytest.mark.parametrize(("lo", "hi"), [(0, 46), (0, 23), (23, 46), (9, 29), (13, 14 + 19)])
def test_whole_chunks_are_decoded_in_the_window(tmp_path, lo, hi):
    own, box, (line, (window,)) = slid(tmp_path, lo, hi)
    chunk = 10 * 8 * 6 * 8
    assert window.in_place == window.scratch_bytes == chunk + chunk * 7 // 10  # the last is cut off
    assert window.box.lo[0] % 10 == 0
    assert window.box.hi[0] in (10, 20, 30, 40, 47)
    read = list[tuple[int, int]]()

    def reading(window, need, place, pace):
        read.append((need.lo[0], need.hi[0]))
        assert place.flags.c_contiguous
        return window.instruction.operator.read_some(need, place, pace)

    moving = MovingWindow(window, reading)
    for span in pairwise(line):
        needs = own.boxes(box.replace(0, *span))
        ShownValue([moving]).move(needs[0])
        for need in needs[0]:
            np.testing.assert_array_equal(moving.cells(need), CELLS[need.slices()])
    assert all(a % 10 == 0 and (b % 10 == 0 or b == 47) for a, b in read)
    assert [a for a, _ in read[1:]] == [b for _, b in read[:-1]]  # each once


@pytest.mark.parametrize(
    "options",
    [{"compressors": None}, {"chunks": (10, 4, 6)}, {"chunks": (10, 8, 6), "order": "F"}],
    ids=["plain", "columns", "turned"],
)
def test_others_are_decoded_elsewhere(tmp_path, options):
    options = {"zarr_format": 2} | options if "order" in options else options
    _, _, (_, (window,)) = slid(tmp_path, 5, 40, **options)
    assert window.in_place is None
    assert window.scratch_bytes > 0


def test_chunks_of_several_lengths_are_counted_as_the_longest(tmp_path):
    for name, rows, chunk in (("a", slice(0, 12), 3), ("b", slice(12, 47), 35)):
        zarr.create_array(tmp_path / name, data=CELLS[rows], chunks=(chunk, 8, 6))
    parts = [dt.from_zarr(tmp_path / name).node.operator for name in "ab"]
    type_ = TensorType(SHAPE, CELLS.dtype)
    source = Instruction(joined_source(parts, 0, False, type_), (), (), type_)
    needs = MovingNeeds(ZRange.of_shape(SHAPE), 0, 1, 0, 1)
    window = window_of(source, needs, tuple(range(47)))
    assert window.in_place is None
    assert window.scratch_bytes >= 2 * 35 * 8 * 6 * 8


@pytest.mark.parametrize("rows", [(0, 47), (13, 44)])
def test_values_do_not_depend_on_where_chunks_are_decoded(tmp_path, rows):
    data = np.random.default_rng(1).random((47, 200, 300))
    zarr.create_array(tmp_path / "x", data=data, chunks=(10, 200, 300))
    x = dt.from_zarr(tmp_path / "x")[rows[0] : rows[1]]
    known = data[rows[0] : rows[1]]
    found = (x[1:] * x[:-1]).sum(axis=0)
    np.testing.assert_allclose(found, (known[1:] * known[:-1]).sum(axis=0))
    np.testing.assert_array_equal(x[3:] - x[:-3], known[3:] - known[:-3])


@pytest.mark.parametrize(("pace", "start", "stop"), [(1, -2, 3), (3, 0, 1), (0, 4, 9)])
def test_the_need_of_one_piece_is_that_among_all(pace, start, stop):
    needs = MovingNeeds(ZRange((2, 0), (31, 5)), 0, pace, start, stop)
    line = (0, 4, 9, 12, 20)
    starts, stops = needs.ends(line)
    assert [needs.of(span) for span in pairwise(line)] == list(zip(starts, stops, strict=True))
