import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.indexing.take import open_grid, take, take_along_axis, take_places
from tests.operators.indexed import SHAPES, check, numbers, places


@given(SHAPES, st.data())
def test_cells_are_taken_where_places_say(shape, data):
    x = numbers(shape)
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    sides = data.draw(st.sampled_from([(), (3,), (2, 2)]))
    found = [places(data.draw, sides, shape[axis]) for axis in sorted(axes)]
    if any(p is None or p.shape != sides for p in found):
        return
    kept = len(shape) - len(axes)
    at = data.draw(st.integers(0, kept))
    known = [p % shape[axis] for p, axis in zip(found, sorted(axes), strict=True)]
    bounds = data.draw(st.sampled_from([None, IndexRanges.of(known)]))
    given = found if bounds is None else known
    node = take_places(
        dt.asarray(x).node, [dt.asarray(p).node for p in given], sorted(axes), at, bounds
    )
    check(node, [x, *given], data)


@given(SHAPES, st.data())
def test_cells_are_taken_along_an_axis(shape, data):
    x = numbers(shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    sides = (*shape[:axis], data.draw(st.integers(0, 4)), *shape[axis + 1 :])
    chosen = places(data.draw, sides, shape[axis])
    if chosen is None or chosen.shape != sides:
        return
    node = take_along_axis(dt.asarray(x).node, dt.asarray(chosen).node, axis)
    check(node, [x, chosen], data)


def test_one_axis_keeps_its_name():
    x = dt.asarray(np.ones((2, 3)), dims=("a", "b"))
    assert take(x.node, dt.asarray([0, 1]).node, 1).type.dims == ("a", "b")
    assert take(x.node, dt.asarray([[0]]).node, 1).type.dims == ("a", None, None)


def test_places_are_integers():
    with pytest.raises(DTypeError, match="float64"):
        take(dt.ones(3).node, dt.ones(2).node, 0)


def test_coordinates_are_open_grids():
    found = [dt.Array(c).compute() for c in open_grid((2, 3))]
    assert [c.shape for c in found] == [(2, 1), (1, 3)]
    assert found[1].tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_a_table_of_few_rows_is_not_divided_among_owners(rows):
    x = dt.placeholder((3000, rows, 40_000), "f4", (30, rows, 40_000))
    node = dt.take(x, np.array([2, 0, 1, 3, 1]) % rows, axis=1).node
    named = [form.name for form in node.operator.forms(node.input_types)]
    assert node.operator.name == "take"
    assert named == ["shuffle"] * (rows > 3) + ["mask"] * (rows > 1)


def test_labels_aligned_along_few_rows_are_planned():
    x = dt.placeholder((3652, 3, 1440), "f4", (24, 3, 1440))
    places = np.array([-1, -1, 0, 1, 2])
    parts = [
        np.where((own != -1)[:, None], dt.take(x, own, axis=1), np.nan)
        for own in (places, places[::-1])
    ]
    dt.plan(np.concatenate(parts), resources=dt.Resources(workers=50, threads=4)).verify()
