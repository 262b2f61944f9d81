from functools import reduce

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.block_schedule import TileEntry
from dask_tapestry.steps.formula_part import formula_part
from dask_tapestry.steps.streaming import block_schedule_of
from tests.planner.graphs import stored


def smooth(x):
    return x[:-2] + x[2:] * 2 - x[1:-1]


def tiled_names(y):
    step = list(build_plan([y.node]).__dict__["steps"].values())[-1]
    first = len(step.program.inputs)
    part = formula_part(step.program)
    chosen = sorted(part.values) if part else []
    return [step.program.instructions[v - first].operator.name for v in chosen]


def test_what_is_computed_in_tiles():
    x = dt.asarray(np.ones((50, 40)))
    assert tiled_names(smooth(smooth(x))) == [*["view"] * 3, "elementwise"] * 2
    assert tiled_names(smooth(x)) == []  # one formula goes through memory once
    assert tiled_names(smooth(smooth(x)).rechunk((7, 8))) == [*["view"] * 3, "elementwise"] * 2
    assert tiled_names(smooth(smooth(x)).sum()) == []


def test_a_value_without_dimensions_is_computed_before():
    x, y = dt.asarray(np.ones((50, 40))), dt.asarray(np.float64(3.0))
    assert tiled_names(abs(x) * dt.sin(y)) == []


def test_objects_share_no_bytes_and_are_not_tiled():
    x = dt.asarray(np.full((50, 40), 2, object))
    assert tiled_names(smooth(smooth(x))) == []


def weighted(files):
    return sum(x * number for number, x in enumerate(files, start=1))


def smoothed(files):
    return reduce(lambda total, x: smooth(total)[:, :40] + x[: total.shape[0] - 2], files)


def joined_pairs(files):
    while len(files) > 1:
        files = [dt.maximum(a, b) * 0.5 for a, b in zip(files[::2], files[1::2], strict=True)]
    return files[0]


def bytes_held(block):
    """Most bytes of the values that are there at once, of which each is kept until its last use."""
    program = block.program
    made: list[int] = []
    sizes: dict[int, int] = {}
    reads: list[set[int]] = []
    for entry in block.in_tiles or block.entries:
        tiled = entry.part.values if isinstance(entry, TileEntry) else ()
        work = entry.work if tiled else entry
        made.append(work.value)
        cells = work.box.size * program.types[work.value].dtype.itemsize
        sizes[work.value] = 0 if program.instruction(work.value).operator.is_view else cells
        reading = [program.instruction(value).inputs for value in tiled or made[-1:]]
        reads.append({shown_by(program, x) for x in set().union(*reading) - set(tiled)})
    most = 0
    for at in range(len(made)):
        needed = set().union(*reads[at:], made[at : at + 1], made[-1:]) & set(made[: at + 1])
        most = max(most, sum(sizes[value] for value in needed))
    return most


def shown_by(program, value):
    """The value that a view of a view shows."""
    instruction = program.instruction(value)
    return shown_by(program, instruction.inputs[0]) if instruction.operator.is_view else value


@pytest.mark.parametrize("combined", [weighted, smoothed, joined_pairs])
@pytest.mark.parametrize("count", [2, 8, 64, 256])
def test_tiles_of_many_files_take_no_more_than_a_plan_counts(combined, count):
    files = [stored((600, 40), "f8", (600, 40)) for _ in range(count)]
    program = group_of(combined(files).node, set()).program
    block = block_schedule_of(program, program.type.box)
    assert bytes_held(block) <= block.peak.all
