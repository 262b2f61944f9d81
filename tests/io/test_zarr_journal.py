from threading import Thread
from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.journal import JOURNAL
from dask_tapestry.io.maker import Maker
from dask_tapestry.io.zarr_journal import (
    begin_write,
    end_write,
    maker_of,
    refuse_incomplete,
)
from dask_tapestry.io.zarr_location import Location
from dask_tapestry.io.zarr_open import open_array


@pytest.fixture
def place(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.arange(6), chunks=(4,), attributes={"units": "m"})
    return Location.of(tmp_path / "x", None, uuid4().hex)


def refuse(place):
    refuse_incomplete(open_array(place), place)


def test_an_array_is_incomplete_until_each_box_is_written(place):
    refuse(place)
    begin_write(place, [((0, 2),), ((4, 6),)])
    end_write(place, ((0, 3),))
    with pytest.raises(dt.StoreError, match=r"incomplete: a write to \[4:6\]"):
        refuse(place)
    end_write(place, ((4, 6),), dense=False)
    refuse(place)


def test_other_attributes_are_kept(place):
    begin_write(place, [((0, 6),)])
    assert open_array(place).attrs["units"] == "m"
    end_write(place)
    assert dict(open_array(place).attrs) == {"units": "m"}


def test_a_journal_without_boxes_is_of_the_whole(place):
    open_array(place, "r+").attrs[JOURNAL] = {"complete": False}
    with pytest.raises(dt.StoreError, match="incomplete: a write failed"):
        refuse(place)
    end_write(place, ((0, 6),))
    refuse(place)


def test_many_threads_lose_no_entry(place):
    boxes = [((n, n + 1),) for n in range(6)]
    threads = [Thread(target=begin_write, args=(place, [box])) for box in boxes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(open_array(place).attrs[JOURNAL]["boxes"]) == 6


def test_an_array_that_forgets_is_named(place, monkeypatch):
    monkeypatch.setattr(zarr.core.attributes.Attributes, "put", lambda *args: None)
    with pytest.raises(dt.StoreError, match="cannot change the attributes"):
        begin_write(place, [((0, 1),)])


def test_what_is_to_be_written_is_said_once_a_run(place):
    low, high = ((0, 2),), ((4, 6),)
    begin_write(place, [low, high], run="first")
    end_write(place, low)
    begin_write(place, [low, high], run="first")
    assert open_array(place).attrs[JOURNAL]["boxes"] == [[[4, 6]]]
    begin_write(place, [low, high], run="second")
    end_write(place, low)
    end_write(place, high)
    refuse(place)


def test_who_made_an_array_is_known_while_and_after_it_is_written(place):
    assert maker_of(place) is None
    begin_write(place, [((0, 6),)], Maker("a write", "a run"))
    begin_write(place, [((0, 2),)])
    assert maker_of(place) == Maker("a write", "a run")
    end_write(place, ((0, 6),))
    assert maker_of(place) == Maker("a write", "a run")
    assert dict(open_array(place).attrs) == {"units": "m"}
    assert maker_of(Location.of(place.store, "nothing", "")) is None


def test_what_a_write_was_made_to_follow_is_known(place):
    maker = Maker("a write", "a run", ("another", "a third"))
    begin_write(place, [((0, 6),)], maker)
    assert maker_of(place) == maker
    end_write(place, ((0, 6),))
    assert maker_of(place) == maker
