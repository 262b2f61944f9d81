import hypothesis.strategies as st
import numpy as np
import pytest
import zarr
from hypothesis import given

import dask_tapestry as dt
from dask_tapestry.operators.user import user_windows
from dask_tapestry.operators.user.user_operator import UserOperator
from dask_tapestry.operators.user.user_windows import left_out
from dask_tapestry.teg import Progression, Region
from dask_tapestry.zspace import ZRange


def means(pace, width):
    """An operator of means of windows of rows, and of all columns."""

    def of_block(x):
        windows = np.lib.stride_tricks.sliding_window_view(x, width, axis=0)[::pace]
        return windows.mean(axis=-1)

    return dt.block_operator(
        index={"at": "parallel", "column": "parallel"},
        inputs={"x": dt.IndexProjection([[pace, 0], [0, 1]], [0, 0], [width, 1])},
        outputs={"z": "at column"},
    )(of_block)


@given(
    st.integers(1, 3),
    st.integers(1, 4),
    st.slices(12),
    st.slices(5),
    st.sampled_from([8, 64, 10**6]),
)
def test_slices_with_steps_are_those_of_the_whole(pace, width, rows, columns, block_bytes):
    x = np.random.default_rng(0).normal(size=(pace * 11 + width, 5))
    whole = means(pace, width)(x).compute()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_windows, "WINDOW_GAP_BYTES", 1)
        patch.setattr(user_windows, "MOST_WINDOW_PIECES", 3)
        with dt.config(block_bytes=block_bytes, resources=dt.Resources(2, 1, "1 GiB")):
            part = means(pace, width)(x)[rows, columns]
            plan = part.plan()
            plan.verify()
            np.testing.assert_array_equal(plan.compute(scheduler="sync"), whole[rows, columns])
            again = means(pace, width)(x)[rows][::2]
            np.testing.assert_array_equal(again.compute(), whole[rows][::2])


def test_what_lies_between_windows_is_not_read(tmp_path):
    x = np.random.default_rng(0).normal(size=(40_000, 4))
    zarr.create_array(tmp_path / "x.zarr", data=x, chunks=(100, 4))
    part = means(1, 10)(dt.from_zarr(tmp_path / "x.zarr"))[::4000]
    plan = part.plan()
    assert plan.cost["bytes_read"] < x.nbytes / 20
    wanted = [x[at : at + 10].mean(axis=0) for at in range(0, 39_991, 4000)]
    np.testing.assert_allclose(plan.compute(), wanted, rtol=1e-13)


def test_its_meaning_is_that_of_the_whole():
    x = np.random.default_rng(0).normal(size=(4000, 4))
    node = means(2, 3)(x).node
    wanted = Region((Progression(0, 500, 4), Progression(0, 1, 4)))
    cut = node.operator.restrict(node.input_types, wanted)
    assert isinstance(cut.operator, UserOperator)
    assert cut.operator.apart == (0,)
    (reads,) = cut.inputs
    given = x[tuple(slice(p.start, p.stop, p.step) for p in reads)]
    made = cut.operator.reference(given)
    np.testing.assert_array_equal(made, node.operator.reference(x)[:2000:500])
    pieces = cut.operator.pieces((dt.asarray(given).node.type,), ZRange((1, 0), (3, 4)))
    assert [box.shape for _, box in pieces] == [(3, 4), (3, 4)]


def test_which_regions_leave_points_out():
    assert left_out(Progression(0, 2, 3), 1)
    assert not left_out(Progression(0, 2, 3), 2)
    assert not left_out(Progression(0, 1, 3), 1)
    assert not left_out(Progression(4, 2, 1), 1)
