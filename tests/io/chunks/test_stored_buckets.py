from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.chunks.stored_buckets import StoredBuckets
from dask_tapestry.teg.buckets import buckets_type
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.bucket_blocks import BucketBlocks

KINDS = ["f8", "u1", "c16", "M8[s]", "S3", "U2", [("key", "f4"), ("place", "i8")]]


def buckets(shape, dtype, row, random):
    made = BucketBlocks.empty(shape)
    for at in np.ndindex(*shape):
        n = int(random.integers(0, 4))
        size = n * int(np.prod(row)) * np.dtype(dtype).itemsize
        whole = random.integers(0, 255, 2 * size).astype("u1").view(dtype)
        made.cells[at] = whole[: len(whole) // 2].reshape(n, *row)
    return made


def same(one, other):
    assert one.shape == other.shape
    for a, b in zip(one.cells.flat, other.cells.flat, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes()


@given(data=st.data())
def test_any_box_of_any_groups_is_read_as_it_was_written(tmp_path_factory, data):
    lanes = data.draw(st.sampled_from([(), (2,)]))
    shape = (*lanes, *data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5))))
    sides = tuple(data.draw(st.integers(1, n)) for n in shape)
    dtype = np.dtype(data.draw(st.sampled_from(KINDS)))
    row = data.draw(st.sampled_from([(), (2,), (3, 1, 2)]))
    type_ = buckets_type(shape, dtype, 2.0)
    there = buckets(shape, dtype, row, np.random.default_rng(data.draw(st.integers(0, 99))))
    store = StoredBuckets(str(tmp_path_factory.mktemp("value")), sides)
    cut = data.draw(st.integers(0, -(-shape[-2] // sides[-2]))) * sides[-2]
    runs = [(0, min(cut, shape[-2])), (min(cut, shape[-2]), shape[-2])]
    for lo, hi in runs:  # by two tasks
        box = type_.box.replace(len(shape) - 2, lo, hi)
        store.write(box, there[box.slices()])
    lows = [data.draw(st.integers(0, n - 1)) for n in shape]
    highs = [data.draw(st.integers(lo + 1, n)) for lo, n in zip(lows, shape, strict=True)]
    wanted = ZRange(tuple(lows), tuple(highs))
    same(store.read(wanted, type_), there[wanted.slices()])


def test_a_group_that_is_gone_or_cut_short_is_an_error(tmp_path):
    type_ = buckets_type((2, 2), np.dtype("f8"), 2.0)
    store = StoredBuckets(str(tmp_path / "value"), (1, 2))
    store.prepare()
    made = BucketBlocks.empty((2, 2))
    made.cells[...] = [[np.ones(3), np.ones(1)], [np.ones(0), np.ones(2)]]
    store.write(type_.box, made)
    assert sorted(path.name for path in Path(store.folder).iterdir()) == ["c.0.0", "c.1.0"]
    (tmp_path / "value" / "c.1.0").unlink()
    with pytest.raises(FileNotFoundError):
        store.read(type_.box, type_)
    whole = (tmp_path / "value" / "c.0.0").read_bytes()
    (tmp_path / "value" / "c.0.0").write_bytes(whole[:-1])
    with pytest.raises(dt.StoreError, match="ends before"):
        store.read(ZRange((0, 0), (1, 2)), type_)


def test_buckets_that_were_never_made_stay_so(tmp_path):
    type_ = buckets_type((1, 2), np.dtype("i4"), 2.0)
    store = StoredBuckets(str(tmp_path), (1, 2))
    made = BucketBlocks.empty((1, 2))
    made.cells[0, 1] = np.arange(2, dtype="i4")
    store.write(type_.box, made)
    read = store.read(type_.box, type_)
    assert read.cells[0, 0] is None
    assert read.cells[0, 1].tolist() == [0, 1]


def test_objects_behind_a_url():
    type_ = buckets_type((3, 2), np.dtype("f4"), 2.0)
    store = StoredBuckets("memory://stored_buckets", (2, 1))
    store.prepare()
    there = buckets((3, 2), "f4", (), np.random.default_rng(0))
    store.write(type_.box, there)
    same(store.read(ZRange((1, 0), (3, 2)), type_), there[1:3, 0:2])
