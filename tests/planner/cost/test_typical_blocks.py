"""Grids of joined values are priced by blocks of every kind."""

from itertools import product

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost import typical_blocks as typical_blocks_module
from dask_tapestry.planner.cost.stored_reads import stored_bytes
from dask_tapestry.planner.cost.typical_blocks import (
    _kinds_of,
    joining_dims,
    seeking_dims,
    typical_blocks,
)
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from dask_tapestry.zspace import Cuts, ZRange, largest_box


def stored(shape=(1200, 1000)):
    return dt.placeholder(shape, "f8", stored_chunks=(100, 1000))


def program_of(x):
    return group_of(x.node, set()).program


def test_values_of_one_kind_are_priced_by_the_largest_block():
    program = program_of(dt.concatenate([dt.sqrt(stored()), dt.sqrt(stored((600, 1000)))]))
    cuts = (Cuts.regular(1800, 100), Cuts.regular(1000, 500))
    assert not joining_dims(program)
    assert [one.box for one in typical_blocks(program, cuts)] == [largest_box(cuts)]


def test_other_dimensions_than_the_joined_ones_are_not_sampled():
    x, y = stored(), dt.ones((600, 1000))
    cuts = (Cuts.regular(1800, 100), Cuts.regular(1000, 300))
    program = program_of(dt.concatenate([x, y]))
    assert joining_dims(program) == (0,)
    assert len({(one.box.lo[1], one.box.hi[1]) for one in typical_blocks(program, cuts)}) == 1
    turned = program_of(dt.concatenate([x, y]).T)
    assert joining_dims(turned) == (1,)
    assert len(typical_blocks(turned, (Cuts.regular(1000, 100), Cuts.regular(1800, 1800)))) == 1


def test_what_is_joined_along_a_dimension_that_is_folded_is_in_every_block():
    program = program_of(dt.concatenate([stored(), dt.ones((600, 1000))]).sum(axis=0))
    assert joining_dims(program) == ()


@pytest.mark.parametrize("count", [2, 7, 12, 16, 31])
def test_shares_are_those_of_the_joined_values(count):
    parts = [stored((100, 1000)).mean(axis=0), *[dt.ones(1000)] * (count - 1)]
    program = program_of(dt.stack(parts))
    cuts = (Cuts.regular(count, 1), Cuts.regular(1000, 1000))
    found = typical_blocks(program, cuts)
    assert sum(one.share for one in found) == pytest.approx(1)
    first = next((one.share for one in found if one.box.lo[0] == 0), 0)
    assert first == pytest.approx(1 / count, abs=1 / 16 if count > 16 else 1e-9)


def test_a_stack_is_no_cheaper_for_one_member_that_is_held():
    """The block in the middle reads what is held; the others compute all that is stacked."""
    machines = dt.Resources(workers=8, threads=4, memory="16 GiB", bandwidth="1 GB/s")
    x = dt.placeholder((2880, 721, 1440), "f4", stored_chunks=(24, 721, 1440))
    months = [dt.concatenate([x[a : a + 30] for a in range(30 * m, 2880, 360)]) for m in range(12)]
    plan = dt.plan(dt.stack([month.mean(axis=0) for month in months]), resources=machines)
    assert plan.cost["bytes_read"] <= 1.5 * x.nbytes


NODES = {  # nodes of a fold of which the last one has few cells, along each dimension
    "columns": lambda x: x[:, :1025].sum(axis=1),
    "rows": lambda x: x[:1025].max(axis=0),
    "a transform": lambda x: abs(dt.fft.rfft(x, axis=1)).mean(axis=1),
}


@pytest.mark.parametrize("name", NODES)
def test_a_last_node_of_few_cells_stands_for_no_other(name):
    x = dt.placeholder((2048, 2048), "f8", stored_chunks=(64, 64))
    node = NODES[name](x).node
    (form,) = node.operator.forms(node.input_types)
    for size in form.sizes:
        nodes = form.make(node, size).inputs[0]
        program = group_of(nodes, {nodes.inputs[0]}).program
        grid = tuple(Cuts.regular(n, 1 if n < 40 else n) for n in nodes.type.shape)
        largest, *others = typical_blocks(program, grid)
        every = list(map(cells_of(program), boxes_of(grid)))
        assert cells_of(program)(largest.box) == max(every)
        counted = sum(one.share * cells_of(program)(one.box) for one in (largest, *others))
        assert sum(one.share for one in (largest, *others)) == pytest.approx(1)
        assert counted == pytest.approx(sum(every) / len(every), rel=0.15)


def cells_of(program):
    """What counts the cells that a block of a program needs."""
    return lambda box: sum(b.size for value in program.schedule(box).boxes for b in value)


def boxes_of(grid):
    """All blocks of a grid."""
    spans = product(*(map(cuts.block, range(cuts.count)) for cuts in grid))
    return [ZRange([lo for lo, _ in box], [hi for _, hi in box]) for box in spans]


