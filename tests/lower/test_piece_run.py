import numpy as np
import zarr

import dask_tapestry as dt
from dask_tapestry.lower.piece_run import PieceRun
from dask_tapestry.lower.schedule_walk import walk
from dask_tapestry.lower.values_until_last_use import ValuesUntilLastUse
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.block_schedule import LoopEntry
from dask_tapestry.steps.streaming import block_schedule_of
from dask_tapestry.zspace import ZRange
from tests.pieces import pieces_of

X = np.random.default_rng(0).random((4000, 50))
BOX = ZRange((0, 0), X.shape)


def begun(make, out=None):
    """The run of the loop that computes a formula of an array, whole in this process."""
    x = dt.placeholder(X.shape, "f8")
    program = group_of(make(x).node, {x.node}).program
    block = block_schedule_of(program, program.type.box)
    (entry,) = [entry for entry in block.entries if isinstance(entry, LoopEntry)]
    return PieceRun(entry, ValuesUntilLastUse(program, block.schedule, {(0, BOX): X}), out)


def test_pieces_are_written_where_the_value_belongs():
    with pieces_of(2**17):
        out = np.zeros(X.T.shape)
        run = begun(lambda x: x.T * 2, out)
        assert run.result is out
        frames = list(run.frames())
        assert len(frames) > 1
        for frame in frames:
            assert np.shares_memory(frame.out, out)
            assert walk(frame) is frame.out
    assert run.completion() is None
    np.testing.assert_array_equal(out, X.T * 2)


def test_partial_results_are_completed_at_the_end():
    with pieces_of(2**11):
        out = np.zeros(())
        run = begun(lambda x: (x + 1).mean(), out)
        assert run.result is not out
        for frame in run.frames():
            frame.out[...] = walk(frame)
        np.testing.assert_allclose(walk(run.completion()), (X + 1).mean())


def test_a_sink_has_no_memory(tmp_path):
    y = dt.from_zarr(zarr.create_array(tmp_path / "x", data=X, chunks=(1000, 50)))
    written = []
    with pieces_of(2**17), dt.config(resources=dt.Resources(threads=1, memory="4 GiB")):
        memory = PieceRun.__init__

        def recorded(run, entry, held, out):
            memory(run, entry, held, out)
            written.append(run.result)

        PieceRun.__init__ = recorded
        try:
            write = dt.to_zarr(y * 2, tmp_path / "y", chunks=(1000, 50), compute=False)
            write.compute(scheduler="sync")
        finally:
            PieceRun.__init__ = memory
    assert written
    assert all(result is None for result in written)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "y")[...], X * 2)
