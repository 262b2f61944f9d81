import sys
from itertools import product
from operator import ge
from random import Random

import dask_tapestry as dt
from dask_tapestry.planner.access.access import Access
from dask_tapestry.planner.cost.footprint import needs_of
from dask_tapestry.planner.cost.worst_needs import usual_needs, worst_needs
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.tuning import MOST_NEEDS_CLASSES
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts, block_box, largest_box
from tests.planner.graphs import FOUR, stored
from tests.planner.small_steps import random_cuts, random_step


def fused(x):
    return group_of(x.node, set()).program


def test_no_class_of_blocks_takes_more():
    """Blocks of a class may lie otherwise on blocks of inputs and stored chunks: here are none."""
    looked = 0
    for seed in range(200):
        program, cuts = random_step(Random(seed))
        held = (None,) * len(program.inputs)
        stored = any(isinstance(i.operator, Source) for i in program.instructions)
        if stored or len(Access.of(program, cuts).leaves) > MOST_NEEDS_CLASSES:
            continue
        worst = worst_needs(program, cuts, held, True)
        for index in product(*[range(c.count) for c in cuts]):
            needs = needs_of(program, block_box(cuts, index), held, True)
            assert all(map(ge, worst, needs)), seed
        looked += 1
    assert looked > 80


def test_the_block_in_the_middle_is_not_the_worst():
    x = dt.placeholder((900,), "f8")
    program = group_of((x + x[::-1]).node, {x.node}).program
    cuts = (Cuts.regular(900, 300),)
    usual, worst = (of(program, cuts, (None,), True) for of in (usual_needs, worst_needs))
    assert (usual.read, worst.read) == (300 * 8, 600 * 8)


def test_programs_that_treat_all_cells_alike_have_one_kind_of_block():
    program = fused(stored()[1:] + 1)
    cuts = (Cuts.regular(99_999, 1000), Cuts.regular(1000, 1000))
    assert worst_needs(program, cuts, (), False) == usual_needs(program, cuts, (), False)


def test_a_plan_knows_the_block_that_lies_across_a_joint():
    data = stored((20_000, 1000)) + 1
    plan = dt.plan(dt.pad(data, ((100_000, 0), (0, 0))), resources=FOUR).core
    *_, step = plan.steps.values()
    middle = needs_of(step.program, largest_box(step.cuts), step.held, False)
    assert step.needs.work > 1.3 * middle.work


def test_a_plan_that_would_not_fit_at_its_worst_block_is_cut_finer():
    """The expensive part is a twentieth of the rows, far from the block that is usual."""
    machines = dt.Resources(workers=4, threads=2, memory="400 MB")
    data = dt.sqrt(stored((20_000, 1000)) + stored((20_000, 1000)).sum(axis=1, keepdims=True))
    y = dt.pad(data, ((400_000, 0), (0, 0))).sum(axis=1)
    dt.plan(y, resources=machines).verify()


def test_few_blocks_read_parts_of_more_blocks_than_were_looked_at():
    beyond = []
    for seed in range(150):
        random = Random(seed)
        program, cuts = random_step(random)
        held = tuple(tuple(random_cuts(random, n) for n in x.shape) for x in program.inputs)
        indices = product(*[range(c.count) for c in cuts])
        works = [needs_of(program, block_box(cuts, i), held, False).work for i in indices]
        beyond.append(max(works) / max(1, worst_needs(program, cuts, held, False).work))
    assert sum(ratio > 1 for ratio in beyond) <= 0.02 * len(beyond)
    assert max(beyond) < 2


def test_a_block_that_straddles_two_is_found():
    x = dt.placeholder((100, 30), "f8")
    program = group_of((x + 1).node, {x.node}).program
    cuts = (Cuts.regular(100, 5), Cuts.regular(30, 30))
    held = ((Cuts.regular(100, 12), Cuts.regular(30, 30)),)
    usual, worst = (of(program, cuts, held, False) for of in (usual_needs, worst_needs))
    assert (usual.blocks, worst.blocks) == (1, 2)
    assert worst.work > usual.work


def test_a_step_that_several_plans_have_is_looked_at_once(monkeypatch):
    x = dt.placeholder((900, 1000), "f8", stored_chunks=(100, 1000))
    program = group_of(dt.concatenate([dt.zeros((9100, 1000)), dt.sqrt(x).T.T]).node, set()).program
    cuts, asked = (Cuts.regular(10_000, 500), Cuts.regular(1000, 1000)), []
    module = sys.modules[worst_needs.__module__]
    needs_of = module.needs_of
    monkeypatch.setattr(module, "needs_of", lambda *args: asked.append(args) or needs_of(*args))
    first = worst_needs(program, cuts, (), local=False)
    spent = len(asked)
    assert spent > 1
    assert worst_needs(program, cuts, [], local=False) == first
    assert len(asked) == spent


def test_the_only_block_of_a_grid_takes_what_its_class_does():
    for seed in range(100):
        program, _ = random_step(Random(seed))
        if 0 in program.type.shape:
            continue
        cuts = tuple([Cuts.regular(extent, extent) for extent in program.type.shape])
        held = (None,) * len(program.inputs)
        (leaf,) = Access.of(program, cuts).leaves
        expected = needs_of(program, block_box(cuts, leaf.index), held, True)
        assert worst_needs(program, cuts, held, True) == expected, (seed, program)
