"""Rank: the order of grids, forms and whole plans; the least is best."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from dask_tapestry.plan.cost.cost import StepCost
from dask_tapestry.plan.machine.limits import Limits


class Rank(NamedTuple):
    """What memory, the scheduler and the user allow comes first, then what takes least time.

    Attributes
    ----------
    excess
        Bytes by which tasks exceed what they may take.
    beyond
        By how much the user's own resources are exceeded.
    many
        Blocks or edges above what a scheduler should have.
    large
        Bytes of blocks above what the user wants them to touch.
    seconds
        Of all steps, one after the other.
    """

    excess: int
    beyond: float
    many: int
    large: int
    seconds: float

    @property
    def is_allowed(self) -> bool:
        """Whether nothing is exceeded."""
        return not any(self[:-1])

    def plus(self, other: Rank) -> Rank:
        """The rank of both together, in which the number of blocks does not count."""
        return Rank(
            self.excess + other.excess,
            self.beyond + other.beyond,
            0,
            self.large + other.large,
            self.seconds + other.seconds,
        )

    def with_seconds(self, times: float) -> Rank:
        """The rank of what takes so many times the seconds."""
        return self._replace(seconds=times * self.seconds)


NOTHING: Final = Rank(0, 0.0, 0, 0, 0.0)


def rank(cost: StepCost, limits: Limits) -> Rank:
    """The rank of a step."""
    many = max(cost.blocks - limits.blocks, cost.edges - limits.edges, 0)
    few = limits.block is not None and cost.blocks < limits.blocks and cost.edges < limits.edges
    large = max(0, cost.touched - (limits.block or 0)) if few else 0
    return Rank(max(0, cost.work - limits.task), cost.beyond, many, large, cost.seconds)


def total(steps: Iterable[tuple[StepCost, Limits]]) -> Rank:
    """The rank of several steps together, each under the limits of its place.

    How many blocks these have does not count beside what that costs: in another form, or with
    other values held, far more of them may be far better.
    """
    found = NOTHING
    for cost, limits in steps:
        found = found.plus(rank(cost, limits))
    return found