def test_a_last_part_that_has_less_of_all_its_inputs_joins_nothing():
    product = stored((1000, 1000)) @ dt.cumsum(stored((1000, 20)), axis=0)
    (form,) = product.node.operator.forms(product.node.input_types)
    parts = form.make(product.node, 300).inputs[0]  # three of 300 cells, and one of 100
    program = group_of(parts, set()).program
    rules = program.instructions[-1].operator.regularity(program.instructions[-1].types)
    assert any(rule.breaks for rule in rules)
    assert not joining_dims(program)


def test_kinds_are_looked_for_once_for_grids_that_differ_elsewhere():
    program = program_of(dt.concatenate([stored(), dt.ones((600, 1000))]))
    typical_blocks_module._kinds.cache_clear()
    for side in (100, 200, 500):
        typical_blocks(program, (Cuts.regular(1800, 100), Cuts.regular(1000, side)))
    assert typical_blocks_module._kinds.cache_info().misses == 1


SEASONS = {  # days that are chosen, of which some blocks have none
    "winters": np.arange(14_400) % 365 < 90,
    "one week in ten": np.arange(14_400) % 70 < 7,
    "any days": np.random.default_rng(0).random(14_400) < 0.01,
    "every year more": np.arange(14_400) % 365 < np.arange(14_400) // 365 * 5,
}


def days():
    return dt.placeholder((14_400, 721, 1440), "f4", stored_chunks=(24, 721, 1440))


@pytest.mark.parametrize("season", SEASONS.values(), ids=list(SEASONS))
@pytest.mark.parametrize("fold", [lambda x: x.std(axis=0), lambda x: (x - 273).sum(axis=0)])
def test_blocks_that_seek_chosen_lines_read_as_many_bytes_as_are_counted(season, fold):
    written = Graph([fold(days()[season]).node])
    (node,) = simplified(written, Trace()).roots
    assert node.operator.tree.selected is not None
    (form,) = node.operator.forms(node.input_types)
    for size in form.sizes[1::3]:
        program = group_of(form.make(node, size).inputs[0], set()).program
        assert seeking_dims(program) == (0,)
        source = program.instructions[0].operator
        cuts = tuple([Cuts.regular(n, n if d else 1) for d, n in enumerate(program.type.shape)])
        boxes = [program.type.box.replace(0, *cuts[0].block(n)) for n in range(cuts[0].count)]
        reads = [program.schedule(box).boxes[0] for box in boxes]
        counted = sum(source.stored_bytes(one) for own in reads for one in own)
        typical = typical_blocks(program, cuts)
        assert len(typical) <= 3
        assert sum(one.share for one in typical) == pytest.approx(1)
        guessed = sum(stored_bytes(program, cuts, one.box) * one.share for one in typical)
        assert counted / 1.7 <= guessed <= 1.7 * counted


def test_where_all_lines_are_read_nothing_is_sought():
    assert seeking_dims(program_of(dt.sqrt(stored()))) == ()
    assert seeking_dims(program_of(stored().sum(axis=0))) == ()
    assert seeking_dims(program_of(dt.concatenate([stored(), dt.ones((600, 1000))]))) == ()


def test_a_second_pass_over_chosen_lines_reads_them_again():
    """Were the lines of blocks that have none all that a pass takes, all days would be held."""
    x = days()
    winters = x[SEASONS["winters"]]
    anomalies = winters - winters.mean(axis=0)
    plan = dt.plan(anomalies.std(axis=0), resources=dt.Resources(50, 4, "16 GiB"))
    plan.verify()
    assert plan.cost["bytes_read"] < 0.7 * x.nbytes


def test_of_long_programs_a_few_blocks_tell_of_those_between():
    looked = []

    def kinds(edges, is_long):
        looked.clear()

        def kind_of(number):
            looked.append(number)
            return (number in edges,)

        numbers = [(n, 5 - n) for n in range(6)]
        return [kind for _, (kind,) in _kinds_of(numbers, kind_of, is_long)]

    assert kinds({(0, 5)}, True) == kinds({(0, 5)}, False) == [True, *[False] * 5]
    assert len(looked) == 6
    kinds({(0, 5)}, True)
    assert len(looked) == 4
    for edge in ((1, 4), (3, 2), (5, 0)):
        assert kinds({(0, 5), edge}, True) == kinds({(0, 5), edge}, False)


def test_stores_that_are_cut_otherwise_are_of_another_kind():
    """Blocks of few rows read whole chunks of many rows again and again: not the first ones do."""
    shape, chunks = (400, 80, 50), ((4, 80, 50), (400, 4, 5))
    parts = [dt.placeholder(shape, "f4", stored_chunks=own) for own in chunks]
    program = group_of(dt.concatenate(parts).node, set()).program
    cuts = tuple(Cuts.regular(n, side) for n, side in zip((800, 80, 50), (20, 80, 50), strict=True))
    kinds = typical_blocks(program, cuts)
    assert sorted(one.share for one in kinds) == [0.5, 0.5]
    assert {one.box.lo[0] // 400 for one in kinds} == {0, 1}
    once = dt.concatenate(parts[:1] * 2)
    assert len(typical_blocks(group_of(once.node, set()).program, cuts)) == 1
