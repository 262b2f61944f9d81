from threading import Thread
from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.journals import zarr_journal
from dask_tapestry.io.journals.journal import JOURNAL
from dask_tapestry.io.journals.write_marks import write_marked
from dask_tapestry.io.journals.write_record import RecordedWrite
from dask_tapestry.io.journals.writer_id import WriterId
from dask_tapestry.io.journals.zarr_journal import (
    begin_write,
    end_write,
    is_begun,
    is_incomplete,
    maker_of,
    refuse_incomplete,
    unfinished_writes,
)
from dask_tapestry.io.stores.stored_objects import FOLDER, objects_of
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import open_array

SHAPE = (9,)


def kinds(tmp_path):
    return {
        "folder": tmp_path / "x",
        "memory": zarr.storage.MemoryStore(),
        "url": f"memory://{uuid4().hex}",
    }


@pytest.fixture(params=["folder", "memory", "url"])
def place(request, tmp_path):
    store = kinds(tmp_path)[request.param]
    options = {"chunks": (3,), "attributes": {"units": "m"}}
    zarr.create_array(store, data=np.arange(9), **options)
    return Location.of(store, None, uuid4().hex)


def write(lo, hi, name="a write", run="a run", region=""):
    return RecordedWrite(name, run, ((lo, hi),), region)


def pending(place):
    return sorted(box for boxes in unfinished_writes(place).values() for box in boxes)


def test_an_array_is_incomplete_until_each_box_is_written(place):
    refuse_incomplete(place, SHAPE)
    low, high = write(0, 2), write(4, 6)
    begin_write(place, low)
    begin_write(place, high)
    end_write(place, low)
    with pytest.raises(dt.StoreError, match=r"incomplete: a write to \[4:6\]"):
        refuse_incomplete(place, SHAPE)
    end_write(place, high)
    refuse_incomplete(place, SHAPE)
    assert not is_incomplete(place)


def test_a_write_that_failed_is_not_forgotten_when_another_ends(place):
    begin_write(place, write(0, 3, "failed"))
    for number, (lo, hi) in enumerate([(3, 6), (6, 9), (2, 4)]):
        other = write(lo, hi, f"other {number}")
        begin_write(place, other)
        end_write(place, other)
    assert pending(place) == [((0, 2),)], "the last has written over a part"
    again = write(0, 2, "again")
    begin_write(place, again)
    assert pending(place) == [((0, 2),), ((0, 2),)]
    end_write(place, again)
    refuse_incomplete(place, SHAPE)


def test_what_was_begun_before_is_not_written_over(place):
    """Two that write at one time: neither says that the other is done."""
    first, second = write(0, 6, "first"), write(0, 6, "second")
    begin_write(place, first)
    end_write(place, first)
    begin_write(place, second)
    begin_write(place, write(2, 4, "inner"))
    end_write(place, second)
    assert pending(place) == [((2, 4),)]


def test_cells_that_were_left_out_are_not_written_over(place):
    begin_write(place, write(0, 6, "failed"))
    every = write(0, 6, "every second", region="[0:6:2]")
    begin_write(place, every)
    end_write(place, every)
    assert pending(place) == [((0, 6),)]
    failed = write(0, 6, "every third", region="[0:6:3]")
    begin_write(place, failed)
    again = write(0, 6, "every third again", region="[0:6:3]")
    begin_write(place, again)
    end_write(place, again)
    assert pending(place) == [((0, 6),)], "the very same cells are"


def test_said_again_it_changes_nothing(place):
    one = write(0, 3)
    for _ in range(2):
        begin_write(place, one)
    end_write(place, one)
    before = objects_of(place).names()
    begin_write(place, one)
    end_write(place, one)
    assert objects_of(place).names() == before
    assert not is_begun(place, one)


def test_an_earlier_compute_of_a_write_is_struck_out(place):
    begin_write(place, write(0, 3, run="first"))
    second = write(0, 3, run="second")
    begin_write(place, second)
    end_write(place, second)
    refuse_incomplete(place, SHAPE)


def test_a_write_whose_array_was_replaced_is_told(place):
    begun = write(0, 3)
    begin_write(place, begun)
    objects_of(place).clear(objects_of(place).names())
    for done in (end_write, is_begun):
        with pytest.raises(dt.StoreError, match="another write has replaced"):
            done(place, begun)


