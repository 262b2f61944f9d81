import operator

import dask.array as da
import numpy as np
import pytest
import zarr
from dask import delayed

import dask_tapestry as dt

X = np.arange(35.0).reshape(5, 7)
CHUNKS = ((2, 3), (3, 3, 1))
pytestmark = pytest.mark.usefixtures("sync")


def ours(x=X, chunks=CHUNKS):
    return dt.asarray(x).rechunk(chunks)


def theirs(x=X, chunks=CHUNKS):
    return da.from_array(x, chunks=chunks)


def shape_of_block(block, block_id=None):
    return np.full(block.shape, 10 * block_id[0] + block_id[1])


MAPPED = [
    (lambda d, x: d.map_blocks(lambda b: b - b.mean(), x)),
    (lambda d, x: d.map_blocks(lambda b, c: b * c, x, 3)),
    (lambda d, x: d.map_blocks(lambda b, by=1: b * by, x, by=2)),
    (lambda d, x: d.map_blocks(lambda b: b.sum(keepdims=True), x, chunks=(1, 1))),
    (lambda d, x: d.map_blocks(lambda b: b.sum(0), x, drop_axis=0)),
    (lambda d, x: d.map_blocks(lambda b: b.sum(1), x, drop_axis=[1], dtype="f8")),
    (lambda d, x: d.map_blocks(lambda b: b[:, None], x, new_axis=1)),
    (lambda d, x: d.map_blocks(lambda b: b[None].repeat(2, 0), x, new_axis=0, chunks=(2, *CHUNKS))),
    (lambda d, x: d.map_blocks(lambda b: b.repeat(2, 1), x, chunks=(CHUNKS[0], (6, 6, 2)))),
    (lambda d, x: d.map_blocks(np.add, x, x[0])),
    (lambda d, x: d.map_blocks(lambda b: b.astype("i4"), x, dtype="i4")),
    (lambda d, x: d.map_blocks(lambda b: b.astype("i4"), x, meta=np.empty((0, 0), "i4"))),
    (lambda d, x: d.map_blocks(shape_of_block, x, dtype="i8")),
    (lambda d, x: d.map_blocks(lambda b, m: b + m.sum(), x, np.arange(3))),
    (lambda d, x: x.map_blocks(lambda b: b.cumsum(1))),
]


@pytest.mark.parametrize("call", MAPPED)
def test_map_blocks_is_dasks(call):
    made, expected = call(dt, ours()), call(da, theirs())
    assert made.chunks == expected.chunks
    assert made.dtype == expected.dtype
    assert np.array_equal(made.compute(), expected.compute())


def info_of(block, block_info=None):
    if isinstance(block_info, dict):  # Dask learns the dtype with something else
        seen.append(block_info)
    return block


seen = []


def test_block_info_is_dasks():
    made = []
    for x, d in ((ours(), dt), (theirs(), da)):
        seen.clear()
        d.map_blocks(info_of, x, dtype="f8").compute(scheduler="sync")
        made.append(sorted(seen, key=lambda info: info[None]["chunk-location"]))
    assert len(made[0]) == len(made[1]) == 6
    for mine, expected in zip(*made, strict=True):
        assert mine[0] == expected[0]
        assert {k: v for k, v in mine[None].items() if k != "dtype"} == {
            k: v for k, v in expected[None].items() if k != "dtype"
        }
        assert mine[None]["dtype"] == np.dtype("f8")


def test_a_function_without_arrays_makes_blocks():
    def make(block_id):
        return np.full((2, 3), 10 * block_id[0] + block_id[1])

    made = [d.map_blocks(make, chunks=((2, 2), (3,)), dtype="i8") for d in (dt, da)]
    assert made[0].chunks == made[1].chunks
    assert np.array_equal(made[0].compute(), made[1].compute())


def test_dimensions_of_one_length_are_cut_alike():
    x, y = dt.arange(6).rechunk(2), dt.arange(6).rechunk(3)
    assert dt.map_blocks(np.add, x, y).chunks == ((2, 2, 2),)
    made = dt.map_blocks(
        np.add, dt.arange(4).rechunk(2), dt.arange(6).rechunk((2, 4)), chunks=((2, 2),), dtype="i8"
    )
    with pytest.raises(ValueError, match="broadcast"):
        made.compute()


def test_slices_leave_the_other_blocks_alone():
    calls = []

    def look(block, block_id):
        calls.append(block_id)
        return block + block_id[1]

    made = dt.map_blocks(look, ours(), dtype="f8")
    expected = made.compute()
    calls.clear()
    assert np.array_equal(made[1, 4:].compute(), expected[1, 4:])
    assert sorted(calls) == [(0, 1), (0, 2)]


def test_an_array_among_keywords_is_given_whole():
    shift = dt.arange(3)
    made = dt.map_blocks(lambda b, by: b + by.sum(), ours(), by=shift)
    assert np.array_equal(made.compute(), X + 3)


