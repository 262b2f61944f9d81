"""A source that joins others reads what they have, and is stored as they are."""

import pickle
from dataclasses import fields
from itertools import accumulate

import h5py
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.sources import joined_source as module
from dask_tapestry.io.sources.joined_source import JoinedSource, joined_source
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange


def stored(folder, lengths, axis=0, chunk=2, dtype="f8", sides=(4, 5, 6), across=3):
    """Sources of so many cells along an axis, and all their cells."""
    found, cells = [], []
    for number, length in enumerate(lengths):
        shape = [length if a == axis else n for a, n in enumerate(sides)]
        own = np.random.default_rng(number).integers(0, 99, shape).astype(dtype)
        chunks = [min(chunk, length) if a == axis else across for a in range(len(sides))]
        zarr.create_array(folder / str(number), data=own, chunks=tuple(map(max, chunks, (1, 1, 1))))
        found.append(dt.from_zarr(folder / str(number)).node.operator)
        cells.append(own)
    return found, cells


def joined(sources, axis, stacked, cells):
    return joined_source(sources, axis, stacked, TensorType(cells.shape, cells.dtype))


def boxes(shape, count=30):
    random = np.random.default_rng(0)
    yield ZRange((0,) * len(shape), shape)
    for _ in range(count):
        sides = [sorted(random.integers(0, n + 1, 2)) for n in shape]
        yield ZRange([int(a) for a, _ in sides], [int(b) for _, b in sides])


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("lengths", [(4, 4, 4), (2, 6, 4, 3), (4, 4, 1), (2,)])
def test_cells_are_those_of_the_parts_in_a_row(tmp_path, axis, lengths):
    sources, parts = stored(tmp_path, lengths, axis)
    cells = np.concatenate(parts, axis)
    one = joined(sources, axis, False, cells)
    assert one.chunks == tuple(2 if a == axis else 3 for a in range(3))
    assert one.ends == tuple(accumulate(lengths))
    for box in boxes(cells.shape):
        np.testing.assert_array_equal(one.read(box), cells[box.slices()])
        memory = np.full(box.shape, -1.0)
        made = one.read(box, memory)
        assert made is memory
        np.testing.assert_array_equal(made, cells[box.slices()])


@pytest.mark.parametrize("axis", range(4))
def test_cells_of_a_stack_are_those_of_each_part(tmp_path, axis):
    sources, parts = stored(tmp_path, (4, 4, 4))
    cells = np.stack(parts, axis)
    one = joined(sources, axis, True, cells)
    assert one.chunks[axis] == 1
    for box in boxes(cells.shape):
        np.testing.assert_array_equal(one.read(box), cells[box.slices()])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("every", [2, 3])
def test_rows_that_are_needed_are_read(tmp_path, axis, every):
    sources, parts = stored(tmp_path, (4, 4, 4), axis)
    cells = np.concatenate(parts, axis)
    one = joined(sources, axis, False, cells)
    for box in boxes(cells.shape):
        found = one.read_some(box, None, every)
        np.testing.assert_array_equal(found[::every], cells[box.slices()][::every])


