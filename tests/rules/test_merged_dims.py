import warnings

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.cells import lattice
from dask_tapestry.operators.views.reshape import Reshape
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules import merged_dims
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits
from tests.examples import examples

BANDS, ROWS, COLUMNS = 5, 70, 130
RANDOM = np.random.default_rng(29)
IMAGE = RANDOM.normal(size=(BANDS, ROWS, COLUMNS))
LAYOUTS = {"bands first": (BANDS, ROWS, COLUMNS), "bands last": (ROWS, COLUMNS, BANDS)}
FOLDS = "sum mean std max argmin any ptp nanmean count_nonzero".split()


def tiles(layout):
    """Cells in the layout, and the chunks they are stored in."""
    last = layout == "bands last"
    return np.moveaxis(IMAGE, 0, 2 if last else 0), (32, 48, 2) if last else (2, 32, 48)


@pytest.fixture(scope="module", autouse=True)
def _chunks_are_cells_of_a_lattice():
    """As of large arrays: sums of few cells are the same however these are stored."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "FEW_LATTICE_CELLS", 60)
        patch.setattr(lattice, "FOLDED_CELLS", 4)
        yield


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Images in tiles, by layout and dtype."""
    arrays = {}
    for layout in LAYOUTS:
        cells, chunks = tiles(layout)
        for dtype in ("f8", "f4", "i4"):
            path = tmp_path_factory.mktemp("stored") / "x"
            values = (100 * cells).astype(dtype) if dtype == "i4" else cells.astype(dtype)
            dt.to_zarr(dt.asarray(values), path, chunks=chunks)
            arrays[layout, dtype] = values, dt.from_zarr(path)
    return arrays


def merged(x, layout):
    return x.reshape(BANDS, -1) if layout == "bands first" else x.reshape(-1, BANDS)


def centred(x, layout):
    axis = 1 if layout == "bands first" else 0
    return x - x.mean(axis, keepdims=True)


def weights(dtype):
    return (np.arange(3 * BANDS).reshape(3, BANDS) % 7 - 3).astype(dtype)


def product(x, layout):
    w = weights(x.dtype)
    return w @ x if layout == "bands first" else x @ w.T


PIXELS = {
    "as they are": lambda x, layout: x,
    "a formula": lambda x, layout: np.where(x > 0, 2 * x, -x) + 1,
    "centred": centred,
    "products": product,
    "turned": lambda x, layout: (x.T * 2).T,
}
RESULTS = {
    "covariances": lambda y, layout: y @ y.T if layout == "bands first" else y.T @ y,
    "parted again": lambda y, layout: y.reshape(
        (-1, ROWS, COLUMNS) if layout == "bands first" else (ROWS, COLUMNS, -1)
    ),
    "the largest band, parted": lambda y, layout: y.argmax(
        0 if layout == "bands first" else 1
    ).reshape(ROWS, COLUMNS),
    "bands folded": lambda y, layout: y.max(0 if layout == "bands first" else 1) * 2,
    "few bands": lambda y, layout: y[:2] - y[1:3] if layout == "bands first" else y[:, :2] * 3,
    "all cells": lambda y, layout: y.ravel().sum(),
    "read twice": lambda y, layout: (
        y.sum(1 if layout == "bands first" else 0) @ y.sum(1 if layout == "bands first" else 0)
    ),
}


def reshapes(array):
    """The reshapes in the graph that is planned."""
    graph = simplified(Graph([array.node]), Trace())
    return [node for node in graph.nodes if isinstance(node.operator, Reshape)]


def assert_close(value, wanted):
    value, wanted = np.asarray(value), np.asarray(wanted)
    assert (value.dtype, value.shape) == (wanted.dtype, wanted.shape)
    if wanted.dtype.kind != "f":
        np.testing.assert_array_equal(value, wanted)
        return
    rounding = 1e-3 if wanted.dtype == "f4" else 1e-10
    np.testing.assert_allclose(
        value, wanted, rtol=rounding, atol=rounding * (np.abs(wanted).max() + 1)
    )


