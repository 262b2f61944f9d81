import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.reduction import group_fold
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(9)
CELLS = RANDOM.normal(size=(90, 11, 7))
CODES = RANDOM.integers(-1, 6, (90, 7))
OWN = [group == CODES for group in range(5)]
TREES = {
    "plain": Tree((90, 7), 64),
    "lattice": Tree((90, 7), 64, Lattice((16, 7), (-3, 0))),
}


def folded(cells, codes=CODES, tree=TREES["plain"], **options):
    told = {"monoid": "sum", "skipna": False, "axes": (0, 2), "tree": tree, "origin": (0, 0)}
    told |= {"groups": range(5), "dtype": np.dtype("f8"), "state": np.dtype("f8")}
    told |= {"labelled": (0, 2), "identity": 0.0, "ddof": 0, "target": None}
    return KERNELS["groupfold"](None, cells, codes, **{**told, **options})


@pytest.mark.parametrize("tree", TREES)
def test_each_group_is_folded(tree):
    expected = [[cells[own].sum() for own in OWN] for cells in CELLS.swapaxes(0, 1)]
    np.testing.assert_allclose(folded(CELLS, tree=TREES[tree]), expected)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("labelled", [(0,), (2,)])
def test_codes_of_some_of_the_folded_axes(tree, labelled):
    codes = CODES[:, 0] if labelled == (0,) else CODES[0]
    wide = np.broadcast_to(codes[:, None] if labelled == (0,) else codes, CODES.shape)
    expected = folded(CELLS, codes=wide, tree=TREES[tree])
    assert same_bits(folded(CELLS, codes=codes, labelled=labelled, tree=TREES[tree]), expected)


@pytest.mark.parametrize("tree", TREES)
def test_strides_and_tiles_do_not_matter(tree, monkeypatch):
    whole = folded(CELLS, tree=TREES[tree])
    assert same_bits(folded(np.asfortranarray(CELLS), tree=TREES[tree]), whole)
    monkeypatch.setattr(group_fold, "LEAST_COLUMNS", 2)
    monkeypatch.setattr(group_fold, "TILE_CELLS", 1)
    assert same_bits(folded(CELLS, tree=TREES[tree]), whole)


def test_groups_of_a_block_do_not_matter():
    whole = folded(CELLS)
    parts = [folded(CELLS, groups=g) for g in (range(2), range(2, 3), range(3, 5))]
    assert same_bits(np.concatenate(parts, axis=-1), whole)


@pytest.mark.parametrize("tree", TREES)
def test_tables_of_a_level_are_merged_to_the_value(tree):
    tree = TREES[tree]
    tables = folded(CELLS, tree=tree, target=0)
    assert tables.shape == (tree.counts(0)[0], 11, tree.counts(0)[1], 5)
    part = {"monoid": "sum", "axes": (0, 2), "tree": tree, "origin": (0, 0), "ddof": 0}
    part |= {"dtype": np.dtype("f8"), "state": np.dtype("f8"), "source": 0, "target": None}
    assert same_bits(KERNELS["groupmerge"](None, tables, **part), folded(CELLS, tree=tree))


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("target", [None, 0, 1])
def test_several_folds_are_fields(tree, target):
    tree, ones = TREES[tree], np.ones(CODES.shape, bool)
    told = {"tree": tree, "target": target}
    count = {"dtype": np.dtype("i8"), "state": np.dtype("i8"), "identity": 0}
    flat = {"axes": (0, 1), "labelled": (0, 1), **count}
    sums, counts = folded(CELLS, **told), folded(ones, **told, **flat)
    parts = [
        {"monoid": "sum", "skipna": False, "axes": (0, 2), "labelled": (0, 2), "ddof": 0}
        | {"groups": range(5), "origin": (0, 0), "dtype": np.dtype("f8"), "identity": 0.0}
        | {"state": np.dtype("f8"), **told}
    ]
    parts.append(parts[0] | flat)
    both = KERNELS["groupfolds"](None, CELLS, ones, CODES, parts=parts)
    assert same_bits(both["f0"], sums)
    repeated = counts if target is not None else counts[None]
    repeated = np.expand_dims(counts, 1) if target is not None else repeated
    assert same_bits(both["f1"], np.broadcast_to(repeated, sums.shape))


def test_tables_of_several_folds_are_merged():
    tree = TREES["lattice"]
    tables = folded(CELLS, tree=tree, target=0)
    pair = np.empty(tables.shape, [("f0", "f8"), ("f1", "f8")])
    pair["f0"], pair["f1"] = tables, -tables
    part = {"monoid": "sum", "axes": (0, 2), "tree": tree, "origin": (0, 0), "ddof": 0.0}
    part |= {"dtype": np.dtype("f8"), "state": np.dtype("f8"), "source": 0, "target": None}
    merged = KERNELS["groupmerges"](None, pair, parts=[part, part])
    assert same_bits(merged["f0"], folded(CELLS, tree=tree))
    assert same_bits(merged["f1"], -merged["f0"])
