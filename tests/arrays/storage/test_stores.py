import threading

import dask
import dask.array as da
import h5py
import numpy as np
import pytest
import zarr
from dask.diagnostics import ProgressBar
from dask.utils import SerializableLock

import dask_tapestry as dt
from dask_tapestry.arrays.core.effect import Effect

CELLS = np.arange(600.0).reshape(20, 30)


@pytest.fixture(params=["numpy", "memmap", "zarr", "shards", "hdf5", "dask"])
def target(request, tmp_path):
    """Arrays of zeros of each kind that can be written into."""
    if request.param == "hdf5":
        with h5py.File(tmp_path / "x.h5", "w") as file:
            yield file.create_dataset("x", CELLS.shape, "f8", chunks=(3, 7))
        return
    options = {"shape": CELLS.shape, "dtype": "f8", "chunks": (3, 7)}
    yield {
        "numpy": lambda: np.zeros(CELLS.shape),
        "memmap": lambda: np.memmap(tmp_path / "x", "f8", "w+", shape=CELLS.shape),
        "zarr": lambda: zarr.create_array(tmp_path / "z", **options),
        "shards": lambda: zarr.create_array(tmp_path / "z", **options, shards=(6, 14)),
        "dask": lambda: Assigned(),
    }[request.param]()


class Assigned:
    """An object that Dask can write into."""

    shape, dtype = CELLS.shape, CELLS.dtype

    def __init__(self):
        self.data = np.zeros(self.shape)

    def __setitem__(self, key, value):
        self.data[key] = value

    def __getitem__(self, key):
        return self.data[key]


@pytest.fixture(params=["sync", "threads"], autouse=True)
def _scheduler(request):
    with dask.config.set(scheduler=request.param), dt.config(block_bytes=200):
        yield


@pytest.mark.few(4)  # as unlike as so many can be
def test_all_of_it(target):
    assert dt.store(dt.asarray(CELLS) + 1, target) is None
    np.testing.assert_array_equal(target[...], CELLS + 1)


@pytest.mark.covering
@pytest.mark.parametrize("region", [(slice(1, 9), slice(2, 20, 3)), (slice(7, 8),), 5, (..., -1)])
def test_a_region(target, region):
    expected = np.zeros(CELLS.shape)
    expected[region] = CELLS[region]
    dt.store(CELLS[region], target, regions=region)
    np.testing.assert_array_equal(target[...], expected)


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("repeat", range(10))  # under either fixture: 20 times in threads
def test_regions_that_share_chunks_in_many_threads(target, repeat):
    rng = np.random.default_rng(repeat)
    rows, columns = sorted(rng.integers(1, 20, 2)), int(rng.integers(1, 30))
    a, b = map(int, rows)
    regions = [
        (slice(a), slice(columns)),
        (slice(a), slice(columns, None)),
        (slice(a, b),),
        (slice(b, None),),
    ]
    dt.store(
        [CELLS[r] for r in regions],
        [target] * 4,
        regions=regions,
        scheduler="threads",
        num_workers=8,
    )
    np.testing.assert_array_equal(target[...], CELLS)


@pytest.mark.few(4)  # as unlike as so many can be
def test_a_lazy_sink_does_all(target):
    other = np.zeros(5)
    effect = dt.store([CELLS, dt.ones(5)], [target, other], compute=False)
    assert isinstance(effect, Effect)
    assert "2 others" in repr(effect)
    assert not other.any()
    assert dask.compute(effect, dt.ones(2).sum()) == (None, 2.0)
    np.testing.assert_array_equal(target[...], CELLS)
    np.testing.assert_array_equal(other, np.ones(5))


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("compute", [True, False])
def test_what_is_stored_is_returned(target, compute):
    region = (slice(2, 12), slice(0, 30, 2))
    x, y = dt.store(
        [CELLS[region], CELLS[0]],
        [target] * 2,
        regions=[region, 15],
        compute=compute,
        return_stored=True,
    )
    assert (x.shape, y.shape) == ((10, 15), (30,))
    assert bool(np.any(target[...])) == compute
    np.testing.assert_array_equal((x + 1).compute(), CELLS[region] + 1)
    np.testing.assert_array_equal(y.compute(), CELLS[0])
    np.testing.assert_array_equal(target[15], CELLS[0])


@pytest.mark.few(4)  # as unlike as so many can be
def test_a_part_of_what_is_stored_waits_for_all_of_it(target):
    x = dt.store(CELLS, target, compute=False, return_stored=True)
    assert x[-1, -1].compute() == 599
    np.testing.assert_array_equal(target[...], CELLS)