def test_what_is_stored_of_a_box_is_whole_chunks(tmp_path):
    sources, parts = stored(tmp_path, (4, 4, 3))
    one = joined(sources, 0, False, np.concatenate(parts))
    assert one.stored_bytes(ZRange((3, 0, 0), (5, 1, 1))) == 4 * 3 * 3 * 8
    assert one.stored_bytes(ZRange((0, 0, 0), (0, 1, 1))) == 0
    own = sources[0].scratch_bytes((), ZRange((3, 0, 0), (4, 1, 1)))
    assert one.scratch_bytes((), ZRange((3, 0, 0), (5, 1, 1))) == own


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize(
    "lengths", [(3, 4, 4), (0, 4, 0, 0, 1), (1, 4, 4), (2, 2, 7, 1, 4), (0, 0)]
)
def test_chunks_of_unequal_lengths(tmp_path, lengths, axis):
    """Each part's own chunks are those of the whole, and what is read is whole ones."""
    sources, parts = stored(tmp_path, lengths, axis)
    cells = np.concatenate(parts, axis)
    one = joined(sources, axis, False, cells)
    own = [min(2, n - a) for n in lengths for a in range(0, n, 2)]
    assert list(one.chunk_cuts[axis].lengths()) == (own or [0])
    for box in boxes(cells.shape):
        np.testing.assert_array_equal(one.read(box), cells[box.slices()])
        alone = [(part, own.box) for part, own in of_parts(one, box)]
        assert one.stored_bytes(box) == sum(part.stored_bytes(own) for part, own in alone)
        several = len(alone) > 1 and any(n > 1 for n in box.shape[:axis])
        scratch = [
            part.strided_scratch_bytes(own) if several else part.scratch_bytes((), own)
            for part, own in alone
        ]
        assert one.scratch_bytes((), box) == max(scratch, default=0)


@pytest.mark.parametrize("axis", [0, 1])
def test_chunks_of_parts_that_lie_side_by_side_are_decoded_elsewhere(tmp_path, axis):
    sides = (6, 6, 6)
    sources, parts = stored(tmp_path, (2, 2), axis, across=6, sides=sides)
    one = joined(sources, axis, False, np.concatenate(parts, axis))
    chunk, whole = 2 * 6 * 6 * 8, ZRange.of_shape(one.type.shape)
    assert one.strided_scratch_bytes(whole) == 2 * chunk
    assert one.scratch_bytes((), whole) == chunk * (1 + axis)


def of_parts(one, box):
    return [(one.joined[met.part], met) for met in one._met(box)]


def test_uneven_chunks_that_are_very_many_are_not_joined(monkeypatch):
    def parts(*shape):
        return [dt.placeholder((n, 3), "f8", stored_chunks=(2, 3)).node.operator for n in shape]

    monkeypatch.setattr(module, "MOST_CHUNK_EDGES", 5)
    assert joined(parts(7, 7), 0, False, np.empty((14, 3))) is None
    assert joined(parts(8, 7), 0, False, np.empty((15, 3))).chunks == (2, 3)


def test_sources_that_are_stored_otherwise_are_not_joined(tmp_path):
    first, cells = stored(tmp_path, (4, 4))
    for number, other in enumerate(({"dtype": "f4"}, {"sides": (4, 5, 7)}, {"across": 4})):
        folder = tmp_path / f"other{number}"
        (second, _), _ = stored(folder, (4, 4), **other)
        assert joined([first[0], second], 0, False, np.concatenate(cells)) is None
    memory = dt.asarray(cells[0]).node.operator
    assert joined([memory, memory], 0, False, np.concatenate(cells)) is None


def test_what_is_read_is_of_the_version_that_the_compute_began_with(tmp_path):
    sources, parts = stored(tmp_path, (4, 4, 4))
    one = joined(sources, 0, False, np.concatenate(parts)).for_run("run")
    assert one.stamp
    one.read(ZRange((3, 0, 0), (5, 5, 6)))
    one.confirm([ZRange((3, 0, 0), (5, 5, 6))])
    dt.to_zarr(dt.ones((4, 5, 6), chunks=(2, 3, 3)), tmp_path / "1", overwrite=True)
    with pytest.raises(dt.errors.StoreError):
        one.confirm([ZRange((3, 0, 0), (5, 5, 6))])


def test_slots_are_equal_for_all_that_are_stored_alike(tmp_path):
    sources, parts = stored(tmp_path, (4, 4, 4, 4))
    cells = np.concatenate(parts[:2])
    one, other = (joined(two, 0, False, cells) for two in (sources[:2], sources[2:]))
    assert one != other
    assert one.slot(3, "plan") == other.slot(3, "plan")
    assert one.slot(3, "plan") != one.slot(4, "plan")
    assert hash(one.slot(3, "plan")) == hash(other.slot(3, "plan"))
    assert one.origin() != other.origin()