def test_many_threads_lose_no_entry(place):
    writes = [write(n, n + 1, f"write {n}") for n in range(9)]

    def begin_and_end(one):
        begin_write(place, one)
        if one.box[0][0] % 3:
            end_write(place, one)

    threads = [Thread(target=begin_and_end, args=(one,)) for one in writes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pending(place) == [((0, 1),), ((3, 4),), ((6, 7),)]


def test_a_record_that_is_torn_is_on_the_safe_side(place):
    begin_write(place, write(0, 3))
    (name,) = objects_of(place).names()
    objects_of(place).create(name, b'{"boxes": [[[0')
    with pytest.raises(dt.StoreError, match="incomplete: a write failed"):
        refuse_incomplete(place, SHAPE)
    whole = write(0, 9, "whole")
    begin_write(place, whole)
    end_write(place, whole)
    assert is_incomplete(place), "nobody knows what it was to write"
    again = write(0, 3, "again")
    begin_write(place, again)
    end_write(place, again)
    refuse_incomplete(place, SHAPE)


def test_other_readers_see_nothing_of_it(tmp_path):
    dt.to_zarr(dt.arange(6), tmp_path / "g", "x", chunks=2)
    dt.to_zarr(dt.arange(3), tmp_path / "g", "x", region=(slice(2, 5),))
    assert (tmp_path / "g" / "x" / FOLDER).is_dir()
    group = zarr.open_group(tmp_path / "g")
    assert [name for name, _ in group.members(max_depth=None)] == ["x"]
    assert not dict(group["x"].attrs)
    assert group["x"].nchunks_initialized == 3


def test_old_records_go(place, monkeypatch):
    first, second = write(0, 3, "first"), write(3, 6, "second")
    begin_write(place, first)
    end_write(place, first)
    monkeypatch.setattr(zarr_journal, "RECORD_KEPT_SECONDS", -10)
    begin_write(place, second)
    end_write(place, second)
    assert not objects_of(place).names()


def test_of_old_records_none_is_left_that_would_count(place, monkeypatch):
    """The process was killed when its write was done, before it had deleted what told of it."""
    first, second = write(0, 3, "first"), write(3, 6, "second")
    begin_write(place, first)
    write_marked(place, first, first.box, (1, 1), lambda place: None)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(zarr_journal, "_delete", killed)
        with pytest.raises(KeyboardInterrupt):
            end_write(place, first)
    refuse_incomplete(place, SHAPE)
    monkeypatch.setattr(zarr_journal, "RECORD_KEPT_SECONDS", -10)
    begin_write(place, second)
    end_write(place, second)
    refuse_incomplete(place, SHAPE)
    assert not objects_of(place).names()


def test_what_is_left_of_an_array_of_other_dimensions(place):
    """A task of a write to it stored a chunk when another write had replaced it."""
    flat = RecordedWrite("flat", "a run", ((0, 9), (0, 2)))
    objects_of(place).create(flat.key.name("mark", "5f"), flat.record())
    whole = write(0, 9)
    begin_write(place, whole)
    end_write(place, whole)
    with pytest.raises(dt.StoreError, match=r"incomplete: a write to \[0:9, 0:2\]"):
        refuse_incomplete(place, SHAPE)


def test_who_made_an_array_is_known_while_and_after_it_is_written(place):
    assert maker_of(place) is None
    whole, part = write(0, 9), write(0, 2, "part")
    begin_write(place, whole, WriterId("a write", "a run"))
    begin_write(place, part)
    assert maker_of(place) == WriterId("a write", "a run")
    end_write(place, whole)
    end_write(place, part)
    assert maker_of(place) == WriterId("a write", "a run")
    assert dict(open_array(place).attrs) == {"units": "m"}


def test_the_last_of_several_makers_counts(place):
    for number in range(12):
        grown = write(0, 9, f"write {number}")
        begin_write(place, grown, WriterId(f"write {number}", "a run", ("another",)))
        end_write(place, grown)
        assert maker_of(place) == WriterId(f"write {number}", "a run", ("another",))


def test_nothing_has_no_maker(tmp_path):
    assert maker_of(Location.of(tmp_path, "nothing", "")) is None


def test_an_attribute_of_earlier_versions_counts(place):
    open_array(place, "r+").attrs[JOURNAL] = {"complete": False, "boxes": [[[0, 3]], [[6, 9]]]}
    place = Location.of(place.store, None, uuid4().hex)
    assert pending(place) == [((0, 3),), ((6, 9),)]
    one = write(0, 4)
    begin_write(place, one)
    end_write(place, one)
    place = Location.of(place.store, None, uuid4().hex)
    assert pending(place) == [((6, 9),)]
    two = write(5, 9, "two")
    begin_write(place, two)
    end_write(place, two)
    place = Location.of(place.store, None, uuid4().hex)
    refuse_incomplete(place, SHAPE)
    assert dict(open_array(place).attrs) == {"units": "m"}