@pytest.mark.few(4)  # as unlike as so many can be
def test_one_after_the_other(target):
    first = dt.store(CELLS, target, compute=False)
    second = dt.store(CELLS[:3] * 2, target, regions=slice(4, 7), compute=False, after=[first])
    second.compute()
    np.testing.assert_array_equal(target[4:7], CELLS[:3] * 2)
    np.testing.assert_array_equal(target[7:], CELLS[7:])


@pytest.mark.few(4)  # as unlike as so many can be
def test_as_a_method_and_from_dask(target):
    dt.asarray(CELLS).store(target)
    np.testing.assert_array_equal(target[...], CELLS)
    dt.store([da.from_array(CELLS * 2, chunks=7)], [target])
    np.testing.assert_array_equal(target[...], CELLS * 2)


@pytest.mark.few(4)  # as unlike as so many can be
def test_a_progress_bar(target, capsys):
    with ProgressBar():
        dt.store(CELLS, target)
    assert "100% Completed" in capsys.readouterr().out


def test_a_worker_that_fails(target):
    class Failing:
        shape, dtype = CELLS.shape, CELLS.dtype

        def __getitem__(self, key):
            raise OSError("the disk is on fire")

    with pytest.raises(OSError, match="on fire") as caught:
        dt.store(dt.from_array(Failing()), target)
    assert "while computing array(" in str(caught.value)
    if not isinstance(target, np.ndarray | Assigned):
        with pytest.raises(dt.StoreError, match="incomplete"):
            dt.from_array(target)


def test_wrong_shapes_and_dtypes_leave_the_target_as_it_was(target):
    for source, region, error in (
        (CELLS[:5], None, dt.StoreError),
        (CELLS, (slice(5),), dt.StoreError),
        (CELLS[0], None, dt.StoreError),
        (CELLS * 1j, None, dt.DTypeError),
        (CELLS.astype("M8[s]"), None, dt.DTypeError),
        (CELLS[::-1], (slice(None, None, -1),), dt.ShapeError),
        (CELLS, ([1, 2],), dt.IndexingError),
    ):
        with pytest.raises(error):
            dt.store(source, target, regions=region)
    assert not np.any(target[...])
    assert not dict(getattr(target, "attrs", {}))


def test_small_shapes():
    for shape in ((), (0,), (3, 0), (1, 1)):
        target = np.zeros(shape)
        dt.store(dt.full(shape, 7.0), target)
        np.testing.assert_array_equal(target, np.full(shape, 7.0))


@pytest.mark.covering
@pytest.mark.parametrize("made", [list, tuple, lambda parts: dict(enumerate(parts)).values()])
@pytest.mark.parametrize("told", [list, iter, lambda parts: dict(enumerate(parts)).values()])
def test_several_in_collections_of_any_kind(made, told):
    targets = [np.zeros((4, 4)), np.zeros((4, 4))]
    regions = [(slice(0, 2), slice(1, 3)), (slice(1, 3), slice(2, 4))]
    cells = np.arange(4.0).reshape(2, 2)
    sources = [dt.asarray(cells, chunks=1), dt.asarray(cells + 4)]
    dt.store(made(sources), made(targets), regions=told(regions))
    for n, (target, region) in enumerate(zip(targets, regions, strict=True)):
        np.testing.assert_array_equal(target[region], cells + 4 * n)
        assert np.count_nonzero(target) == 4 - (n == 0)
    one = np.zeros((4, 4))
    dt.store(sources[1], one, regions=told(regions[:1]))
    np.testing.assert_array_equal(one[regions[0]], cells + 4)
    with pytest.raises(dt.ShapeError, match="sources, targets and regions must be equally many"):
        dt.store(sources[0], one, regions=told(regions))


def test_numbers_that_do_not_match():
    with pytest.raises(dt.ShapeError, match="sources, targets and regions"):
        dt.store([CELLS, CELLS], [np.zeros(CELLS.shape)])
    with pytest.raises(dt.ShapeError, match="sources, targets and regions"):
        dt.store([CELLS], [np.zeros(CELLS.shape)], regions=[None, None])


@pytest.mark.parametrize("target", [dt.ones((20, 30)), da.ones((20, 30))])
def test_lazy_arrays_cannot_be_written_into(target):
    with pytest.raises(dt.StoreError, match="lazy array"):
        dt.store(CELLS, target)


