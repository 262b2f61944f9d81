"""Mutators: named kinds of moves, of which a search tries those more often that have paid.

Source: Tapestry whitepaper, "Graph Mutator Selection Optimization".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.planner.search import moves
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.shared_values import hold_shared, shared_values
from dask_tapestry.planner.search.tuning import PLACE_PRIOR
from dask_tapestry.rewrite.user_rules import mutators_in_force
from dask_tapestry.teg import Node

Step = Callable[[State, PricedGroup], Iterable[Choices]]


class Mutator(NamedTuple):
    """A kind of move.

    Attributes
    ----------
    name
        Under which its successes are counted.
    places
        The nodes of a state that it may have moves for.
    moves
        Choices to try instead of a state's, by a change at a node.
    prior
        How often it is tried before it has earned anything, relative to the others.
    """

    name: str
    places: Callable[[State], Sequence[Node]]
    moves: Callable[[State, Node, np.random.Generator], Iterable[Choices]]
    prior: float


def mutators_of(space: PlanEvaluator) -> tuple[Mutator, ...]:
    """The mutators of a graph: built-in ones, then the user's."""
    steps: Mapping[str, Step] = {
        "hold": moves.hold,
        "pull": moves.pull,
        "push": moves.push,
        "split": moves.split,
        "recut": moves.recut,
    }
    prior_of = priors()
    mutators = [
        Mutator(name, _held_nodes, _of_step(move), prior_of[name]) for name, move in steps.items()
    ]
    mutators.append(Mutator("fuse", moves.optional, _fuse, prior_of["fuse"]))
    mutators.append(
        Mutator(
            "share",
            shared_values,
            lambda s, n, _: [hold_shared(s, n)],
            prior_of["share"],
        )
    )
    mutators.append(Mutator("free", _gridded, lambda s, n, _: moves.freed(s, n), prior_of["free"]))
    mutators.append(Mutator("reform", _all(space), _reform(space), prior_of["reform"]))
    if space.pricing.machine.places:
        mutators.append(Mutator("place", _held_nodes, _of_step(moves.move_to_group), PLACE_PRIOR))
    mutators += [Mutator(own.__name__, _nodes, own, own.prior) for own in mutators_in_force()]
    return tuple(mutators)


@cache
def priors() -> Mapping[str, float]:
    """How often built-in mutators are tried at first: what they earned in benchmarks.

    `benchmarks/planner/priors.py` writes them.
    """
    text = (files("dask_tapestry.planner.search") / "priors.json").read_text("utf-8")
    return {name: float(value) for name, value in json.loads(text)["priors"].items()}


def _held_nodes(state: State) -> Sequence[Node]:
    return tuple(state.placed)


def _gridded(state: State) -> Sequence[Node]:
    return tuple(state.choices.grids)


def _nodes(state: State) -> Sequence[Node]:
    return state.graph.nodes


def _all(space: PlanEvaluator) -> Callable[[State], Sequence[Node]]:
    nodes = [n for n in space.graph.nodes if n.operator.forms(n.input_types)]
    return lambda _: nodes


def _of_step(move: Step) -> Callable[[State, Node, Any], Iterable[Choices]]:
    return lambda state, node, _: move(state, state.placed[node])


def _fuse(state: State, node: Node, _: np.random.Generator) -> Iterable[Choices]:
    """The value alone, or with all of the same program."""
    program = state.placed[node].group.program
    alike = [n for n in moves.optional(state) if state.placed[n].group.program is program]
    return [moves.fuse(state, frozenset(some)) for some in ([node], alike)]


def _reform(space: PlanEvaluator) -> Callable[[State, Node, Any], Iterable[Choices]]:
    return lambda state, node, _: moves.reform(space, state, node)
