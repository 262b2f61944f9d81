"""The order of several writes, of which some meet, and some read what others write."""

from uuid import uuid4

import dask
import dask.array as da
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.journals.zarr_journal import unfinished_writes
from dask_tapestry.io.sinks.write_order import checked_write
from dask_tapestry.io.sources.numpy_source import from_numpy
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.targets.numpy_target import numpy_target
from dask_tapestry.io.targets.zarr_target import ZarrTarget

LINE = np.arange(40.0)
SQUARE = np.arange(400.0).reshape(20, 20)


@pytest.fixture(params=["sync", "threads"], autouse=True)
def _small_blocks(request):
    with dask.config.set(scheduler=request.param), dt.config(block_bytes=64):
        yield


class Hidden:
    """An array-like that reads another one."""

    def __init__(self, inner):
        self.inner, self.shape, self.dtype = inner, inner.shape, inner.dtype

    def __getitem__(self, key):
        return self.inner[key]


def stored(cells, chunks):
    return zarr.create_array(zarr.storage.MemoryStore(), data=cells, chunks=chunks)


def test_a_write_in_place():
    a = LINE.copy()
    dt.store(dt.asarray(a) * 2 + 1, a)
    np.testing.assert_array_equal(a, LINE * 2 + 1)
    z = stored(SQUARE, (3, 3))
    dt.store(dt.from_zarr(z) * 2, z)
    np.testing.assert_array_equal(z[:], SQUARE * 2)


def test_cell_by_cell_in_place_nothing_is_held():
    a = LINE.copy()
    plan = dt.plan(dt.store(dt.asarray(a) * 2, a, compute=False))
    assert "place(" not in str(plan.teg)
    z = stored(SQUARE, (3, 3))
    plan = dt.plan(dt.store(dt.from_zarr(z) + SQUARE, z, compute=False))
    assert "place(" not in str(plan.teg)


@pytest.mark.parametrize("change", [lambda x: x[::-1], lambda x: x - x.mean(), lambda x: x + x[:1]])
def test_cells_that_move_are_read_before_they_are_overwritten(change):
    a, z = LINE.copy(), stored(LINE, (3,))
    expected = change(dt.asarray(LINE)).compute()
    dt.store(change(dt.asarray(a)), a)
    np.testing.assert_array_equal(a, expected)
    dt.store(change(dt.from_zarr(z)), z)
    np.testing.assert_array_equal(z[:], expected)


def test_a_view_of_the_target_is_the_target_elsewhere():
    a = LINE.copy()
    dt.store(dt.asarray(a[::-1]) + 1, a)
    np.testing.assert_array_equal(a, LINE[::-1] + 1)
    a = LINE.copy()
    dt.store(dt.asarray(a[:-1]), a[1:])
    np.testing.assert_array_equal(a, [0, *LINE[:-1]])


def test_transposed_in_place():
    z = stored(SQUARE, (3, 3))
    dt.store(dt.from_zarr(z).T, z)
    np.testing.assert_array_equal(z[:], SQUARE.T)


def test_what_another_source_reads_is_read_before_too():
    a, b = LINE.copy(), np.zeros(40)
    dt.store([dt.asarray(a) * 0, dt.asarray(a)], [a, b])
    np.testing.assert_array_equal(b, LINE)
    assert not a.any()
    z, w = stored(LINE, (3,)), stored(LINE * 0, (7,))
    x = dt.from_zarr(z)
    dt.store([x, x[::-1]], [w, z])
    np.testing.assert_array_equal(w[:], LINE)
    np.testing.assert_array_equal(z[:], LINE[::-1])


def test_what_reads_the_target_unseen_is_read_before_it_is_overwritten():
    z = stored(LINE, (3,))
    for number, x in enumerate((dt.from_array(da.from_zarr(z)), dt.from_array(Hidden(z)))):
        dt.store(x[::-1], z)
        np.testing.assert_array_equal(z[:], LINE if number % 2 else LINE[::-1])