def test_one_target_opened_twice_is_one_target(tmp_path):
    zarr.open_group(tmp_path).create_array("z", shape=(40,), dtype="f8", chunks=(40,))
    twice = [zarr.open_array(tmp_path / "z", mode="r+"), zarr.open_group(tmp_path, mode="r+")["z"]]
    parts = [slice(n, n + 5) for n in range(0, 40, 5)]
    dt.store([np.full(5, n + 1.0) for n in range(8)], twice * 4, regions=parts)
    np.testing.assert_array_equal(twice[0][...], np.repeat(np.arange(1.0, 9), 5))


def opened(path, **options):
    """A Zarr array opened anew."""
    return zarr.open_array(path, mode="a", **options)


def stores_into(first, second, *regions):
    return [
        dt.store(dt.ones(5), target, regions=region, compute=False)
        for target, region in zip((first, second), regions, strict=True)
    ]


LOW, HIGH, EVEN, ODD = slice(5), slice(5, 10), slice(0, 10, 2), slice(1, 10, 2)


def of_zarr(folder, *regions):
    path = folder / "z"
    opened(path, shape=(10,), chunks=(10,), dtype="f8")
    return stores_into(opened(path), zarr.open_group(folder, mode="a")["z"], *regions)


def of_hdf5(folder, *regions):
    file = h5py.File(folder / "x.h5", "w")
    file["a"] = np.zeros(10)
    file["b"] = file["a"]
    return stores_into(file["a"], file["b"], *regions)


def of_memory(folder, *regions):
    a = np.zeros(10)
    return stores_into(a, a[::-1][::-1], *regions)


def of_maps(folder, *regions):
    np.save(folder / "x.npy", np.zeros(10))
    return stores_into(*(np.load(folder / "x.npy", mmap_mode="r+") for _ in "12"), *regions)


def of_a_map_and_memory(folder, *regions):
    np.save(folder / "x.npy", np.zeros(10))
    first, second = (np.load(folder / "x.npy", mmap_mode="r+") for _ in "12")
    return stores_into(np.asarray(first), second, *regions)


def of_objects(folder, *regions):
    class Written:
        shape, dtype = (10,), np.dtype("f8")

        def __setitem__(self, key, value): ...

    target = Written()
    return stores_into(target, target, *regions)


RACES = [
    *[(make, LOW, LOW) for make in (of_zarr, of_hdf5, of_memory, of_maps, of_objects)],
    (of_zarr, LOW, HIGH),
    (of_a_map_and_memory, LOW, LOW),
    (of_maps, slice(3, 8), HIGH),
]


@pytest.mark.parametrize(("make", "first", "second"), RACES)
def test_two_writes_to_one_place_are_refused_by_name(tmp_path, make, first, second):
    writes = make(tmp_path, first, second)
    with pytest.raises(dt.ConstraintError, match="writes_that_meet_are_ordered") as caught:
        dt.compute(*writes)
    assert str(caught.value).count("test_stores.py:") == 2
    for one in (dt.plan, dt.sequence_point):
        with pytest.raises(dt.ConstraintError, match="neither is after= the other"):
            one(*writes).compute()
    for write in writes:
        write.compute()


@pytest.mark.parametrize("make", [of_hdf5, of_memory, of_maps, of_objects])
def test_two_writes_to_two_places_are_not(tmp_path, make):
    dt.compute(*make(tmp_path, LOW, HIGH))
    if make is of_memory:
        dt.compute(*make(tmp_path, EVEN, ODD))


def test_two_writes_to_one_chunk_by_two_names_are_refused(tmp_path):
    dt.to_zarr(np.zeros(10), tmp_path / "x", chunks=(10,))
    places = (tmp_path / "x", f"local://{tmp_path}/x")
    parts = (slice(5), slice(5, 10))
    writes = [
        dt.to_zarr(dt.ones(5), place, region=(part,), compute=False)
        for place, part in zip(places, parts, strict=True)
    ]
    with pytest.raises(dt.ConstraintError, match="neither is after= the other"):
        dt.compute(*writes)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (slice(0, 10, 8), slice(4, 8)),
        (slice(0, 10, 8), slice(1, 8)),
        (slice(0, 12, 4), slice(1, 12, 4)),
    ],
)
def test_steps_that_share_no_stored_chunk_need_no_order(tmp_path, first, second):
    expected = np.zeros(12)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        data = file.create_dataset("x", data=expected, chunks=(1,))
        z = opened(tmp_path / "z", shape=(12,), chunks=(1,), dtype="f8")
        for target in (z, data):
            writes = []
            for number, part in enumerate((first, second), 1):
                expected[part] = number
                x = dt.full(len(expected[part]), float(number))
                writes.append(dt.store(x, target, regions=part, compute=False))
            dt.compute(*writes)
            np.testing.assert_array_equal(target[...], expected)


