"""Two writes to the same stored chunks at one time: never are both done and their cells mixed."""

from contextlib import suppress
from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.files import file_locks
from dask_tapestry.io.journals import zarr_journal
from dask_tapestry.io.journals.write_conflicts import take_over
from dask_tapestry.io.journals.write_marks import write_marked
from dask_tapestry.io.journals.write_record import LOST, OVER, RecordedWrite
from dask_tapestry.io.journals.zarr_journal import (
    begin_write,
    end_write,
    is_incomplete,
    unfinished_writes,
)
from dask_tapestry.io.stores.stored_objects import objects_of
from dask_tapestry.io.stores.zarr_location import Location

STOPPED = "another write has replaced .* or has begun to write the same"


@pytest.fixture(autouse=True)
def no_locks(monkeypatch):
    """Here a write begins inside another's task: it must not wait for that."""
    monkeypatch.setattr(file_locks, "LOCK_PATIENCE_SECONDS", 0)


@pytest.fixture(params=["folder", "memory", "url"])
def place(request, tmp_path):
    url = f"memory://{uuid4().hex}"
    store = {"folder": tmp_path / "x", "memory": zarr.storage.MemoryStore(), "url": url}
    zarr.create_array(store[request.param], data=np.arange(9), chunks=(3,))
    return Location.of(store[request.param], None, uuid4().hex)


