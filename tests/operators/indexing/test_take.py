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


def stored(folder, shape, chunk, dtype="f8"):
    cells = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    dt.to_zarr(dt.asarray(cells), folder / "x.zarr", chunks=chunk)
    return cells, dt.from_zarr(folder / "x.zarr")


INDICES = {
    "two seasons": np.concatenate([np.arange(3, 9), np.arange(60, 66)]),
    "ends": np.array([0, 99]),
    "backwards": np.array([98, 97, 50, 4]),
    "mixed": np.array([70, 2, 71, 3, 70, 2]),
    "negative": np.array([-1, 5, -98, 40]),
    "rows of rows": np.array([[3, 90], [4, 91], [5, 3]]),
    "now and then": np.array([0, 10, 20, 29, 41, 50, 63]),
    "one": np.array([42]),
    "none": np.array([], int),
}


@pytest.mark.covering
@pytest.mark.parametrize("indices", INDICES.values(), ids=list(INDICES))
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["f4", "M8[s]"])
def test_chunks_between_places_are_not_read(indices, axis, dtype, tmp_path, shardings):
    shape, chunk = ((100, 7), (4, 7)) if axis == 0 else ((7, 100), (7, 4))
    cells, x = stored(tmp_path, shape, chunk, dtype)
    expected = np.take(cells, indices, axis)
    taken = dt.take(x, indices, axis)
    np.testing.assert_array_equal(taken.compute(), expected)
    with shardings.tiny(2000):
        np.testing.assert_array_equal(dt.take(x, indices, axis).compute(), expected)
    counted = (
        taken.max(axis)
        if dtype == "M8[s]" and indices.size
        else taken.sum(axis)
        if dtype == "f4"
        else taken
    )
    needed = len(set((indices % 100 // 4).ravel().tolist()))
    if indices.size and indices.ndim == 1:
        assert dt.plan(counted).cost["bytes_read"] == needed * 28 * x.dtype.itemsize
    if dtype == "f4":
        np.testing.assert_array_equal(counted.compute(), expected.sum(axis))


def test_many_ranges_of_a_block_are_read_as_one():
    x = dt.placeholder((1000, 10), "f8", stored_chunks=(1, 10))
    for count, boxes in ((60, 60), (300, 1)):
        node = dt.take(x, np.arange(0, 3 * count, 3) + np.arange(count) % 2, axis=0).node
        reads = node.operator.pieces(node.input_types, node.type.box)
        assert [number for number, _ in reads] == [0] * boxes + [1]


def test_places_in_what_is_not_stored_are_read_as_one():
    node = dt.take(dt.ones((1000, 10)), np.array([1, 900]), axis=0).node
    assert len(node.operator.pieces(node.input_types, node.type.box)) == 2
