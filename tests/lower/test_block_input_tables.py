import pickle

import numpy as np
import pytest
from dask.core import flatten

import dask_tapestry as dt
from dask_tapestry.lower import step_spec
from dask_tapestry.lower.block_input_tables import MovingBlocks, MovingCells
from dask_tapestry.lower.block_inputs import HeldBlocks, HeldCells
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.layers import StepLayer
from dask_tapestry.lower.materialize import materialize
from dask_tapestry.planner.access.access import MovingBox
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import Cuts, ZRange

MANY = dt.Resources(workers=4, threads=2, memory="1 TiB")


def held(shape, side, value=1.0):
    return (dt.ones(shape) * value).rechunk(side)


def shifted_sum(x):
    return x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]


EXPRESSIONS = {
    "aligned": lambda: held((90, 90), 10) + held((90, 90), 10, 2),
    "misaligned": lambda: (held((90, 90), 10) + held((90, 90), 7, 2)).rechunk((8, 11)),
    "transposed": lambda: (held((90, 90), 10) + held((90, 90), 10).T * 2).rechunk(10),
    "symmetric": lambda: (held((90, 40), 10) @ held((90, 40), 10).T).rechunk(10),
    "broadcast": lambda: (held((90, 90), 10) + held((90,), 10)).rechunk(10),
    "product": lambda: (held((90, 40), 10) @ held((40, 70), 10)).rechunk(10),
    "stencil": lambda: shifted_sum(held((90, 90), 10)).rechunk(10),
    "reduction": lambda: held((90, 90, 9), 9).sum(axis=2).rechunk(10),
    "rows to columns": lambda: held((64, 64), (1, -1)).rechunk((-1, 1)),
    "reshaped": lambda: held((60, 60), 7).reshape(3600).rechunk(50),
    "reversed": lambda: held((90, 90), 10)[::-1, ::2].rechunk(9),
    "joined": lambda: dt.concatenate([held((50, 40), 7), held((45, 40), 7)]).rechunk(5),
    "diagonal": lambda: dt.diagonal(held((900, 900), 90)).rechunk(10),
    "irregular": lambda: held((90, 90), ((5, 30, 1, 54), 10)).rechunk((4, 90)),
    "in slices": lambda: held((3000, 3000), 500).T[1:, 7:].rechunk(450),
    "in memory": lambda: (dt.asarray(np.ones((90, 90))) + 1).rechunk(10),
}


def written(x):
    lowered = Lowering(dt.plan(x, resources=MANY).core, None).lower(final=False)
    tasks = materialize(lowered.graph, flatten(lowered.keys))
    return {key: (task.func, task.args, task.dependencies) for key, task in tasks.items()}


@pytest.mark.few(8)  # as unlike as so many can be
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_tasks_are_those_of_a_look_at_each_block(name, monkeypatch):
    x = EXPRESSIONS[name]()
    by_classes = written(x)
    monkeypatch.setattr(step_spec, "FEW_BLOCKS", 10**9)
    one_by_one = written(x)
    assert by_classes.keys() == one_by_one.keys()
    for key, (function, arguments, needed) in by_classes.items():
        assert (function, needed) == (one_by_one[key][0], one_by_one[key][2])
        other = one_by_one[key][1]
        assert len(arguments) == len(other)
        for given, expected in zip(arguments, other, strict=True):
            np.testing.assert_equal(given, expected)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("name", ["aligned", "product", "stencil", "in slices"])
def test_schedules_are_computed_for_classes_of_blocks_alone(name, monkeypatch):
    x = {
        "aligned": lambda: held((1000, 1000), 10) + held((1000, 1000), 10, 2),
        "product": lambda: (held((1000, 40), 10) @ held((40, 1000), 10)).rechunk(10),
        "stencil": lambda: shifted_sum(held((1000, 1000), 10)).rechunk(10),
        "in slices": lambda: held((8000, 8000), 500).T[1:, 7:].rechunk(80),
    }[name]()
    lowered = Lowering(dt.plan(x, resources=MANY).core, None).lower(final=False)
    payload = pickle.dumps(lowered.graph)
    step_spec._loaded.clear()
    graph = pickle.loads(payload)
    computed = []
    schedule = Program._schedule

    def counted(program, box, rounded):
        computed.append(box)
        return schedule(program, box, rounded)

    monkeypatch.setattr(Program, "_schedule", counted)
    tasks = materialize(graph, flatten(lowered.keys))
    assert len(tasks) >= 10_000
    assert len(computed) <= 300, "each block's schedule was computed"


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("side", [10_000, 100, 10])
def test_a_graph_is_small_however_many_blocks(side):
    x, y = (held((10_000, 10_000), side, value) for value in (1, 2))
    total = (x + y.T).rechunk(side).sum(axis=0)
    with dt.config(max_tasks=10**7):
        lowered = Lowering(dt.plan(total, resources=MANY).core, None).lower(final=False)
    assert len(pickle.dumps(lowered.graph)) < 10_000


def test_few_blocks_are_looked_at_one_by_one():
    lowered = Lowering(dt.plan(held((20, 20), 10) + 1, resources=MANY).core, None).lower(False)
    specs = [x.spec for x in lowered.graph.layers.values() if isinstance(x, StepLayer)]
    assert specs
    assert all(spec.access is None for spec in specs)


def test_a_box_that_stays_is_found_once_for_all_blocks():
    blocks = HeldBlocks("x", (Cuts.regular(100, 10),) * 2, 8, None)
    row = MovingBlocks(blocks, MovingBox(ZRange((0, 0), (10, 100)), ((10, 0), (0, 0))))
    assert row.of((3, 0)) is row.of((3, 7))
    assert [ref.key for ref in row.of((3, 7))[0]] == [("x", 3, n) for n in range(10)]
    still = MovingBlocks(blocks, MovingBox(ZRange((0, 0), (10, 10)), ((0, 0),)))
    assert still.of((0,)) is still.of((5,))


def test_several_ways_may_move_one_axis():
    blocks = HeldBlocks("x", (Cuts.regular(100, 10),), 8, None)
    flat = MovingBlocks(blocks, MovingBox(ZRange((5,), (15,)), ((30,), (10,))))
    assert [ref.key for ref in flat.of((2, 1))[0]] == [("x", 7), ("x", 8)]


def test_a_box_without_cells_refers_to_the_first_block():
    blocks = HeldBlocks("x", (Cuts.regular(100, 10),), 8, None)
    none = MovingBlocks(blocks, MovingBox(ZRange((0,), (0,)), ((0,),)))
    assert [ref.key for ref in none.of((4,))[0]] == [("x", 0)]


def test_cells_in_memory_move_too():
    cells = MovingCells(HeldCells(np.arange(20)), MovingBox(ZRange((0,), (5,)), ((5,),)))
    (found,), needed = cells.of((2,))
    np.testing.assert_array_equal(found, np.arange(10, 15))
    assert not needed