@pytest.mark.few(8)  # each layout and program
@pytest.mark.covering
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("pixels", PIXELS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_are_numpys(layout, dtype, pixels, result, stored, shardings):
    cells, x = stored[layout, dtype]
    wanted = RESULTS[result](PIXELS[pixels](merged(cells, layout), layout), layout)
    made = RESULTS[result](PIXELS[pixels](merged(x, layout), layout), layout)
    value = made.compute()
    assert_close(value, wanted)
    with shardings.tiny(20_000):
        assert_close(made.compute(), wanted)


@pytest.mark.few(5)  # each program
@pytest.mark.covering
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("dtype", ["f8", "i4"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_folds_are_taken_before_dimensions_are_merged(layout, dtype, name, stored, shardings):
    cells, x = stored[layout, dtype]
    axis = 1 if layout == "bands first" else 0
    made = getattr(dt, name)(merged(x, layout) * 1.5, axis=axis)
    value = made.compute()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        assert_close(value, getattr(np, name)(merged(cells, layout) * 1.5, axis=axis))
    with shardings.tiny(20_000):
        assert same_bits(made.compute(), value)
    assert not reshapes(made)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fewer_cells_are_put_in_a_row_than_are_folded(layout, stored):
    _, x = stored[layout, "f8"]
    y, axis = merged(x, layout), 0 if layout == "bands first" else 1
    scores = weights("f8")[:1] @ y if axis == 0 else y @ weights("f8")[0]
    for made in (y.mean(axis) + 1, scores):
        moved = reshapes(made)
        assert len(moved) == 1
        assert moved[0].type.nbytes <= y.nbytes / 2
    both = dt.stack([y.mean(axis), y.sum(axis)])
    assert len(reshapes(both)) == 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_tile_is_read_once(layout, stored):
    cells, x = stored[layout, "f4"]
    y = merged(x, layout)
    made = RESULTS["covariances"](y, layout), RESULTS["the largest band, parted"](y, layout)
    assert not reshapes(made[1])
    for one in made:
        assert one.plan(resources=dt.Resources(4, 1, "1 GiB")).cost["bytes_read"] == cells.nbytes


def test_counts_and_tables_of_pixels(stored, shardings):
    cells, x = stored["bands first", "i4"]
    numbers = dt.clip(x, 0, 50).ravel()
    table = dt.bincount(numbers, minlength=60)
    wanted = np.bincount(np.clip(cells, 0, 50).ravel(), minlength=60)
    assert_close(table.compute(), wanted)
    assert not reshapes(table)
    equalised = dt.bincount(dt.cumsum(table)[dt.clip(x, 0, 50)].ravel() // 100)
    assert_close(
        equalised.compute(), np.bincount(np.cumsum(wanted)[np.clip(cells, 0, 50)].ravel() // 100)
    )
    weighted = dt.bincount(numbers, weights=x.ravel() * 0.5)
    value = weighted.compute()
    assert_close(value, np.bincount(np.clip(cells, 0, 50).ravel(), weights=cells.ravel() * 0.5))
    with shardings.tiny(20_000):
        assert same_bits(weighted.compute(), value)


def test_sums_of_few_cells_stay_as_written(stored, monkeypatch):
    monkeypatch.setattr(lattice, "FEW_LATTICE_CELLS", 10**6)
    _, x = stored["bands first", "f4"]
    y = x.reshape(BANDS, -1)
    assert reshapes(y.sum(1))
    assert reshapes(dt.bincount(x.astype("u1").ravel(), weights=x.ravel()))
    assert not reshapes(dt.bincount(x.astype("u1").ravel()))


def test_what_is_not_stored_in_tiles_stays_as_written(stored):
    _, x = stored["bands first", "f8"]
    inside = dt.asarray(IMAGE).reshape(BANDS, -1)
    assert reshapes(inside.sum(1))
    assert reshapes(x.reshape(BANDS, -1))  # the result is merged
    assert reshapes(dt.sort(x.reshape(BANDS, -1), axis=1))
    assert reshapes((x.reshape(BANDS, -1) * np.arange(ROWS * COLUMNS)).sum(1))


@examples(25)
@given(data=st.data())
def test_any_dims_merged_and_folded(stored, data):
    cells, x = stored["bands first", "i4"]
    a, b = data.draw(st.integers(0, 2)), data.draw(st.integers(1, 3))
    lo, hi = min(a, b), max(a, b)
    order = data.draw(st.permutations(range(3)))
    shape = [(BANDS, ROWS, COLUMNS)[axis] for axis in order]
    new = [*shape[:lo], int(np.prod(shape[lo:hi], dtype=int)), *shape[hi:]]
    axes = data.draw(st.sets(st.integers(0, len(new) - 1), min_size=1))
    name = data.draw(st.sampled_from(["sum", "max", "any"]))
    wanted = getattr(np, name)(cells.transpose(order).reshape(new) - 3, axis=tuple(axes))
    made = getattr(dt, name)(x.transpose(order).reshape(new) - 3, axis=tuple(axes))
    assert_close(made.compute(), wanted)
    back = (x.transpose(order).reshape(new) - 3).reshape(shape)
    np.testing.assert_array_equal(back.compute(), cells.transpose(order) - 3)


FEW_ROWS = {  # which a product joins again, as BLAS takes them
    "rows": ((4, 3, 40), lambda x: x.reshape(12, 40) @ np.ones((40, 2))),
    "rows and a vector": ((4, 3, 40), lambda x: (2 * x).reshape(12, 40) @ np.ones(40)),
    "rows of several matrices": ((2, 4, 3, 40), lambda x: x.reshape(2, 12, 40) @ np.ones((40, 1))),
    "columns": ((40, 4, 3), lambda x: np.ones((1, 40)) @ x.reshape(40, 12)),
    "columns of many rows": ((40, 4, 3), lambda x: np.ones((800, 40)) @ x.reshape(40, 12)),
    "rows, turned": ((40, 4, 30), lambda x: x.reshape(40, 120).T @ np.ones((40, 2))),
    "rows, parted": ((4, 3, 40), lambda x: (x.reshape(12, 40) @ np.ones((40, 1))).reshape(4, 3)),
}


@pytest.mark.parametrize("name", FEW_ROWS)
def test_rows_that_are_joined_to_multiply_stay_merged(name):
    shape, program = FEW_ROWS[name]
    cells = np.arange(np.prod(shape) * 1.0).reshape(shape)
    store = zarr.storage.MemoryStore()
    made = zarr.create_array(store, shape=shape, chunks=[max(1, n // 2) for n in shape], dtype="f8")
    made[...] = cells
    np.testing.assert_array_equal(program(dt.from_zarr(store)).compute(), program(cells))


@pytest.mark.parametrize("steps", [3, 14])
def test_what_steps_of_a_loop_read_twice_is_parted_once(monkeypatch, steps):
    def written(x):
        y = x.reshape(BANDS, -1)
        for _ in range(steps):
            y = y[::-1] * y / 8
        return y.sum(axis=1)

    made, reapply = [], merged_dims.reapply
    monkeypatch.setattr(merged_dims, "reapply", lambda *given: made.append(0) or reapply(*given))
    store = zarr.storage.MemoryStore()
    zarr.create_array(store, data=IMAGE, chunks=(2, 32, 48))
    result = written(dt.from_zarr(store)).compute()
    np.testing.assert_allclose(result, written(IMAGE), rtol=1e-12)
    assert 0 < len(made) <= 4 * steps, "not one for each of the paths, which double with a step"