def test_what_is_read_after_a_write_is_read_before_the_next():
    z = stored(LINE * 0, (3,))
    x = dt.store(LINE, z, compute=False, return_stored=True)
    dt.store(x[::-1], z)
    np.testing.assert_array_equal(z[:], LINE[::-1])


def test_later_sources_win_where_regions_share_cells():
    for target in (np.zeros(40), stored(np.zeros(40), (7,))):
        dt.store(
            [dt.ones(30), dt.full(30, 2.0)], [target, target], regions=[slice(30), slice(10, 40)]
        )
        np.testing.assert_array_equal(target[:], [1] * 10 + [2] * 30)


def test_later_sources_win_where_views_share_memory():
    a = np.zeros(40)
    dt.store([dt.ones(30), dt.full(30, 2.0)], [a[:30], a[10:]])
    np.testing.assert_array_equal(a, [1] * 10 + [2] * 30)


def test_regions_that_share_no_piece_are_not_ordered():
    z = stored(np.zeros(40), (10,))
    effect = dt.store(
        [dt.ones(5)] * 3, [z] * 3, compute=False, regions=[slice(5), slice(22, 27), slice(3, 8)]
    )
    stores = [n for n in effect.teg.nodes if n.operator.name == "storeinto"]
    waits = [sum(p.operator.name == "storeinto" for a in n.after for p in a.after) for n in stores]
    assert sorted(waits) == [0, 0, 1]


def test_all_that_is_to_come_is_said_before_the_first(monkeypatch):
    z, seen = stored(np.zeros(40), (10,)), []
    write = ZarrTarget.write

    def recorded(target, selection, block):
        left = unfinished_writes(Location.of(z, None, uuid4().hex)).values()
        seen.append(sorted(box for boxes in left for box in boxes))
        write(target, selection, block)

    monkeypatch.setattr(ZarrTarget, "write", recorded)
    dt.store([dt.ones(5)] * 2, [z] * 2, regions=[slice(2, 7), slice(5, 10)], scheduler="sync")
    assert seen == [[((2, 7),), ((5, 10),)], [((5, 10),)]]


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("chunks", [(1, 1), (3, 7), (5, 5), (20, 20)])
@pytest.mark.parametrize("repeat", range(5))
def test_many_regions_in_many_threads(chunks, repeat):
    """Bitwise right, whatever chunks the regions share."""
    rng = np.random.default_rng(repeat)
    z, expected = stored(np.zeros((20, 20)), chunks), np.zeros((20, 20))
    regions = []
    for _ in range(12):
        lo = rng.integers(0, 16, 2)
        hi = lo + rng.integers(1, 20 - lo)
        steps = rng.integers(1, 4, 2)
        regions.append(
            tuple(slice(int(a), int(b), int(s)) for a, b, s in zip(lo, hi, steps, strict=True))
        )
    sources = [rng.normal(size=expected[r].shape) for r in regions]
    for region, source in zip(regions, sources, strict=True):
        expected[region] = source
    dt.store(sources, [z] * 12, regions=regions, num_workers=8)
    np.testing.assert_array_equal(z[:], expected)
    assert not dict(z.attrs)


def test_cells_are_cast_as_for_out():
    whole = (slice(None),)
    for dtype in ("f4", "f8", "c16"):
        write = checked_write(from_numpy(LINE[:12]), numpy_target(np.zeros(12, dtype)), whole)
        assert write.x.type.dtype == dtype
    for dtype in ("i8", "?", "M8[s]"):
        with pytest.raises(dt.DTypeError, match="astype"):
            checked_write(from_numpy(LINE[:12]), numpy_target(np.zeros(12, dtype)), whole)


def test_shapes_must_be_equal():
    target = numpy_target(np.zeros(20))
    with pytest.raises(dt.StoreError, match=r"shape \(12,\) does not fit the NumPy array of shape"):
        checked_write(from_numpy(LINE[:12]), target, (slice(None),))
    with pytest.raises(dt.StoreError, match=r"does not fit region \[0:5\] of the NumPy array"):
        checked_write(from_numpy(LINE[:12]), target, (slice(5),))
