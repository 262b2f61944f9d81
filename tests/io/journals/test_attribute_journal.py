from contextlib import suppress
from uuid import uuid4

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.journals.attribute_journal import maker, name_of, pending, strike
from dask_tapestry.io.journals.journal import JOURNAL
from dask_tapestry.io.journals.writer_id import WriterId
from dask_tapestry.io.stores.zarr_location import Location
from tests.examples import examples


def stored(tmp_path, entry):
    attributes = {"units": "m", JOURNAL: entry}
    zarr.create_array(tmp_path / "x", data=np.arange(6), attributes=attributes, overwrite=True)
    return Location.of(tmp_path / "x", None, uuid4().hex)


def test_an_entry_without_boxes_is_of_the_whole(tmp_path):
    place = stored(tmp_path, {"complete": False})
    with pytest.raises(dt.StoreError, match="incomplete: a write failed"):
        dt.from_zarr(place.store)
    dt.to_zarr(dt.arange(6), place.store, region=(slice(0, 6),))
    assert dt.from_zarr(place.store).compute().tolist() == [0, 1, 2, 3, 4, 5]
    assert dict(zarr.open_array(place.store).attrs) == {"units": "m"}


def test_what_is_struck_out_goes_and_the_rest_stays(tmp_path):
    place = stored(tmp_path, {"complete": False, "boxes": [[[0, 2]], [[4, 6]]], "by": ["a", "b"]})
    assert sorted(map(sorted, pending(place).values())) == [[((0, 2),)], [((4, 6),)]]
    strike(place, [name_of(((9, 9),))])
    strike(place, [name_of(((0, 2),))])
    entry = {"complete": False, "boxes": [[[4, 6]]], "by": ["a", "b"]}
    assert dict(zarr.open_array(place.store).attrs) == {"units": "m", JOURNAL: entry}
    strike(place, [name_of(((4, 6),))])
    assert dict(zarr.open_array(place.store).attrs) == {"units": "m"}


@pytest.mark.parametrize("entry", ["text", 3, None, ["a"], {}, {"complete": True}, {"other": 1}])
def test_attributes_that_others_have_written_are_none_of_ours(tmp_path, entry):
    place = stored(tmp_path, entry)
    assert pending(place) == {}
    assert maker(place) is None
    assert dt.from_zarr(place.store).sum().compute() == 15
    assert zarr.open_array(place.store).attrs[JOURNAL] == entry


def test_who_made_an_array_is_read_from_both_places(tmp_path):
    place = stored(tmp_path, {"complete": False, "by": ["a write", "a run", ["another"]]})
    assert maker(place) == WriterId("a write", "a run", ("another",))
    place = stored(tmp_path, "text")
    (tmp_path / "x" / ".dask_tapestry").write_text('["a write", "a run"]')
    assert maker(place) == WriterId("a write", "a run")
    assert maker(Location.of(tmp_path, "nothing", "")) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
ENTRIES = JSON | st.fixed_dictionaries(
    {"complete": st.just(False)}, optional={"boxes": JSON, "by": JSON, "runs": JSON}
)


@given(ENTRIES)
@examples(60)
def test_whatever_others_have_written_is_read_or_a_store_error(entry):
    store = zarr.storage.MemoryStore()
    array = zarr.create_array(store, data=np.arange(6))
    array.attrs[JOURNAL] = entry
    with suppress(dt.StoreError):
        assert dt.from_zarr(store).compute().tolist() == [0, 1, 2, 3, 4, 5]
    dt.to_zarr(dt.ones(6), store, overwrite=True)
    assert dt.from_zarr(store).compute().tolist() == [1] * 6


def test_a_damaged_entry_is_an_array_that_is_incomplete(tmp_path):
    place = stored(tmp_path, {"complete": False, "boxes": [[["a", 2]]]})
    with pytest.raises(dt.StoreError, match="is incomplete"):
        dt.from_zarr(place.store)
