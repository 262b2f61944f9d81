import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(9)
NUMBERS = RANDOM.integers(-1, 8, (90, 70))
WEIGHTS = RANDOM.normal(size=NUMBERS.shape)


def tabulated(numbers, *weights, bins=range(7), target=None, leaf=256, **options):
    state = np.dtype("f8" if weights else "i8")
    told = {"tree": Tree((90, 70), leaf), "origin": (0, 0), "bins": bins, "state": state}
    told |= {"target": target, "limit": None, **options}
    return KERNELS["tabulate"](None, numbers, *weights, **told)


def counted(numbers, bins=range(7)):
    return [int((numbers == n).sum()) for n in bins]


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8"])
@pytest.mark.parametrize("bins", [range(7), range(3), range(2, 6), range(0)])
def test_cells_are_counted_by_number(dtype, bins):
    assert tabulated(NUMBERS.astype(dtype), bins=bins).tolist() == counted(NUMBERS, bins)


def test_strides_of_the_block_do_not_matter():
    whole = tabulated(NUMBERS, WEIGHTS)
    assert same_bits(tabulated(np.asfortranarray(NUMBERS), np.asfortranarray(WEIGHTS)), whole)


def test_tables_of_a_level_are_those_of_its_nodes():
    tree = Tree((90, 70), 256)
    tables = tabulated(NUMBERS, target=2)
    rows, columns = tree.sides(2)
    assert tables.shape == (*tree.counts(2), 7)
    for i, j in np.ndindex(*tables.shape[:2]):
        box = NUMBERS[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns]
        assert tables[i, j].tolist() == counted(box)


def test_a_shard_yields_the_nodes_it_owns():
    rows, columns = Tree((90, 70), 256).sides(1)
    tables = tabulated(NUMBERS, WEIGHTS, target=1)
    shard = tuple(slice(n, 2 * n) for n in (rows, columns))
    part = tabulated(NUMBERS[shard], WEIGHTS[shard], target=1, origin=(rows, columns))
    assert same_bits(part[0, 0], tables[1, 1])


def test_bins_of_a_block_do_not_matter():
    whole = tabulated(NUMBERS, WEIGHTS)
    parts = [tabulated(NUMBERS, WEIGHTS, bins=b) for b in (range(2), range(2, 3), range(3, 7))]
    assert same_bits(np.concatenate(parts), whole)


def test_a_limit_is_of_all_bins():
    held = np.abs(NUMBERS) % 7
    assert tabulated(held, bins=range(2, 4), limit=7).tolist() == counted(held, range(2, 4))
    with pytest.raises(ValueError, match="6 bins"):
        tabulated(held, bins=range(2, 4), limit=6)


def test_large_numbers_are_left_out():
    huge = np.full((90, 70), 2**63 + 5, "u8")
    huge[0, 0] = 3
    assert tabulated(huge).tolist() == [0, 0, 0, 1, 0, 0, 0]


@pytest.mark.covering
@pytest.mark.parametrize("target", [None, 0, 1, 3])
@pytest.mark.parametrize("origin", [0, 2**17])
@pytest.mark.parametrize("lattice", [None, Lattice((2**14,), (0,))])
def test_counts_of_a_line_are_filled_node_by_node(target, origin, lattice):
    rest = 90_001
    length = rest if origin or target is None else 2**17
    tree = Tree((rest if target is None else 2**17 + rest,), 8192, lattice)
    line = np.random.default_rng(3).integers(0, 7, length)
    told = {"origin": (0 if target is None else origin,), "bins": range(7), "target": target}
    tables = []
    for mode in ("wait", "off"):
        with compile_service.mode(mode):
            made = KERNELS["tabulate"](None, line, tree=tree, state=line.dtype, limit=7, **told)
        tables.append(made)
    assert np.array_equal(*tables)
    assert np.array_equal(tables[0].reshape(-1, 7).sum(0), np.bincount(line, minlength=7))
