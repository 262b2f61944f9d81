import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder, Lattice, Tree
from dask_tapestry.operators.reductions.cells_at_extreme import CellsAtExtreme
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.teg import apply
from tests.comparisons import same_bits
from tests.operators.blocks import block, by_blocks

RANDOM = np.random.default_rng(8)
SCORE = RANDOM.integers(0, 9, (70, 5, 40)).astype("f4")
SCORE[RANDOM.random(SCORE.shape) < 0.02] = np.nan
BAND = RANDOM.normal(size=SCORE.shape)
NAMES = RANDOM.integers(0, 99, SCORE.shape).astype("U3")


def joint(monoid, axis, tree=None, score=SCORE):
    """Places, with a band, ``2 * band + score``, and names that lie there."""
    inputs = [dt.asarray(a).node for a in (score, BAND, NAMES)]
    fold = reduce(inputs[0], monoid, axis, tree=tree).operator
    builder = CellBuilder([x.type.dtype for x in inputs])
    double = builder.call("multiply", (1, builder.constant(np.float64(2))), BAND.dtype)
    wide = builder.cast(0, BAND.dtype)
    sums = builder.finish(builder.call("add", (double, wide), BAND.dtype))
    cells = (builder.finish(1), sums, builder.finish(2))
    dtypes = tuple([one.dtype for one in cells])
    return apply(CellsAtExtreme(fold, dtypes, cells), *inputs)


def numpys(monoid, axis, score=SCORE):
    place = getattr(np, monoid)(score, axis)
    at = np.expand_dims(place, axis)
    there = [BAND, 2 * BAND + score, NAMES]
    return place, [np.take_along_axis(x, at, axis).squeeze(axis) for x in there]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("monoid", ["argmax", "argmin", "nanargmax", "nanargmin"])
def test_cells_lie_at_numpys_places(monoid, axis):
    place, there = numpys(monoid, axis)
    for step in (9, 100):
        value = by_blocks(joint(monoid, axis), (SCORE, BAND, NAMES), step)
        assert same_bits(value["at"], place)
        for number, one in enumerate(there):
            assert same_bits(value[f"f{number}"], one)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("lattice", [None, Lattice((16,), (-5,)), Lattice((3,), (0,))], ids=str)
def test_nodes_carry_the_cells_of_their_own_extreme(lattice):
    node = joint("argmax", 0, Tree((70,), 8, lattice))
    arrays = (SCORE, BAND, NAMES)
    whole = by_blocks(node, arrays, 100)
    assert same_bits(whole["f0"], numpys("argmax", 0)[1][0])
    depth = node.operator.tree.depth
    for level in range(depth):
        nodes = apply(node.operator.part(None, level), *node.inputs)
        cells = by_blocks(nodes, arrays, 3)
        rest = apply(node.operator.part(level, None), nodes)
        assert same_bits(by_blocks(rest, (cells,), 100), whole)
        for further in range(level + 1, depth):
            merged = apply(node.operator.part(level, further), nodes)
            last = apply(node.operator.part(further, None), merged)
            assert same_bits(by_blocks(last, (by_blocks(merged, (cells,), 2),), 100), whole)


def test_a_node_that_begins_in_the_middle():
    node = joint("argmin", 0, Tree((70,), 8))
    part = apply(node.operator.part(None, 0), *node.inputs)
    cells = by_blocks(part, (SCORE, BAND, NAMES), 100)
    box = part.type.box.replace(0, 3, 5)
    assert same_bits(block(part, (SCORE, BAND, NAMES), box), cells[3:5])


def test_no_number_is_an_error_and_no_cell_is_none():
    score = SCORE.copy()
    score[:, 0, 0] = np.nan
    with pytest.raises(ValueError, match="All-NaN"):
        by_blocks(joint("nanargmax", 0, score=score), (score, BAND, NAMES), 100)
    few = [a[:, :0] for a in (SCORE, BAND)]
    values = dt.take_along_axis(dt.asarray(few[1]), dt.asarray(few[0]).argmax(0)[None], 0).compute()
    assert values.shape == (1, 0, 40)


def test_it_says_what_it_reads_and_takes():
    node = joint("argmax", 0)
    operator, types, box = node.operator, node.input_types, node.type.box
    formulas = operator.formulas(types)
    assert str(node.type) == "void288[5, 40]"
    assert str(formulas[0]) == "float32($0)"
    assert operator.with_formulas(formulas).formulas(types) == formulas
    assert operator.part(0, None).formulas(types) == ()
    told = operator.arguments(types, box, tuple(x.box for x in types))
    assert [reads for reads, _ in told["carried"]] == [(1,), (0, 1), (2,)]
    assert operator.text().startswith("argmax, axes=(0,); float64($1), ")
    assert operator.called == "argmax"
    assert operator.scratch_bytes(types, box) > operator.fold.scratch_bytes(types, box)
    assert operator.flops(types, box) > operator.fold.flops(types, box)
