import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.operators.cells.cellwise import common_shape
from dask_tapestry.teg import TensorType


def test_shapes_and_names_are_those_of_all():
    named = TensorType((2, 3), np.dtype("f8"), ("row", None))
    other = TensorType((2, 3), np.dtype("i4"), (None, "column"))
    assert common_shape((named, other), "formula") == ((2, 3), ("row", "column"))
    with pytest.raises(dt.ShapeError, match="a formula takes tensors of one shape"):
        common_shape((named, TensorType((3,), np.dtype("f8"))), "formula")


def test_names_that_disagree_are_refused_by_functions_of_cells_too():
    added = np.frompyfunc(lambda a, b: a + b, 2, 1)
    x, y = dt.ones(3).rename("row"), dt.ones(3).rename("column")
    for call in (np.add, added):
        with pytest.raises(dt.ShapeError, match="two names"):
            call(x, y)


def named(cells, *names):
    """Cells of a source that has names of its own, which no rule takes away."""
    store = zarr.storage.MemoryStore()
    made = zarr.create_array(
        store, shape=cells.shape, chunks=(2,) * cells.ndim, dtype=cells.dtype, dimension_names=names
    )
    made[...] = cells
    return dt.from_zarr(store)


def test_names_that_rules_bring_together_may_disagree():
    cells, rows = np.arange(9.0).reshape(3, 3), np.arange(3.0)
    a, b = named(cells, "time", "x"), named(cells + 1, "time", "y")
    x, y = named(rows, "x"), named(rows, "time")
    results = {
        "renamed": (a.rename("time", "y") + b, 2 * cells + 1),
        "folded": (b.rename("z", "x").sum(0) + x, (cells + 1).sum(0) + rows),
        "one pass, rows": (a.sum(0) + x, cells.sum(0) + rows),
        "one pass, columns": (a.sum(1) + y, cells.sum(1) + rows),
        "one pass, turned": (a.T.sum(0) - y, cells.sum(1) - rows),
    }
    found = dt.compute(*[ours for ours, _ in results.values()])
    for (how, (_, theirs)), value in zip(results.items(), found, strict=True):
        np.testing.assert_array_equal(value, theirs, how)
