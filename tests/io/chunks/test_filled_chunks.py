from uuid import uuid4

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.io.chunks.filled_chunks import is_filled, none_is_filled
from dask_tapestry.io.chunks.zarr_chunk_io import write_box
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import open_array

FILLS = [("u1", 0), ("i2", -3), ("f4", 0.0), ("f8", np.nan), ("c8", 0.0), ("bool", False)]
LAYOUTS = [{}, {"zarr_format": 2}, {"shards": (4, 6)}, {"compressors": None, "shards": (4, 6)}]


def made(folder, dtype, fill, layout):
    return zarr.create_array(
        folder, shape=(10, 13), chunks=(2, 3), dtype=dtype, fill_value=fill, **layout
    )


def stored(folder):
    hidden = (".zarray", ".zattrs", "zarr.json")
    found = (one for one in folder.rglob("*") if one.is_file() and one.name not in hidden)
    return {str(one.relative_to(folder)): one.read_bytes() for one in found}


def selections(extent):
    """Slices of a dimension that select something, with steps or without."""
    ends = st.lists(st.integers(0, extent), min_size=2, max_size=2, unique=True).map(sorted)
    some = st.builds(lambda own, step: slice(*own, step), ends, st.sampled_from([1, 2, 3]))
    return st.just(slice(0, extent)) | some


@given(
    draw=st.data(),
    kind=st.sampled_from(FILLS),
    layout=st.sampled_from(LAYOUTS),
    region=st.tuples(selections(10), selections(13)),
)
def test_the_same_is_stored_as_by_zarr(tmp_path_factory, draw, kind, layout, region):
    dtype, fill = kind
    folder = tmp_path_factory.mktemp("filled")
    theirs = made(folder / "zarr", dtype, fill, layout)
    made(folder / "ours", dtype, fill, layout)
    for own in (region, draw.draw(st.tuples(selections(10), selections(13)))):  # over what is there
        cells = np.full((10, 13), fill, dtype)
        for row, column in draw.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)))):
            other = draw.draw(
                st.sampled_from([1, -0.0, np.nan] if cells.dtype.kind in "fc" else [1])
            )
            cells[2 * row : 2 * row + 2, 3 * column : 3 * column + 3] = other
        theirs[own] = cells[own]
        write_box(Location.of(folder / "ours", None, uuid4().hex), own, cells[own])
    assert stored(folder / "ours") == stored(folder / "zarr")


@pytest.mark.parametrize(("dtype", "fill"), [one for one in FILLS if one[0] != "bool"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_cells_are_compared_only_where_a_few_do_not_tell(
    tmp_path, monkeypatch, layout, dtype, fill
):
    made(tmp_path / "x", dtype, fill, layout)
    place = Location.of(tmp_path / "x", None, uuid4().hex)
    buffer, looked = zarr.core.buffer.NDBuffer, []
    usual = buffer.all_equal

    def all_equal(self, *told):
        looked.extend([self.shape] if self.dtype != "u8" else [])  # not of the index of a shard
        return usual(self, *told)

    monkeypatch.setattr(buffer, "all_equal", all_equal)
    cells = np.arange(1, 97).reshape(8, 12).astype(dtype)
    write_box(place, (slice(0, 8), slice(0, 12)), cells)
    assert not looked
    cells[4:, 6:9] = fill
    write_box(place, (slice(0, 8), slice(0, 12)), cells)
    assert looked
    np.testing.assert_array_equal(open_array(place)[:8, :12], cells)


@pytest.mark.parametrize("cells", [np.array(["a", "b"]), np.array([b"a", b"b"])])
def test_of_texts_nothing_is_told(cells):
    assert not none_is_filled(cells, (slice(0, 2),), (1,), cells[0])


def test_a_cell_that_is_not_looked_at_does_not_tell():
    cells = np.zeros(1000, "i4")
    cells[3] = 1
    assert not none_is_filled(cells, (slice(0, 1000),), (1000,), 0)
    assert not is_filled(cells, 0, cells.dtype)


def test_other_nans_and_zeros_are_alike():
    assert not none_is_filled(np.array([-np.nan]), (slice(0, 1),), (1,), np.nan)
    assert not none_is_filled(np.array([-0.0]), (slice(0, 1),), (1,), 0.0)
    assert not none_is_filled(
        np.array(["NaT"], "M8[s]"), (slice(0, 1),), (1,), np.datetime64("NaT")
    )
    assert none_is_filled(np.array([np.nan]), (slice(0, 1),), (1,), 0.0)
