"""Groups whose labels are not in memory; `test_grouped_reductions` compares them with xarray's."""

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")

from xarray.groupers import UniqueGrouper  # noqa: E402

import dask_tapestry as dt  # noqa: E402


def test_labels_and_cells_are_computed_by_one_plan_and_not_before():
    computed = []

    def counted(block):
        computed.append(block.size)
        return block

    cells = np.arange(24.0).reshape(2, 3, 4)
    labels = np.arange(12).reshape(3, 4) % 3
    with dt.xarray.use():
        numbers = dt.asarray(labels).map_blocks(counted, dtype=labels.dtype)
        x = xarray.DataArray(dt.asarray(cells), dims=("time", "y", "x"))
        x = x.assign_coords(region=(("y", "x"), numbers))
        computed.clear()
        found = x.groupby(region=UniqueGrouper(labels=[0, 1, 2])).mean()
        assert not computed
        expected = [[row[labels == g].mean() for g in range(3)] for row in cells]
        np.testing.assert_allclose(found.transpose("time", "region"), expected)
        assert sum(computed) == labels.size


@pytest.mark.parametrize("keep_attrs", [True, False, None])
def test_attributes_are_kept_as_asked(keep_attrs):
    with dt.xarray.use():
        x = xarray.DataArray(dt.asarray([1.0, 2.0]), dims="x", attrs={"units": "K"}, name="t")
        labels = xarray.DataArray(dt.asarray([0, 1]), dims="x", attrs={"of": "land"}, name="k")
        x = x.assign_coords(k=labels)
        for data in (x, x.to_dataset()):
            grouped = data.groupby(k=UniqueGrouper(labels=[1, 0]))
            found = grouped.max(keep_attrs=keep_attrs)
            held = found if data is x else found.t
            assert held.attrs == ({} if keep_attrs is False else {"units": "K"})
            assert (held.values.tolist(), held.k.values.tolist()) == ([2, 1], [1, 0])
