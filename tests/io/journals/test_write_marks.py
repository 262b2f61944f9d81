from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.journals import write_marks
from dask_tapestry.io.journals.write_marks import write_marked
from dask_tapestry.io.journals.write_record import MARK, Record, RecordedWrite
from dask_tapestry.io.journals.zarr_journal import begin_write, end_write, is_incomplete
from dask_tapestry.io.stores.stored_objects import objects_of
from dask_tapestry.io.stores.zarr_location import Location

WRITE = RecordedWrite("a write", "a run", ((0, 9),))


@pytest.fixture
def place(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.arange(9), chunks=(3,))
    place = Location.of(tmp_path / "x", None, uuid4().hex)
    begin_write(place, WRITE)
    return place


def marked(place):
    objects = objects_of(place)
    texts = [objects.read(name) for name in objects.names() if name.startswith(MARK)]
    return sorted(box for text in texts for box in Record.of(text).boxes)


def store(place, lo, hi, chunks=(1, 3), does=lambda place: None):
    write_marked(place, WRITE, ((lo, hi),), chunks, does)


def test_what_is_stored_is_marked_until_the_end(place):
    store(place, 0, 3)
    assert marked(place) == [((0, 3),)]
    store(place, 3, 9, (2, 3))
    assert marked(place) == [((0, 3),), ((3, 9),)]
    end_write(place, WRITE)
    assert marked(place) == []


def test_what_is_not_stored_is_not_marked(place):
    def fails(place):
        raise OSError("the disk is on fire")

    with pytest.raises(OSError, match="on fire"):
        store(place, 0, 3, does=fails)
    assert marked(place) == []


def test_a_task_that_is_done_again_after_the_end_stores_nothing(place):
    end_write(place, WRITE)
    done = []
    store(place, 0, 3, does=lambda place: done.append(1))
    assert not done
    store_late = lambda place: end_write(place, WRITE)  # noqa: E731
    assert not is_incomplete(place)
    begin_write(place, other := RecordedWrite("other", "a run", ((0, 3),)))
    write_marked(place, other, ((0, 3),), (1, 1), lambda place: end_write(place, other))
    assert marked(place) == []
    assert not is_incomplete(place)
    del store_late


def test_many_chunks_have_a_mark_together(place, monkeypatch):
    monkeypatch.setattr(write_marks, "MOST_MARKS", 3)
    for number in range(9):
        store(place, number, number + 1, (1, 9))
    assert len([n for n in objects_of(place).names() if n.startswith(MARK)]) == 3
    assert marked(place) == [((n, n + 1),) for n in range(9)]


@pytest.mark.parametrize("most", [10, 1])
def test_cells_that_come_too_late_damage_nothing_unseen(place, monkeypatch, most):
    """Another write replaces the array while a task stores: then the new one is incomplete."""
    monkeypatch.setattr(write_marks, "MOST_MARKS", most)
    objects = objects_of(place)
    with pytest.raises(dt.StoreError, match="another write has replaced"):
        store(place, 0, 3, does=lambda place: objects.delete(objects.names()))
    with pytest.raises(dt.StoreError, match=r"incomplete: a write to \[0:3\]"):
        dt.from_zarr(place.store)
    done = []
    with pytest.raises(dt.StoreError, match="another write has replaced"):
        store(place, 3, 6, does=lambda place: done.append(1))
    assert not done, "the next task looks before it stores"
    dt.to_zarr(dt.zeros(3, dtype="i8"), place.store, region=(slice(0, 3),))
    assert dt.from_zarr(place.store).compute().tolist() == [0, 0, 0, 3, 4, 5, 6, 7, 8]
