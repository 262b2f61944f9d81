from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices.panel_cholesky import cholesky_by_panels
from dask_tapestry.operators.matrices.panel_lu import solve_by_panels
from dask_tapestry.operators.matrices.panel_qr import columns_by_panels, triangle_by_panels
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.memory.buffer_handover import (
    _blocks_read,
    _handed_over_blocks,
    blocks_read,
    relays,
)
from dask_tapestry.planner.memory.lifetimes import Lifetimes
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import stored
from tests.planner.memory.test_lifetimes import tasks_of

SIDE, WIDTH = 256, 32
SMALL = dt.Resources(16, 1, "2.1 MiB", "1 GB/s")


def planned(function, *shapes):
    tensors = [stored(shape, "f8", (32, 32)).node for shape in shapes]
    return build_plan([function(*tensors, WIDTH)], SMALL)


SQUARE = (SIDE, SIDE)
MADE = {
    "solve": (solve_by_panels, SQUARE, (SIDE, 8)),
    "triangle": (triangle_by_panels, SQUARE),
    "columns": (columns_by_panels, SQUARE),
    "cholesky": (cholesky_by_panels, SQUARE),
}


@pytest.fixture(scope="module", params=MADE)
def plan(request):
    return planned(*MADE[request.param])


def relayed(plan):
    roots = set(plan.graph.roots)
    return relays(plan.steps, roots, Lifetimes(plan.steps, roots).ends_before)


def block_bytes(plan, task):
    node, index = task
    return node.type.dtype.itemsize * plan.steps[node].box(index).size


def test_a_matrix_that_is_changed_in_panels_is_a_relay():
    plan = planned(*MADE["solve"])
    found = relayed(plan)
    assert len(found) >= SIDE // WIDTH - 2, "the plan may compute two of them where they are read"
    for node, x in found.items():
        assert node.operator.label in ("lustrip", "lesssolved")
        assert node.type.nbytes <= x.type.nbytes


@pytest.mark.few(2)  # as unlike as so many can be
def test_no_order_holds_more_of_a_relay_than_its_largest_value(plan):
    """A block is held from the beginning of its task to the end of the last that reads it."""
    first = {}
    for node, x in relayed(plan).items():
        first[node] = first.setdefault(x, x)
    for held, running in moments(plan):
        chains = {}
        for task in held:
            if task[0] in first:
                chains.setdefault(first[task[0]], []).append(task)
        for tasks in chains.values():
            bytes_held = sum(block_bytes(plan, task) for task in tasks if task != running)
            assert bytes_held <= max(node.type.nbytes for node, _ in tasks)


def test_no_order_holds_more_than_is_said(plan):
    sizes = {node: float(node.type.nbytes) for node in plan.steps}
    largest = [step.block_bytes for step in plan.steps.values()]

    def running(may_run):
        return np.where(may_run, largest, 0.0).max(axis=1)

    lifetimes = Lifetimes(plan.steps, set(plan.graph.roots))
    said = lifetimes.most_together(sizes, running, sizes)
    assert said <= lifetimes.most_together(sizes, running)
    most = max(sum(block_bytes(plan, task) for task in held) for held, _ in moments(plan))
    assert most <= said


def moments(plan, seeds=5):
    """What is held while tasks run one by one, any that is ready next, and which one runs."""
    tasks, roots = tasks_of(plan), set(plan.graph.roots)
    readers = {task: set() for task in tasks}
    for task, read in tasks.items():
        for other in read:
            readers[other].add(task)
    for seed in range(seeds):
        random, held, left = Random(seed), set(), {t: len(by) for t, by in readers.items()}
        missing = {task: len(read) for task, read in tasks.items()}
        ready = [task for task, count in missing.items() if not count]
        while ready:
            task = ready.pop(random.randrange(len(ready)))
            held.add(task)
            yield held, task
            for reader in readers[task]:
                missing[reader] -= 1
                if not missing[reader]:
                    ready.append(reader)
            for other in tasks[task]:
                left[other] -= 1
            held -= {t for t in (task, *tasks[task]) if not left[t] and t[0] not in roots}


def lonely():
    """A value of which two readers take blocks, neither of which waits for the other."""
    x = stored((400, 400), "f8", (100, 100)).map_blocks(abs, dtype="f8")
    return [x.map_blocks(abs, dtype="f8"), x.map_blocks(lambda b: b + 1, dtype="f8")]


def test_a_value_that_another_reads_too_is_no_relay():
    plan = build_plan([x.node for x in lonely()], dt.Resources(4, 1, "1.1 MiB", "1 GB/s"))
    assert not relayed(plan)


def test_blocks_that_are_read():
    plan = build_plan([lonely()[0].rechunk((200, 100)).node], dt.Resources(4, 1, "1 GiB", "1 GB/s"))
    pairs = [(s, plan.steps[x]) for s in plan.steps.values() for x in s.inputs if x in plan.steps]
    for step, x in pairs:
        found = blocks_read(step, x)
        tasks = tasks_of(plan)
        assert found.keys() == {index for node, index in tasks if node is step.node}
        for index, read in found.items():
            assert {(x.node, block) for block in read} <= tasks[step.node, index]


@pytest.mark.parametrize("turned", [False, True])
def test_blocks_that_read_their_own_cells_are_known_without_looking_at_each(turned):
    x = stored((640, 640), "f8", (20, 20))
    y = dt.sqrt(x.T if turned else x) + 1
    program = group_of(y.node, {x.node}).program
    cuts = (Cuts.regular(640, 20),) * 2
    taken = _handed_over_blocks(program, cuts, 0, cuts, 8)
    assert taken == _blocks_read(program, cuts, 0, cuts)
    assert len(taken) == 32 * 32
    assert (taken[3, 5] == {(3, 5)}) is not turned


def test_a_block_that_several_read_is_not_handed_over():
    x = stored((640, 640), "f8", (20, 20))
    program = group_of((x + x.T).node, {x.node}).program
    cuts = (Cuts.regular(640, 20),) * 2
    assert _handed_over_blocks(program, cuts, 0, cuts, 8) is None
