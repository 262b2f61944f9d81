"""Reductions of stored data have one value however they are cut, held and laid out.

Their tree follows the stored chunks. Cells of its lattice are made small here, so that small arrays
have many.
"""

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction, in_nodes
from dask_tapestry.teg import Graph
from dask_tapestry.teg.check import check
from tests.comparisons import same_bits
from tests.examples import examples

FOLDS = ("sum", "mean", "std", "var", "min", "any", "all", "prod", "argmin", "argmax")
NAN_FOLDS = ("nansum", "nanmean", "nanstd", "nanargmax", "nanmax")

SELECTIONS = {
    "whole": lambda lib, x: x,
    "begun late": lambda lib, x: x[3:, 1:],
    "steps": lambda lib, x: x[::2, 1::3],
    "reversed": lambda lib, x: x[::-1, ::-2],
    "transposed": lambda lib, x: x.T[2:],
    "joined": lambda lib, x: lib.concatenate([x[:7], x, x[2:]]),
    "broadcast": lambda lib, x: x + x[0],
    "shifted": lambda lib, x: x[1:] - x[:-1],
    "alone": lambda lib, x: x[:, None, 2],
}


@pytest.fixture(autouse=True)
def _small_cells(small_lattices):
    """Small arrays have many."""


def numbers(shape):
    """Numbers whose sum depends on the order of additions, some of them equal, some NaN."""
    random = np.random.default_rng(7)
    x = random.normal(size=shape) * 10.0 ** random.integers(-6, 6, shape)
    x.flat[:: max(1, x.size // 5)] = x.max(initial=1)
    return x


@st.composite
def stored_arrays(draw):
    shape = tuple([draw(st.integers(8, 60)) for _ in range(2)])
    return shape, tuple([draw(st.integers(1, n + 3)) for n in shape])


def computed(x, block_bytes):
    with dt.config(block_bytes=block_bytes):
        return x.compute()


def value_of(library, name, x, axis):
    return getattr(library, name)(x, axis=axis)


@examples(16, suppress_health_check=list(HealthCheck))
@given(
    stored_arrays(),
    st.sampled_from(sorted(SELECTIONS)),
    st.sampled_from(FOLDS + NAN_FOLDS),
    st.sampled_from([None, 0, 1]),
)
def test_a_stored_array_folds_to_one_value(stored, selection, name, axis):
    shape, chunks = stored
    cells, select = numbers(shape), SELECTIONS[selection]
    if name in NAN_FOLDS:
        cells[1::3, 1::4] = np.nan
    with TemporaryDirectory() as folder, np.errstate(all="ignore"):
        path = Path(folder) / "x"
        zarr.create_array(path, shape=shape, chunks=chunks, dtype="f8")[...] = cells
        x = dt.from_zarr(path)
        expected = value_of(np, name, select(np, cells), axis)
        whole = computed(value_of(dt, name, select(dt, x), axis), 10**9)
        np.testing.assert_allclose(whole, expected, rtol=1e-9, atol=1e-3)
        for other, size in (
            (select(dt, x), 2000),
            (select(dt, x), 300),
            (select(dt, x.rechunk((5, 7))), 1000),
            (select(dt, x).persist(), 700),
            (select(dt, x.persist()), 10**9),
        ):
            assert same_bits(computed(value_of(dt, name, other, axis), size), whole)


@examples(16, suppress_health_check=list(HealthCheck))
@given(stored_arrays(), st.sampled_from(sorted(SELECTIONS)), st.sampled_from([None, 0, 1]))
def test_every_level_of_its_tree_is_a_legal_cut(stored, selection, axis):
    shape, chunks = stored
    x = SELECTIONS[selection](dt, dt.placeholder(shape, "f8", stored_chunks=chunks))
    folds = [x.sum(axis=axis), x.argmax(axis=axis)]
    if axis is None:
        folds.append(dt.histogram(x, bins=3, range=(0, 1))[0])
    for fold in folds:
        for node in Graph((fold.node,)):
            if isinstance(node.operator, TreeReduction):
                for level in range(node.operator.tree.depth + 1):
                    check(Graph((in_nodes(node, level),)))


@pytest.mark.few(4)  # each way to store
@pytest.mark.parametrize("chunks", [(5, 9), (1, 40), (13, 3), (40, 40)])
@pytest.mark.parametrize("weighted", [False, True])
def test_tables_of_stored_numbers_have_one_value(tmp_path, monkeypatch, chunks, weighted):
    monkeypatch.setattr("dask_tapestry.operators.reductions.bincount.COUNTED_LEAF_CELLS", 40)
    cells = numbers((40, 40))
    zarr.create_array(tmp_path / "x", shape=cells.shape, chunks=chunks, dtype="f8")[...] = cells
    x = dt.from_zarr(tmp_path / "x")
    weights = cells if weighted else None
    expected = np.histogram(cells, bins=4, range=(-1, 1), weights=weights)[0]

    def counts(x, size):
        added = x if weighted else None
        return computed(dt.histogram(x, bins=4, range=(-1, 1), weights=added)[0], size)

    whole = counts(x, 10**9)
    np.testing.assert_allclose(whole, expected)
    for other, size in product((x, x.rechunk((7, 7)), x.persist()), (10**9, 900, 3000)):
        assert same_bits(counts(other, size), whole)


@pytest.mark.few(3)  # as unlike as can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("chunks", [(60, 7), (100, 40), (3, 5), (97, 11)])
@pytest.mark.parametrize("selection", ["whole", "begun late", "reversed", "transposed", "joined"])
def test_a_scan_of_stored_numbers_has_one_value(tmp_path, chunks, selection):
    cells, select = numbers((700, 40)), SELECTIONS[selection]
    zarr.create_array(tmp_path / "x", shape=cells.shape, chunks=chunks, dtype="f8")[...] = cells
    x = dt.from_zarr(tmp_path / "x")
    for axis in (0, 1):
        whole = computed(dt.cumsum(select(dt, x), axis), 10**9)
        expected = np.cumsum(select(np, cells), axis)
        np.testing.assert_allclose(whole, expected, rtol=1e-9, atol=1e-3)
        for other in (x, x.rechunk((33, 9)), x.persist()):
            assert same_bits(computed(dt.cumsum(select(dt, other), axis), 30_000), whole)


@pytest.mark.few(3)  # as unlike as can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("chunks", [(60, 7), (100, 40), (3, 5), (97, 11)])
@pytest.mark.parametrize("selection", ["whole", "begun late", "reversed", "transposed", "joined"])
def test_a_monoid_of_the_users_folds_stored_numbers_to_one_value(tmp_path, chunks, selection):
    cells, select = numbers((200, 40)), SELECTIONS[selection]
    zarr.create_array(tmp_path / "x", shape=cells.shape, chunks=chunks, dtype="f8")[...] = cells
    x = dt.from_zarr(tmp_path / "x")
    add = dt.Monoid(0.0, np.add)
    for axis in (0, 1, None):
        whole = computed(dt.reduction(select(dt, x), add, axis=axis), 10**9)
        expected = np.sum(select(np, cells), axis)
        np.testing.assert_allclose(whole, expected, rtol=1e-9, atol=1e-3)
        for other in (x, x.rechunk((33, 9)), x.persist()):
            made = dt.reduction(select(dt, other), add, axis=axis)
            assert same_bits(computed(made, 9_000), whole)


def test_axes_of_one_cell_and_none(tmp_path):
    zarr.create_array(tmp_path / "x", shape=(1, 50), chunks=(1, 8), dtype="f8")[...] = 1
    x = dt.from_zarr(tmp_path / "x")
    assert x.sum(axis=0).compute().tolist() == [1] * 50
    assert x.sum().compute() == 50
    assert x[:0].sum(axis=0).compute().tolist() == [0] * 50
    assert x[:, 20:20].sum().compute() == 0
    assert x[:, 3:4].mean().compute() == 1
