"""What the layers of a plan have: tasks, and the blocks and slices that these wait for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import numpy as np

import dask_tapestry as dt
from dask_tapestry.lower.bulk_exchange_layers import ReceiveLayer
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.planner.plan import PlannedGraph
from tests.planner.small_steps import random_roots

SAVES = (8, 64, 400, 4096)
WORKERS = (1, 2, 4, 16)


def layers_of(plan: PlannedGraph) -> Mapping[str, Any]:
    """The layers of a plan, without tasks that join the blocks of results."""
    return Lowering(plan, None).lower(final=False).graph.layers


def references_of(layer: Any, index: tuple[int, ...]) -> int:
    """How many blocks and slices the task of a block waits for."""
    if layer.spec.symmetric and index[-2] > index[-1]:
        return 1
    return sum(not isinstance(held, np.ndarray) for each in layer._reads(index) for held in each[0])


def exchange_layers(layers: Mapping[str, Any], layer: Any) -> Iterator[Any]:
    """The layers that exchange the blocks of an input of a step in bulk."""
    for name in layer.inputs:
        received = layers.get(name) if isinstance(name, str) else None
        if isinstance(received, ReceiveLayer):
            yield from [layers[received.names.sent], layers[received.names.waiting], received]


def random_plan(random: Random) -> PlannedGraph:
    """A plan of a few operations on small arrays, for one worker or several."""
    machines = dt.Resources(workers=random.choice(WORKERS), threads=2, memory="1 GiB")
    return dt.plan(*random_roots(random), resources=machines).core


def misjudged(plan: PlannedGraph) -> Iterator[str]:
    """What of a plan's cost is not as written out."""
    layers = layers_of(plan)
    tasks = sum(map(len, layers.values()))
    if plan.cost["tasks"] != tasks:
        yield f"{plan.cost['tasks']} tasks, not {tasks}"
    for step in plan.steps.values():
        layer, cost = layers[step.name], step.cost
        beside = [layers[name] for name in layer.slice_layers if name]
        exchanging = list(exchange_layers(layers, layer))
        slices = sum(map(len, [*beside, *exchanging]))
        edges = sum(references_of(layer, key[1:]) for key in layer)
        edges += sum(len(own[key].dependencies) for own in exchanging for key in own)
        if (cost.counted, cost.slices, cost.edges) != (True, slices, edges):
            yield f"{cost.slices} slices and {cost.edges} edges, not {slices} and {edges}"