def write(name, lo=0, hi=9, run=None):
    chunks = ((lo // 3 * 3, -(-hi // 3) * 3),)
    return RecordedWrite(name, run or f"run of {name}", ((lo, hi),), chunks=chunks)


def store(place, one, does=lambda: None):
    write_marked(place, one, one.box, (1, 1), lambda _: does())


def kinds(place, kind):
    return [name for name in objects_of(place).names() if name.startswith(kind)]


def test_the_write_that_began_last_goes_on(place):
    first, second = write("first"), write("second")
    begin_write(place, first)
    store(place, first)
    begin_write(place, second)
    stored = []
    for step in (store, end_write, begin_write):
        with pytest.raises(dt.StoreError, match=STOPPED):
            step(place, first, *[lambda: stored.append(1)] * (step is store))
    assert not stored
    store(place, second)
    assert is_incomplete(place)
    end_write(place, second)
    assert not is_incomplete(place)
    assert not kinds(place, LOST), "what is of no use any more is deleted"


@pytest.mark.parametrize(("lo", "hi"), [(0, 9), (2, 3), (0, 4), (8, 9)])
def test_writes_of_other_cells_of_the_same_chunks(place, lo, hi):
    """They read a chunk and write it back: one of them would take away what the other has done."""
    first, second = write("first", 1, 8), write("second", lo, hi)
    begin_write(place, first)
    begin_write(place, second)
    with pytest.raises(dt.StoreError, match=STOPPED):
        store(place, first)
    end_write(place, second)
    again = write("again", 1, 8)
    begin_write(place, again)
    end_write(place, again)
    assert not is_incomplete(place)


def test_writes_of_other_chunks_go_on_side_by_side(place):
    first, second = write("first", 0, 3), write("second", 4, 9)
    for step in (begin_write, store, end_write):
        step(place, first)
        step(place, second)
    assert not is_incomplete(place)


def test_writes_of_one_compute_are_in_the_order_that_it_gives_them(place):
    first, second = (write(name, run="one compute") for name in ("first", "second"))
    begin_write(place, first)
    begin_write(place, second)
    for one in (first, second):
        store(place, one)
        end_write(place, one)
    assert not is_incomplete(place)


def test_a_task_that_stores_when_the_other_has_stored_is_found(place):
    """Its cells may be over those of the other write, which fails as well."""
    first, second = write("first", 0, 6), write("second", 3, 9)

    def meanwhile():
        begin_write(place, second)
        store(place, second)

    begin_write(place, first)
    with pytest.raises(dt.StoreError, match=STOPPED):
        store(place, first, meanwhile)
    with pytest.raises(dt.StoreError, match="which cells came last is not known"):
        end_write(place, second)
    assert is_incomplete(place)
    for again in (write("first again", 0, 6), write("second again", 3, 9)):
        begin_write(place, again)
        end_write(place, again)
    assert not is_incomplete(place)


def test_a_task_that_stores_when_the_other_has_ended_damages_nothing_unseen(place):
    first, second = write("first"), write("second")

    def meanwhile():
        begin_write(place, second)
        store(place, second)
        end_write(place, second)
        assert not is_incomplete(place)

    begin_write(place, first)
    with pytest.raises(dt.StoreError, match=STOPPED):
        store(place, first, meanwhile)
    assert is_incomplete(place)


@pytest.mark.parametrize("found_by", ["low", "high"])
def test_of_two_that_begin_at_one_moment_one_goes_on(place, monkeypatch, found_by):
    """Each has looked for others before the other said that it begins."""
    low, high = sorted([write("one"), write("other")], key=lambda write: write.key)
    one, other = (low, high) if found_by == "low" else (high, low)

    def begin_other_first(*arguments, **options):
        monkeypatch.setattr(zarr_journal, "take_over", take_over)
        objects_of(place).create(other.key.name("begin"), other.record())
        return take_over(*arguments, **options)

    monkeypatch.setattr(zarr_journal, "take_over", begin_other_first)
    for number, each in enumerate([one, other]):
        if each == low:
            with pytest.raises(dt.StoreError, match=STOPPED):
                begin_write(place, low)
        else:
            begin_write(place, high)
        assert number or is_incomplete(place)
    store(place, high)
    end_write(place, high)
    assert not is_incomplete(place), "the one that withdrew has left nothing"


def test_what_was_begun_and_not_taken_over_is_taken_over_later(place, monkeypatch):
    """The worker that began is lost between the two; Dask runs the task again."""
    first, second = write("first"), write("second")
    begin_write(place, first)

    def lost(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(zarr_journal, "take_over", lost)
        with pytest.raises(KeyboardInterrupt):
            begin_write(place, second)
    begin_write(place, second)
    assert len(kinds(place, LOST)) == len(kinds(place, OVER)) == 1
    end_write(place, second)
    assert not is_incomplete(place)


def test_a_write_that_others_went_on_after_loses_what_it_had_begun(place, monkeypatch):
    """It began again after another that knew of it: it stops, and what it stored is not trusted."""
    first, second = write("first", 0, 9), write("second", 0, 3)
    begin_write(place, first)
    store(place, first)
    objects_of(place).create(second.key.name("begin"), second.record([first.key.name("begin")]))
    with pytest.raises(dt.StoreError, match=STOPPED):
        begin_write(place, first)
    end_write(place, second)
    assert is_incomplete(place)


@pytest.mark.parametrize("count", range(6))
def test_a_write_that_was_stopped_goes_on_at_no_moment(place, monkeypatch, count):
    """The other ends, and is killed between the deletions of two records, in whatever order."""
    first, second = write("first"), write("second")
    for one in (first, second):
        begin_write(place, one)
    objects = objects_of(place)
    deleted, delete = [], objects.delete

    def some(names):
        for name in sorted(names, reverse=True):
            if len(deleted) == count:
                raise KeyboardInterrupt
            deleted.append(name)
            delete([name])

    store(place, second)
    with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
        patched.setattr(objects, "delete", some)
        end_write(place, second)
    stored = []
    for _ in range(2):
        with pytest.raises(dt.StoreError, match=STOPPED):
            store(place, first, lambda: stored.append(1))
    assert not stored
    with pytest.raises(dt.StoreError, match=STOPPED):
        begin_write(place, first)
    assert not is_incomplete(place)


def test_a_task_that_puts_back_cells_of_another_write_damages_the_chunk(place):
    """It had read the chunk before the other write stored its cells of it."""
    first, second = write("first", 0, 1), write("second", 1, 2)

    def meanwhile():
        begin_write(place, second)
        store(place, second)
        end_write(place, second)

    def late():
        write_marked(place, first, first.box, (1, 1), lambda _: meanwhile(), first.reach)

    begin_write(place, first)
    with pytest.raises(dt.StoreError, match=STOPPED):
        late()
    for lo, left in ((0, [((1, 3),)]), (1, [((2, 3),)]), (2, [])):
        begin_write(place, one := write(f"again {lo}", lo, lo + 1))
        end_write(place, one)
        assert [box for boxes in unfinished_writes(place).values() for box in boxes] == left


@pytest.mark.parametrize("follows", [False, True])
def test_a_task_of_a_worker_that_was_taken_for_lost(place, follows):
    """It is done again elsewhere, its write ends, and it stores the chunk after all."""
    first, second = write("first"), write("second", 0, 6)

    def meanwhile():
        end_write(place, first)
        if follows:
            begin_write(place, second)
            store(place, second)
            end_write(place, second)

    begin_write(place, first)
    if not follows:
        store(place, first, meanwhile)
    else:
        with pytest.raises(dt.StoreError, match=STOPPED):
            store(place, first, meanwhile)
    assert is_incomplete(place) == follows


def test_what_a_write_that_is_done_has_not_deleted_is(place, monkeypatch):
    """Else a task of it that is done again would go on."""
    first, second = write("first"), write("second")
    begin_write(place, first)
    with monkeypatch.context() as patched:
        patched.setattr(zarr_journal, "_delete", _killed)
        with pytest.raises(KeyboardInterrupt):
            end_write(place, first)
    begin_write(place, second)
    end_write(place, second)
    stored = []
    store(place, first, lambda: stored.append(1))
    assert not stored


def _killed(*_):
    raise KeyboardInterrupt


def test_two_jobs_of_one_region(tmp_path):
    """As users do: the first is running when the second is started."""
    path = tmp_path / "x"
    dt.to_zarr(dt.zeros((8, 4)), path, chunks=(2, 4))

    def meanwhile(block):
        if not begun:
            begun.append(1)
            dt.to_zarr(dt.full((4, 4), 2.0), path, region={0: slice(0, 4)}, scheduler="sync")
        return block

    begun = []
    first = dt.ones((4, 4)).map_blocks(meanwhile, dtype="f8")
    with dt.config(block_bytes=64), pytest.raises(dt.StoreError, match=STOPPED):
        dt.to_zarr(first, path, region={0: slice(0, 4)}, scheduler="sync")
    found = dt.from_zarr(path).compute()
    assert (found == np.repeat([2.0, 0.0], 4)[:, None]).all()