def test_one_of_two_writes_may_follow_the_other(tmp_path):
    z = opened(tmp_path / "z", shape=(10,), chunks=(10,), dtype="f8")
    first = dt.store(dt.ones(10), z, compute=False)
    second = dt.store(dt.full(5, 2.0), z, regions=HIGH, compute=False, after=[first])
    dt.compute(second, first)
    assert z[...].tolist() == [1] * 5 + [2] * 5


def test_arrays_that_are_made_in_one_place_are_refused_by_name(tmp_path):
    z = opened(tmp_path / "z", shape=(10,), chunks=(10,), dtype="f8")
    x, options = dt.ones(10), {"compute": False, "overwrite": True}
    pairs = [
        (dt.to_zarr(x, tmp_path / "z", **options), dt.to_zarr(x, z.store, **options)),
        (dt.to_zarr(x, tmp_path / "z", **options), dt.store(x, z, compute=False)),
        (dt.to_zarr(x, tmp_path, "z", **options), dt.to_zarr(x, tmp_path, **options)),
        [dt.to_zarr(x, tmp_path / "z", append_dim=0, compute=False) for _ in range(2)],
        [dt.to_zarr(x, tmp_path / "x.zip", name, compute=False) for name in "ab"],
        [dt.to_npy_stack(tmp_path / "s", x, compute=False) for _ in range(2)],
    ]
    for pair in pairs:
        with pytest.raises(dt.ConstraintError, match="writes_that_meet_are_ordered"):
            dt.compute(*pair)
    dt.compute(*(dt.to_zarr(x, tmp_path, name, compute=False) for name in ("a", "ab", "b/c")))


class Sink:
    """An object that tells neither shape nor dtype."""

    def __init__(self):
        self.cells = {}

    def __setitem__(self, key, value):
        for place in np.ndindex(value.shape):
            at = tuple(p + k.start for p, k in zip(place, key, strict=True))
            self.cells[at] = value[place]


def test_targets_that_tell_no_shape():
    sink = Sink()
    dt.store(dt.asarray(CELLS), sink)
    assert len(sink.cells) == CELLS.size
    assert all(CELLS[place] == cell for place, cell in sink.cells.items())
    with pytest.raises(dt.DTypeError, match="needs shape"):
        dt.store(dt.asarray(CELLS), sink, regions=(slice(3),))


def test_delayed_targets_and_one_source():
    cells = np.zeros(CELLS.shape)
    read = dt.asarray(CELLS).store(dask.delayed(cells), return_stored=True)
    np.testing.assert_array_equal(cells, CELLS)
    assert isinstance(read, dt.Array)
    np.testing.assert_array_equal(read, CELLS)


def test_a_scheduler_of_the_user_knows_its_options():
    def own(*args, told, **kwargs):
        assert told
        return dask.get(*args, **kwargs)

    cells = np.zeros(CELLS.shape)
    dt.store(dt.asarray(CELLS), cells, scheduler=own, told=True)
    np.testing.assert_array_equal(cells, CELLS)


class Counted:
    """A lock that counts, and holds one block at a time."""

    def __init__(self, lock):
        self.lock, self.times, self.inside = lock, 0, False

    def __enter__(self):
        self.lock.__enter__()
        assert not self.inside
        self.times, self.inside = self.times + 1, True

    def __exit__(self, *error):
        self.inside = False
        self.lock.__exit__(*error)


class Plain:
    """A target of no kind that is known."""

    def __init__(self):
        self.cells = np.zeros((4, 4))
        self.shape, self.dtype = self.cells.shape, self.cells.dtype

    def __setitem__(self, key, value):
        self.cells[key] = value


@pytest.mark.parametrize("kind", [threading.Lock, threading.RLock, SerializableLock])
def test_dasks_locks_are_held_for_each_block(kind):
    lock, target = Counted(kind()), Plain()
    dt.store(dt.ones((4, 4), chunks=2), target, lock=lock)
    assert lock.times >= 1
    np.testing.assert_array_equal(target.cells, np.ones((4, 4)))


@pytest.mark.parametrize("lock", [True, False, None])
def test_a_lock_may_be_asked_for_or_not(lock):
    target = Plain()
    dt.store(dt.ones((4, 4), chunks=2), target, lock=lock)
    np.testing.assert_array_equal(target.cells, np.ones((4, 4)))


@pytest.mark.parametrize("lock", ["x", 5, object()])
def test_what_is_no_lock_is_refused(lock):
    with pytest.raises(dt.ArgumentTypeError, match="lock must be True, False or a lock, not"):
        dt.store(dt.ones((4, 4)), np.zeros((4, 4)), lock=lock)
