from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.access import bounds
from dask_tapestry.planner.access.access import Access
from dask_tapestry.planner.access.bounds import read_outside
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import Cuts, block_box
from tests.planner.small_steps import random_step

MOST_BLOCKS = 200


def outside(program, cuts):
    """All blocks that read outside, with what they read, looked at one by one."""
    found = set()
    for index in product(*[range(c.count) for c in cuts]):
        block = block_box(cuts, index)
        for type_, boxes in zip(program.types, program.schedule(block).boxes, strict=True):
            found |= {(block, box, type_) for box in boxes if not type_.box.contains(box)}
    return found


def shortened(program, random):
    """A program that takes an input to have fewer cells than it reads."""
    inputs = list(program.inputs)
    number = random.randrange(len(inputs))
    shape = list(inputs[number].shape)
    axis = random.randrange(len(shape))
    shape[axis] -= random.randint(1, max(1, shape[axis] // 2))
    inputs[number] = TensorType(tuple(shape), inputs[number].dtype)
    return Program(tuple(inputs), program.instructions)


def test_what_any_block_reads_outside_is_found():
    wrong = 0
    for seed in range(200):
        random = Random(seed)
        program, cuts = random_step(random)
        if prod(c.count for c in cuts) > MOST_BLOCKS or not program.inputs:
            continue
        assert read_outside(Access(program, cuts)) is None
        short = shortened(program, random)
        found, blocks = read_outside(Access(short, cuts)), outside(short, cuts)
        assert (found is None) == (not blocks), seed
        assert found is None or found in blocks
        wrong += found is not None
    assert wrong > 50


def test_the_last_of_many_blocks_is_found():
    x = dt.placeholder((10**9,), "f8")
    program = group_of((x[1:] - x[:-1]).node, set()).program
    cuts = (Cuts.regular(10**9 - 1, 100),)
    assert read_outside(Access(program, cuts)) is None
    instructions = list(program.instructions)
    short = instructions[0]._replace(type=TensorType((10**9 - 1,), np.dtype("f8")))
    found = read_outside(Access(Program((), (short, *instructions[1:])), cuts))
    assert str(found.block) == "[999999900:999999999]"
    assert "1000000000" in str(found.box)


@pytest.mark.parametrize("cells", [1000, 999])
def test_of_blocks_that_are_all_unlike_the_whole_is_looked_at(monkeypatch, cells):
    monkeypatch.setattr(bounds, "MOST_CLASSES", 3)
    x = dt.placeholder((1000,), "f8")
    program = group_of(dt.cumsum(x).node, {x.node}).program
    short = Program((TensorType((cells,), np.dtype("f8")),), program.instructions)
    found = read_outside(Access(short, (Cuts.regular(1000, 100),)))
    assert (found is None) == (cells == 1000)
