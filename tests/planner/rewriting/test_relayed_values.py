"""Values that are held twice, in blocks that are cut otherwise."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.planner.rewriting.relayed_values import RELAYED, relayed_form
from dask_tapestry.planner.rewriting.rule_choices import form_named
from dask_tapestry.teg import sequence_point


def relayed(x):
    return dt.Array(form_named(x.node, RELAYED, ()).make(x.node, 1))


def test_what_has_no_value_has_no_such_form(tmp_path):
    x = dt.ones(3) + 1
    written = dt.to_zarr(x, tmp_path / "x", compute=False)
    assert relayed_form(x.node) is not None
    assert relayed_form(sequence_point(x.node)) is None
    assert relayed_form(written.node) is None


def test_names_of_dimensions_stay():
    named = dt.Array(rename((dt.ones((3, 4)) + 1).node, ("row", None)))
    assert relayed(named).node.type == named.node.type
    assert named.node.type.dims == ("row", None)


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
@given(data=st.data())
def test_a_value_is_the_same_through_a_relay(scheduler, data):
    shape = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=3).map(tuple))
    dtype = data.draw(st.sampled_from(["?", "u1", "i4", "f4", "f8", "c8", "U3", "M8[s]"]))
    cells = np.arange(1, 1 + prod(shape)).reshape(shape).astype("i8").astype(dtype)
    after = data.draw(
        st.sampled_from(
            [lambda xp, x: xp.sort(x, axis=0), lambda xp, x: x.T, lambda xp, x: xp.flip(x)]
        )
    )
    with dt.config(block_bytes=64):
        value = after(dt, relayed(dt.flip(dt.asarray(cells))))
        computed = value.compute(scheduler=scheduler)
    np.testing.assert_array_equal(computed, after(np, np.flip(cells)))