def test_blocks_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 blocks and 3"):
        dt.map_blocks(np.add, dt.arange(6).rechunk(2), dt.arange(4).rechunk(2))
    with pytest.raises(ValueError, match="chunks are 2"):
        dt.map_blocks(np.negative, ours(), chunks=(CHUNKS[0], (3, 4)))
    with pytest.raises(ValueError, match="have 1 dimensions, the result has 2"):
        dt.map_blocks(np.negative, ours(), chunks=(2,))
    with pytest.raises(ValueError, match="drop_axis"):
        dt.map_blocks(np.negative, ours(), drop_axis=5)
    with pytest.raises(ValueError, match="new_axis"):
        dt.map_blocks(np.negative, ours(), new_axis=4)
    with pytest.raises(ValueError, match="without cells"):
        dt.map_blocks(lambda b: b[:0], dt.arange(6).rechunk(3), chunks=(0,))
    with pytest.raises(TypeError, match="func must be a function"):
        dt.map_blocks(3, ours())


def test_results_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="returned shape"):
        dt.map_blocks(lambda b: b[:1], ours()).compute()


def test_a_dtype_that_cannot_be_learnt_is_asked_for():
    def picky(block):
        if block.size < 2:
            raise ValueError("too small")
        return block

    with pytest.raises(ValueError, match="too small; give the dtype instead"):
        dt.map_blocks(picky, dt.arange(6))
    assert dt.map_blocks(picky, dt.arange(6), dtype="i8").compute().sum() == 15


def test_plans_of_blocks_verify():
    plan = dt.plan(dt.map_blocks(np.cumsum, dt.arange(10).rechunk(3)) * 2)
    plan.verify()
    assert np.array_equal(plan.compute()[:4], [0, 2, 6, 6])


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_blocks_are_the_same_on_any_machine(tmp_path, workers):
    """What a function of blocks returns depends on where they end: never on workers."""
    cells = np.random.default_rng(0).normal(size=(40, 30))
    stored = zarr.create_array(tmp_path / "x", data=cells, chunks=(16, 30))
    expected = np.concatenate([cells[a : a + 16] - cells[a : a + 16].mean() for a in (0, 16, 32)])
    with dt.config(resources=dt.Resources(workers=workers, threads=2, memory="1 GiB")):
        for x in (
            dt.from_zarr(tmp_path / "x"),
            dt.from_array(cells, chunks=(16, 30)),
            dt.from_array(stored),
        ):
            for y in (x, x * 1, x.T.T, x[:], x.persist()):
                made = y.map_blocks(lambda b: b - b.mean())
                np.testing.assert_array_equal(made.compute(scheduler="sync"), expected)


def test_a_function_between_formulas_sees_the_users_chunks():
    cells = np.arange(16.0).reshape(4, 4)
    ours = (dt.from_array(cells, chunks=(2, 2)) * 2).map_blocks(lambda b: b - b.mean())
    dasks = (da.from_array(cells, chunks=(2, 2)) * 2).map_blocks(lambda b: b - b.mean())
    np.testing.assert_array_equal(ours.compute(), dasks.compute())


def test_said_chunks_go_before_canonical_ones():
    stored, plain = dt.ones((6, 4), chunks=(2, 4)), dt.asarray(np.ones((6, 4)))
    with dt.config(block_bytes=32):
        both = dt.map_blocks(np.add, plain, stored)
        assert plain.numblocks == (6, 2)
        assert both.chunks == ((2, 2, 2), (4,))
        assert dt.blockwise(np.add, "ij", plain, "ij", stored, "ij").chunks == both.chunks


def test_delayed_values_are_what_they_yield():
    x = dt.arange(6, chunks=3)
    made = dt.map_blocks(
        lambda b, n, more: b * n + len(more), x, delayed(2), more=delayed([7, 8]), dtype="i8"
    )
    np.testing.assert_array_equal(made, np.arange(6) * 2 + 2)
    learnt = dt.map_blocks(np.add, x, delayed(np.arange)(3))
    np.testing.assert_array_equal(learnt, [0, 2, 4, 3, 5, 7])


@pytest.mark.parametrize("chunks", [3, 4, 12])
def test_one_block_that_was_chosen_goes_whole_to_every_block(chunks):
    """A table as long as an axis is a table, as in Dask."""
    table, places = np.arange(12) * 10, np.arange(144).reshape(12, 12) % 12
    one = dt.from_array(table, chunks=12)
    found = dt.map_blocks(
        operator.getitem, one, dt.from_array(places, chunks=chunks), dtype=table.dtype
    )
    np.testing.assert_array_equal(found.compute(), table[places])


def test_blocks_that_nobody_chose_are_cut_as_others_are():
    x = dt.from_array(np.arange(6.0), chunks=4)
    lengths = dt.map_blocks(lambda a, b: a * 0 + len(b), x, dt.asarray(np.arange(6)), dtype=float)
    assert lengths.compute().tolist() == [4, 4, 4, 4, 2, 2]