def test_what_is_known_of_it_stays_in_its_process(tmp_path):
    sources, parts = stored(tmp_path, (4, 4))
    one = joined(sources, 0, False, np.concatenate(parts))
    assert one.joined_forms
    assert hash(one)
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert vars(again).keys() == {field.name for field in fields(one)}


@pytest.mark.parametrize("stacked", [False, True])
def test_files_without_chunks(tmp_path, stacked):
    sources, parts = [], []
    for number in range(3):
        parts.append(np.random.default_rng(number).random((4, 5)))
        with h5py.File(tmp_path / f"{number}.h5", "w") as file:
            file["x"] = parts[-1]
        data = h5py.File(tmp_path / f"{number}.h5", "r")["x"]
        sources.append(dt.from_array(data).node.operator)
    cells = np.stack(parts) if stacked else np.concatenate(parts)
    one = joined(sources, 0, stacked, cells)
    assert one.chunks is None
    for box in boxes(cells.shape):
        np.testing.assert_array_equal(one.read(box), cells[box.slices()])


def test_joined_sources_may_be_joined(tmp_path):
    rows = []
    for number in range(3):
        sources, parts = stored(tmp_path / str(number), (4, 4), axis=1, sides=(6, 5, 6))
        rows.append((joined(sources, 1, False, np.concatenate(parts, 1)), parts))
    cells = np.concatenate([np.concatenate(parts, 1) for _, parts in rows])
    one = joined([row for row, _ in rows], 0, False, cells)
    assert isinstance(one, JoinedSource)
    assert len(one.joined_forms) == 6
    for box in boxes(cells.shape):
        np.testing.assert_array_equal(one.read(box), cells[box.slices()])


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize(
    ("lengths", "chunk", "side"),
    [((5, 4, 5, 0, 3, 5), 9, 5), ((5, 7, 4, 8), 2, 2), ((4, 3, 4, 4), 4, 4)],
)
def test_with_gaps_each_part_begins_with_a_chunk_of_one_grid(tmp_path, lengths, chunk, side, axis):
    sources, parts = stored(tmp_path, lengths, axis, chunk)
    one = joined(sources, axis, False, np.concatenate(parts, axis))
    spaced = one.spaced
    assert spaced.chunks[axis] == side
    cells = np.concatenate([with_gap(part, axis, side) for part in parts], axis)
    cells = cells.take(range(spaced.type.shape[axis]), axis)
    np.testing.assert_array_equal(cells.take(spaced.places, axis), np.concatenate(parts, axis))
    for box in boxes(cells.shape):
        memory = np.full(box.shape, -1.0)
        np.testing.assert_array_equal(spaced.read(box, memory), cells[box.slices()])
        np.testing.assert_array_equal(spaced.read_some(box, None, 2)[::2], cells[box.slices()][::2])
        alone = [part.stored_bytes(own.box) for part, own in of_parts(spaced, box)]
        assert box.is_empty or spaced.stored_bytes(box) == sum(alone)
    assert spaced != one
    assert pickle.loads(pickle.dumps(spaced)) == spaced


def with_gap(part, axis, side):
    widths = [(0, -n % side if a == axis else 0) for a, n in enumerate(part.shape)]
    return np.pad(part, widths)


@pytest.mark.parametrize(
    ("lengths", "chunk"),
    [((4, 4, 4), 2), ((3, 4, 2), 4), ((1, 2, 1, 30, 1), 30), ((7, 4, 4, 3), 4)],
)
def test_no_gaps_where_chunks_are_alike_or_most_are_short(tmp_path, lengths, chunk):
    sources, parts = stored(tmp_path, lengths, 0, chunk)
    one = joined(sources, 0, False, np.concatenate(parts))
    assert (one.spaced is None) == (lengths != (7, 4, 4, 3))
