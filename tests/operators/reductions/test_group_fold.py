from itertools import pairwise

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.reductions.group_fold import (
    GROWING,
    GroupFold,
    group_fold,
    identity_of,
)
from dask_tapestry.teg import apply
from dask_tapestry.zspace import ZRange
from tests.comparisons import same_bits
from tests.operators.blocks import block

RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(90, 6, 50)) * 10.0 ** RANDOM.integers(-6, 6, (90, 6, 50))
X[RANDOM.random(X.shape) < 0.1] = np.nan
CODES = RANDOM.integers(-1, 8, (90, 50))  # 7 is beyond the groups
MONOIDS = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std")


def folded(x, monoid, **how):
    return dt.Array(
        group_fold(dt.asarray(x).node, dt.asarray(CODES).node, monoid, (0, 2), 7, **how)
    )


@pytest.mark.covering
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize("monoid", MONOIDS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u8", "c16", "?"])
def test_the_value_is_that_of_each_group_by_itself(monoid, skipna, dtype):
    with np.errstate(invalid="ignore"):
        x = X.astype(dtype) if dtype in ("f4", "f8", "c16") else np.nan_to_num(X % 7).astype(dtype)
    made = folded(x, monoid, skipna=skipna)
    expected = made.node.operator.reference(x, CODES)
    assert made.dtype == expected.dtype
    rounding = {"rtol": 1e-5 if dtype == "f4" else 1e-9}
    np.testing.assert_allclose(made.compute(), expected, **rounding)


@pytest.mark.parametrize("monoid", ["min", "max"])
@pytest.mark.parametrize("skipna", [False, True])
def test_times_have_extremes(monoid, skipna):
    x = RANDOM.integers(-9, 9, (90, 6, 50)).astype("M8[s]")
    x[:5] = "NaT"
    made = folded(x, monoid, skipna=skipna)
    np.testing.assert_array_equal(made.compute(), made.node.operator.reference(x, CODES))


@pytest.mark.parametrize("monoid", ["sum", "mean", "var", "max"])
def test_every_cut_has_one_value(monoid, shardings):
    whole = folded(X, monoid, skipna=True).compute()
    for chunks in ((90, 6, 50), (13, 6, 50), (90, 1, 7), (11, 4, 17)):
        cut = dt.asarray(X).rechunk(chunks)
        with shardings.tiny(200_000):
            assert same_bits(folded(cut, monoid, skipna=True).compute(), whole)
    groups = folded(X, monoid, skipna=True).rechunk((3, (2, 4, 1)))
    assert same_bits(groups.compute(), whole)
    assert same_bits(folded(X, monoid, skipna=True)[1:4, 2:7:2].compute(), whole[1:4, 2:7:2])


@pytest.mark.parametrize("labelled", [(0,), (2,)])
@pytest.mark.parametrize("monoid", ["sum", "var", "min"])
def test_codes_of_some_of_the_folded_axes(monoid, labelled, shardings):
    codes = CODES[:, 3] if labelled == (0,) else CODES[5]
    wide = np.broadcast_to(codes[:, None] if labelled == (0,) else codes, CODES.shape)
    expected = group_fold(dt.asarray(X).node, dt.asarray(wide).node, monoid, (0, 2), 7)
    how = {"labelled": labelled}
    node = group_fold(dt.asarray(X).node, dt.asarray(codes).node, monoid, (0, 2), 7, **how)
    np.testing.assert_array_equal(
        node.operator.reference(X, codes), expected.operator.reference(X, wide)
    )
    whole = dt.Array(expected).compute()
    assert same_bits(dt.Array(node).compute(), whole)
    for chunks in ((13, 6, 50), (11, 4, 17)):
        cut = dt.asarray(X).rechunk(chunks).node
        with shardings.tiny(200_000):
            node = group_fold(cut, dt.asarray(codes).node, monoid, (0, 2), 7, **how)
            assert same_bits(dt.Array(node).compute(), whole)


@pytest.mark.parametrize("kept", [1, 300])
def test_one_column_has_the_bits_of_many(kept):
    """Few columns are folded by one call for all cells, many by one for each row."""
    x = RANDOM.normal(size=(5000, 1))
    codes = RANDOM.integers(0, 3, 5000)
    for monoid in ("sum", "prod", "min", "mean", "var"):
        node = group_fold(
            dt.asarray(np.repeat(x, kept, 1)).node, dt.asarray(codes).node, monoid, (0,), 3
        )
        operator = node.operator
        tree = group_fold(dt.asarray(x).node, dt.asarray(codes).node, monoid, (0,), 3).operator.tree
        made = dt.Array(node).compute()
        assert (made == made[:1]).all()
        if operator.tree == tree:
            assert same_bits(made[:1], dt.Array(node).compute()[:1])


def test_stored_cells_are_folded_along_their_chunks(tmp_path):
    x, codes = RANDOM.normal(size=(400, 10_000)), RANDOM.integers(0, 7, 400)
    dt.to_zarr(dt.asarray(x), tmp_path / "x", chunks=(100, 10_000))
    stored = dt.from_zarr(tmp_path / "x")
    node = group_fold(stored.node, dt.asarray(codes).node, "mean", (0,), 7, skipna=True)
    assert node.operator.tree.lattice is not None
    value = dt.Array(node).compute()
    np.testing.assert_allclose(value, node.operator.reference(x, codes))
    with dt.config(block_bytes=2_000_000):
        assert same_bits(dt.Array(node).compute(), value)


@pytest.mark.parametrize("shape", [(0, 3), (4, 0)])
def test_nothing(shape):
    codes = dt.asarray(np.zeros(shape[0], "i8")).node
    for monoid, empty in (("sum", 0), ("mean", np.nan), ("min", np.inf)):
        node = group_fold(dt.asarray(np.ones(shape)).node, codes, monoid, (0,), 2)
        found = dt.Array(node).compute()
        assert found.shape == (shape[1], 2)
        np.testing.assert_array_equal(found, np.full(found.shape, empty))


def test_an_identity_changes_nothing():
    assert np.isnan(identity_of("fmin", np.dtype("f4")))
    assert np.isnat(identity_of("fmax", np.dtype("M8[s]")))
    for dtype in ("i1", "u4", "f2", "?", "m8[s]"):
        for monoid, function in (("min", np.minimum), ("max", np.maximum)):
            one = np.ones((), dtype)
            assert function(one, identity_of(monoid, np.dtype(dtype))) == one


def test_errors():
    x, codes = dt.asarray(X[:, 0, 0]).node, dt.asarray(CODES[:, 0]).node
    with pytest.raises(DTypeError, match="numbered by integers"):
        group_fold(x, x, "sum", (0,), 3)
    with pytest.raises(DTypeError, match="not folded by group"):
        group_fold(dt.asarray(np.array(["a"] * 90)).node, codes, "sum", (0,), 3)
    with pytest.raises(ShapeError, match="extents differ"):
        group_fold(x, dt.asarray([1, 2]).node, "sum", (0,), 3)
    assert isinstance(group_fold(x, codes, "sum", (0,), 3).operator, GroupFold)


def added(whole, inputs, random):
    """The tables of a fold whose cells are added some at a time; and those of the kernel."""
    made = apply(whole.operator.part(None, 0), *whole.inputs)
    split = made.operator.turns(made.input_types).split(1)
    first, axes = apply(split.first, *whole.inputs), whole.operator.axes
    result = np.empty(made.type.shape, made.type.dtype)
    result[...] = split.first.adds_to
    for place in np.ndindex(*[made.type.shape[axis] for axis in axes]):
        box = ZRange.of_shape(made.type.shape)
        for axis, number in zip(axes, place, strict=True):
            box = box.replace(axis, number, number + 1)
        inner = split.sums(box)
        lo, hi = inner.lo[0], inner.hi[0]
        cuts = sorted({lo, hi, *random.integers(lo, hi, 3).tolist()})
        table = result[(*box.slices(), ...)]
        for a, b in pairwise(cuts):
            assert block(first, inputs, inner.replace(0, a, b), table) is table
    return result, block(made, inputs, ZRange.of_shape(made.type.shape))


@pytest.mark.covering
@pytest.mark.parametrize("columns", [3, 400])
@pytest.mark.parametrize("monoid", sorted(GROWING))
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u8", "c16", "?"])
@pytest.mark.parametrize("labelled", [(0, 2), (0,), (2,)])
def test_cells_added_some_at_a_time_have_the_bits_of_all(columns, monoid, dtype, labelled):
    random, name = np.random.default_rng(columns), monoid.removeprefix("nan")
    x = random.normal(size=(90, columns, 5)) * 10.0 ** random.integers(-6, 6, (90, columns, 5))
    x[random.random(x.shape) < 0.1] = np.nan
    with np.errstate(invalid="ignore"):
        x = np.nan_to_num(x % 7).astype(dtype) if dtype in ("i2", "u8", "?") else x.astype(dtype)
    codes = random.integers(-1, 8, [x.shape[axis] for axis in labelled])
    for skipna in (False, True):
        how = {"labelled": labelled, "skipna": skipna}
        node = group_fold(dt.asarray(x).node, dt.asarray(codes).node, name, (0, 2), 7, **how)
        if node.operator.monoid not in GROWING:
            continue  # extremes that leave NaN out
        with np.errstate(all="ignore"):
            made, expected = added(node, (x, codes), random)
        assert same_bits(made, expected)


@pytest.mark.parametrize("monoid", sorted(GROWING))
@pytest.mark.parametrize("dtype", ["f4", "c16", "?"])
def test_cells_of_one_line_are_added_some_at_a_time(monoid, dtype):
    random, name = np.random.default_rng(7), monoid.removeprefix("nan")
    x, codes = random.normal(size=3000).astype(dtype), random.integers(-1, 8, 3000)
    node = group_fold(dt.asarray(x).node, dt.asarray(codes).node, name, (0,), 7)
    with np.errstate(all="ignore"):
        made, expected = added(node, (x, codes), random)
    assert same_bits(made, expected)


def test_only_tables_of_leaves_take_more_cells():
    x, codes = dt.zeros((5000, 4)).node, dt.zeros(5000, dtype=int).node
    for monoid in MONOIDS:
        whole = group_fold(x, codes, monoid, (0,), 3).operator
        grows = whole.part(None, 0).grows
        assert grows is (monoid not in ("var", "std"))
        assert not whole.grows
        assert not whole.part(None, 1).grows


def test_a_node_reads_more_than_its_table_holds():
    x = dt.placeholder((400, 3000, 3000), "f4", stored_chunks=(1, 3000, 3000))
    codes = dt.asarray(np.arange(400) % 12)
    for monoid in ("mean", "std"):
        tree = group_fold(x.node, codes.node, monoid, (0,), 12).operator.tree
        assert tree.sides(0) == (64,)


def test_chunks_of_a_leaf_are_read_one_at_a_time():
    x = dt.placeholder((256, 2048, 2048), "f8", stored_chunks=(1, 2048, 2048))
    codes = dt.asarray(np.arange(256) % 4)
    folded = dt.Array(group_fold(x.node, codes.node, "sum", (0,), 16))
    alone = dt.Resources(workers=1, threads=1, memory="8 GB")
    plan = dt.plan(folded, resources=alone)
    assert plan.cost["bytes_read"] == x.nbytes
    assert plan.cost["peak_worker_bytes"] < x.nbytes / 2
