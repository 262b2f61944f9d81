import dask
import numpy as np
import pytest
from dask.callbacks import Callback

import dask_tapestry as dt
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.joined_blocks import buffers_between, joined, share_results
from dask_tapestry.lower.result_buffer import ResultBuffer
from dask_tapestry.planner.build import build_plan
from dask_tapestry.zspace import ZRange

HALVES = [ZRange((0, 0), (2, 4)), ZRange((2, 0), (4, 4))]
HULL = ZRange((0, 0), (4, 4))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f8", "M8[s]", "S3"])
def test_neighbours_in_one_array_are_a_view(order, dtype):
    whole = np.array(np.arange(20).reshape(5, 4).astype(dtype), order=order)
    found = joined(HULL, HALVES, [whole[:2], whole[2:4]])
    assert found is not None
    np.testing.assert_array_equal(found, whole[:4])
    assert np.shares_memory(found, whole)


def test_others_are_none():
    whole = np.arange(20.0).reshape(5, 4)
    read_only = whole[:2]
    read_only.flags.writeable = False
    for first, second in [
        (whole[:2], whole[3:5]),  # rows between them
        (whole[:2], whole[2:4].copy()),
        (whole[:2].copy(), whole[2:4].copy()),
        (whole[:2], whole[2:4].view("i8")),
        (whole[:2, ::-1], whole[2:4]),
    ]:
        assert joined(HULL, HALVES, [first, second]) is None
    made = joined(HULL, HALVES, [read_only, whole[2:4]])
    assert made is not None
    assert not made.flags.writeable


def two_axes(side=600):
    cells = np.random.default_rng(0).normal(size=(side, side)) + 1j
    return cells, dt.fft.fft2(cells)


def steps_of(x):
    return build_plan([x.node]).steps


def test_what_all_blocks_read_lies_in_one_array():
    _, x = two_axes()
    (rows, _) = steps_of(x)
    (between,) = buffers_between(steps_of(x)).items()
    assert between[0] == rows
    assert not between[1].kept
    cells = dt.asarray(np.ones((600, 600)))
    assert not buffers_between(steps_of(cells.cumsum(0) + cells))


def test_memory_between_lives_as_long_as_its_blocks():
    _, x = two_axes()
    (buffer,) = buffers_between(steps_of(x)).values()
    block = buffer.box(ZRange((0, 0), (2, 2)))
    block[...] = 3
    again = buffer.box(ZRange((0, 0), (2, 4)))
    assert np.shares_memory(block, again)
    assert again[0, 0] == 3


def test_lanes_are_transformed_where_they_lie():
    _, x = two_axes()
    steps = steps_of(x)
    rows, columns = steps
    buffers = {**buffers_between(steps), columns: ResultBuffer(columns.type)}
    share_results(steps, buffers)
    assert buffers[rows] is buffers[columns]


def test_what_is_asked_for_too_keeps_its_memory():
    cells, x = two_axes()
    rows = dt.fft.fft(cells)
    for scheduler in ("threads", "sync"):
        first, second = dask.compute(rows, x, scheduler=scheduler)
        np.testing.assert_allclose(first, np.fft.fft(cells), atol=1e-9)
        np.testing.assert_allclose(second, np.fft.fft2(cells), atol=1e-9)


def test_blocks_that_somebody_watches_are_not_overwritten():
    cells, x = two_axes()
    plan = build_plan([x.node])
    (rows, columns) = plan.steps
    for watching in (Callback(), None):
        with watching or dask.config.set():
            buffers = Lowering(plan, None)._buffers()
        assert (buffers[rows] is buffers[columns]) == (watching is None)
    with Callback():
        np.testing.assert_allclose(x.compute(), np.fft.fft2(cells), atol=1e-9)


def test_several_axes_in_one_array():
    cells = np.random.default_rng(0).normal(size=(90, 80, 70))
    found = dt.fft.fftn(cells).compute(scheduler="threads")
    np.testing.assert_allclose(found, np.fft.fftn(cells), atol=1e-8)
    assert found.flags.c_contiguous


def test_blocks_that_are_no_arrays_of_numpys_stay_as_they_are():
    x = dt.asarray(np.arange(600.0**2).reshape(600, 600))
    masked = x.map_blocks(lambda b: np.ma.masked_less(b, 5.0), dtype="f8")
    found = masked.sum(0).compute(scheduler="threads")
    assert found[0] == np.arange(600.0**2).reshape(600, 600)[:, 0].sum()


@pytest.mark.parametrize("options", [{}, {"num_workers": 2}])  # by this thread, and by Dask's
@pytest.mark.parametrize(("chunks", "in_a_row"), [((400, -1), True), ((-1, 500), False)])
def test_blocks_kept_lie_in_a_row_that_readers_do_not_copy(options, chunks, in_a_row):
    cells = np.arange(2e6).reshape(2000, 1000)
    kept = (dt.asarray(cells) + 1).rechunk(chunks).persist(**options)
    again = (dt.asarray(cells) + 1).rechunk(chunks).persist(**options)
    blocks, others = (blocks_kept(x) for x in (kept, again))
    assert len(blocks) > 1
    assert len({id(block.base) for block in blocks}) == (1 if in_a_row else len(blocks))
    assert not any(np.shares_memory(a, b) for a, b in zip(blocks, others, strict=True))
    assert all(block.flags.c_contiguous for block in blocks)
    np.testing.assert_array_equal((kept.T @ np.ones(2000)).compute(), (cells + 1).T @ np.ones(2000))
    np.testing.assert_array_equal(kept.compute(), cells + 1)


def blocks_kept(x):
    """The arrays that a persisted array is made of."""
    node = x.node
    while node.inputs:
        (node,) = node.inputs
    return [block for block in node.operator.graph.values() if isinstance(block, np.ndarray)]
