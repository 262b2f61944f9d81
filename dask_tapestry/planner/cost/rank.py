"""Rank: the order of grids, forms and whole plans; the least is best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeVar

from dask_tapestry.planner.cost.cost import StepCost
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.tuning import ALIKE_SECONDS

T = TypeVar("T")


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
    busy
        Seconds that all resources are busy, one after the other, though they overlap.
    """

    excess: int
    beyond: float
    many: int
    large: int
    seconds: float
    busy: float = 0.0

    @property
    def exceeded(self) -> tuple[float, ...]:
        """The sum of the amounts by which limits are exceeded."""
        return self[:4]

    @property
    def is_allowed(self) -> bool:
        """Whether nothing is exceeded."""
        return not any(self.exceeded)

    def plus(self, other: Rank) -> Rank:
        """The rank of both together, in which the number of blocks does not count."""
        return Rank(
            self.excess + other.excess,
            self.beyond + other.beyond,
            0,
            self.large + other.large,
            self.seconds + other.seconds,
            self.busy + other.busy,
        )

    def is_beyond(self, most: Rank, step: Rank) -> bool:
        """Whether a step is too much beside those of this rank: the rank of all is beyond `most`.

        Then it is with any further steps, too, as none takes less than nothing.
        """
        return self.plus(step) > most

    def with_seconds(self, times: float) -> Rank:
        """The rank of what takes so many times the seconds."""
        return self._replace(seconds=times * self.seconds, busy=times * self.busy)


NOTHING: Final = Rank(0, 0.0, 0, 0, 0.0)


def preferred(
    found: Iterable[T], ranked: Callable[[T], Rank], fits: Callable[[T], bool] = lambda _: True
) -> T:
    """The one to take of several grids, forms or plans that were found.

    Of all that take about as long as the fastest, that is the one for which workers, network and
    stores are busy for the least time: what one reads again while it computes costs energy, and
    others who share the network their time.

    Parameters
    ----------
    ranked
        Tells the rank of one.
    fits
        Whether one may be taken; asked of no more than it takes. If none may, all are compared.

    Examples
    --------
    >>> fast, frugal = Rank(0, 0.0, 0, 0, 10.0, 15.0), Rank(0, 0.0, 0, 0, 10.2, 11.0)
    >>> preferred([fast, frugal], lambda rank: rank) is frugal
    True
    """
    ranks = sorted([(ranked(one), at, one) for at, one in enumerate(found)])
    best, *_ = next((one for one in ranks if fits(one[2])), ranks[0])
    most = best.with_seconds(ALIKE_SECONDS).seconds
    alike = [one for one in ranks if one[0].exceeded == best.exceeded and one[0].seconds <= most]
    alike.sort(key=lambda one: (one[0].busy, *one[:2]))
    return next((one for _, _, one in alike if fits(one)), alike[0][2])


def rank(cost: StepCost, limits: Limits) -> Rank:
    """The rank of a step."""
    many = max(cost.blocks - limits.blocks, cost.edges - limits.edges, 0)
    few = limits.block is not None and cost.blocks < limits.blocks and cost.edges < limits.edges
    large = max(0, cost.touched - (limits.block or 0)) if few else 0
    excess = limits.excess(cost.blocks, cost.edges, cost.work)
    return Rank(excess, cost.beyond, many, large, cost.seconds, cost.busy)


def total(steps: Iterable[tuple[StepCost, Limits]]) -> Rank:
    """The rank of several steps together, each under the limits of its place.

    How many blocks these have does not count beside what that costs: in another form, or with
    other values held, far more of them may be far better.
    """
    found = NOTHING
    for cost, limits in steps:
        found = found.plus(rank(cost, limits))
    return found


def machine_for(cost: StepCost, limits: Limits, machine: Machine) -> Machine:
    """The machine of a step: one of which each worker computes one block if these are so large."""
    is_alone = limits.is_alone(cost.blocks, cost.edges, cost.work)
    return machine.one_by_one if is_alone else machine
