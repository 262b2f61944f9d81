"""What operators read for a part of their output lies within what they read for more of it."""

from contextlib import suppress
from random import Random

import pytest

import dask_tapestry as dt
from dask_tapestry.zspace import ZRange
from tests.comparisons import COMPARISONS

SHARE = 16  # one of so many operations is tried; `make exhaustive` tries all
INPUTS = 6  # of each operation
every = [pytest.param(None, marks=pytest.mark.exhaustive), SHARE]


def nested(shape, random):
    """A box of a tensor, and one within it; often all of a dimension."""
    outer = [(0, n) if random.random() < 0.4 else ends(0, n, random) for n in shape]
    inner = [ends(*bounds, random) for bounds in outer]
    return box_of(inner), box_of(outer)


def box_of(bounds):
    return ZRange(tuple(lo for lo, _ in bounds), tuple(hi for _, hi in bounds))


def ends(lo, hi, random):
    return tuple(sorted((random.randint(lo, hi), random.randint(lo, hi))))


def nodes_of(comparison, shardings):
    """Those of the operation's plans, by tiny blocks and as they are."""
    made = []
    for inputs in list(comparison.inputs())[:INPUTS]:
        result = comparison.ours(dt, *map(dt.asarray, inputs))
        made += result if isinstance(result, tuple) else [result]
    with shardings.tiny(8):
        plans = [dt.plan(*made)]
    with suppress(dt.MemoryLimitError):  # of cells that are not counted yet there may be too many
        plans.append(dt.plan(*made))
    return {node for plan in plans for node in plan.core.graph}


def misfits(node, inner, outer):
    """How the demands for two boxes contradict one another."""
    operator, types = node.operator, node.input_types
    less, more = operator.demand(types, inner), operator.demand(types, outer)
    for number, (part, whole, x) in enumerate(zip(less, more, types, strict=True)):
        if not (part.is_empty or whole.contains(part)):
            yield f"{part} of input {number} for a part, {whole} for the whole"
        if not (x.box.contains(whole) or getattr(operator, "clips", False)):
            yield f"{whole} of input {number} {x}"
    if tuple(operator.demanding(types)(outer)) != tuple(more):
        yield f"another demand when asked again, not {more}"
    for number, box in operator.pieces(types, outer):
        if not more[number].contains(box):
            yield f"piece {box} of input {number} outside {more[number]}"


@pytest.mark.parametrize("share", every)
def test_demands_of_parts_lie_within_those_of_the_whole(share, shardings):
    random = Random(0)
    found = []
    for comparison in COMPARISONS[::share]:
        for node in sorted(nodes_of(comparison, shardings), key=lambda node: node.digest):
            for _ in range(3):
                inner, outer = nested(node.type.shape, random)
                if not inner.is_empty:
                    told = misfits(node, inner, outer)
                    found += [f"{comparison.name}: {node}, {outer}: {how}" for how in told]
    assert not found, "\n".join(found)
