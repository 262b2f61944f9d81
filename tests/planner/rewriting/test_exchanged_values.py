from math import prod
from time import monotonic, sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.abstraction import abstract
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.rewriting.exchanged_values import (
    EXCHANGED,
    exchanged_form,
    is_exchangeable,
    number_of,
    sides_of,
)
from dask_tapestry.planner.rewriting.rule_choices import form_named
from dask_tapestry.teg import Source, sequence_point
from dask_tapestry.teg.stored_grid import stored_cuts

SHAPES = st.lists(st.integers(1, 30), max_size=4).map(tuple)


def exchanged(x, sides):
    """An array that goes through a store in chunks of these sides, if it is not in memory."""
    node = x.node
    if isinstance(node.operator, Source):
        return x
    return dt.Array(form_named(node, EXCHANGED, ()).make(node, number_of(sides, node.type.shape)))


@given(data=st.data())
def test_a_number_stands_for_sides(data):
    shape = data.draw(SHAPES)
    sides = tuple(data.draw(st.integers(1, n)) for n in shape)
    number = number_of(sides, shape)
    assert 0 <= number < max(1, prod(shape))
    assert sides_of(number, shape) == sides


@pytest.mark.parametrize(
    "node",
    [
        dt.asarray(np.ones(3)).node,  # it is in memory
        (dt.asarray(np.array(["a", "b"], "T")) + dt.asarray(np.array(["c", "d"], "T"))).node,
        (dt.ones(0) + 1).node,
        dt.ones(3, dtype="g").node,
        (dt.ones(3) + 1).rechunk(2).node,
        sequence_point((dt.ones(3) + 1).node),
    ],
)
def test_what_no_store_takes_has_no_such_form(node):
    assert not is_exchangeable(node)
    assert exchanged_form(node) is None


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
@given(data=st.data())
def test_a_value_is_the_same_through_a_store(scheduler, tmp_path_factory, data):
    """In programs that reduce, turn and slice before and after it, and write what they make."""
    shape = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple))
    dtype = data.draw(st.sampled_from(["?", "u1", "i4", "f4", "f8", "c8", "S3", "U2"]))
    cells = np.arange(1, 1 + prod(shape)).reshape(shape).astype(dtype)
    before = data.draw(st.sampled_from([np.negative, np.transpose, np.flip, np.square]))
    if dtype in ("?", "S3", "U2"):
        before = np.transpose
    after = data.draw(
        st.sampled_from(
            [
                lambda xp, x: x.T + x.T if x.dtype.kind not in "SU" else x.T,
                lambda xp, x: xp.max(x, axis=0),
                lambda xp, x: xp.sort(x, axis=-1)[..., ::-1],
                lambda xp, x: xp.concatenate([x[:1], x]),
                lambda xp, x: x,
            ]
        )
    )
    made = before(cells)
    sides = tuple(data.draw(st.integers(1, n)) for n in made.shape)
    with dt.config(temporary_store=tmp_path_factory.mktemp("root"), block_bytes=64):
        value = after(dt, exchanged(before(dt.asarray(cells)), sides))
        computed = value.compute(scheduler=scheduler)
    np.testing.assert_array_equal(computed, np.asarray(after(np, made)))


def test_two_values_and_one_that_is_read_twice(tmp_path):
    x = exchanged(dt.arange(24.0).reshape(4, 6) + 1, (2, 3))
    y = exchanged(x.T * 2, (3, 2))
    cells = np.arange(24.0).reshape(4, 6) + 1
    with dt.config(temporary_store=tmp_path):
        first, second = dt.compute(x.sum(axis=0), y + x.T)
    np.testing.assert_array_equal(first, cells.sum(axis=0))
    np.testing.assert_array_equal(second, 3 * cells.T)
    end = monotonic() + 10
    while list(tmp_path.iterdir()) and monotonic() < end:
        sleep(0.02)  # another thread removes
    assert not list(tmp_path.iterdir()), "nothing is left"


def test_readers_wait_and_the_plan_computes_what_was_written(tmp_path):
    x = exchanged(dt.arange(24.0).reshape(4, 6) + 1, (2, 3))
    plan = build_plan([x.sum(axis=1).node])
    plan.verify()
    reader = list(plan.steps.values())[-1]
    assert reader.after, "it follows the write"
    assert abstract(plan).roots


def test_sums_are_cut_as_if_a_value_had_not_been_written():
    x = dt.placeholder((60, 90), "f8", stored_chunks=(20, 30)) * 2
    assert stored_cuts(exchanged(x, (7, 90)).node) == stored_cuts(x.node)
