"""Shared reads: of plans that take about as long, the one in which stored values are not held.

What one thread would read by itself the threads of this process read together if it is held. In a
form of its operator they share the reads, too, and hold partial results alone; but one block that
holds nothing looked as good as that form when forms were chosen. So where stored values are held,
forms are chosen again, beside the threads that may read.
"""

from __future__ import annotations

from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.form_choice import choose_forms
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator, steps_of
from dask_tapestry.planner.tuning import ALIKE_SECONDS, SHARED_READS_SHARE, WORTH_ROOM_BYTES
from dask_tapestry.teg import Source


def with_shared_reads(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or one about as fast in other forms that holds much less of what is stored.

    It is busy for no longer, reads and moves no more, and fits as this one does.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    if state.shortfall or not space.resources.local or _stored_bytes(state) < WORTH_ROOM_BYTES:
        return state
    _, forms = choose_forms(space.graph, space.pricing, costs, beside=True)
    if not forms or forms == state.choices.forms:
        return state
    first = space.state_within(Choices(forms=forms), state.as_good)
    if first is None:
        return state
    other = improve(space, first, costs)
    fits = other.rank.exceeded <= state.rank.exceeded and space.fits_at_worst(other)
    is_better = fits and _takes_no_more(space, state, other) and _holds_less(space, state, other)
    return other if is_better else state


def _stored_bytes(state: State) -> int:
    """Bytes of stored values that are held between steps."""
    return sum(
        node.type.nbytes
        for node in state.placed
        if isinstance(node.operator, Source) and state.readers[node]
    )


def _takes_no_more(space: PlanEvaluator, state: State, other: State) -> bool:
    """Whether another plan takes hardly longer, is busy for no longer, and carries no more.

    Of all blocks, as counted: nodes are of unequal sizes, and the largest stands for all elsewhere.
    """
    pairs = (
        (state.rank.seconds, other.rank.seconds),
        (state.rank.busy, other.rank.busy),
        (_carried(space, state), _carried(space, other)),
    )
    return all(now <= ALIKE_SECONDS * before for before, now in pairs)


def _carried(space: PlanEvaluator, state: State) -> float:
    steps = steps_of(state, space.pricing.machine, with_data=False)
    return sum([step.cost.carried for step in steps.values()])


def _holds_less(space: PlanEvaluator, state: State, other: State) -> bool:
    now, before = (space.peak_at_worst(one) for one in (other, state))
    return now <= SHARED_READS_SHARE * before
