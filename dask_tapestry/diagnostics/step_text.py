"""One step in words: its operators, its grid, what decided, what came second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from dask.utils import format_bytes

from dask_tapestry.diagnostics.tuning import ALIKE_SECONDS, GROUPED_DIGITS_FROM, OPERATORS_NAMED
from dask_tapestry.planner.cost.cost import StepCost
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts

KINDS: Final = {
    "compute": "compute",
    "network": "network",
    "store": "store",
    "overhead": "tasks",
    "link": "link",
}
UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "us"))


class RunnerUp(NamedTuple):
    """The next best choice for a step.

    Attributes
    ----------
    text
        What it was.
    seconds
        By how much it is slower; not above 0 where something else decided.
    why
        By how much it lost, in words.
    """

    text: str
    seconds: float
    why: str


def counted(number: int, what: str) -> str:
    """``1 block``, ``2 blocks``.

    Examples
    --------
    >>> counted(1, "block"), counted(2000, "task")
    ('1 block', '2,000 tasks')
    """
    return f"{number:,} {what}" + "s" * (number != 1)


def duration(seconds: float) -> str:
    """Seconds in a fitting unit, to two digits: an estimate has no more.

    Examples
    --------
    >>> duration(0.000_412), duration(1.26), duration(7_340), duration(0)
    ('410 us', '1.3 s', '2 h', '0 s')
    """
    for unit, name in UNITS:
        if seconds >= unit:
            amount = float(f"{seconds / unit:.2g}")
            return f"{amount:g} {name}" if amount < GROUPED_DIGITS_FROM else f"{amount:,.0f} {name}"
    return "0 s" if not seconds else f"{seconds / 1e-6:.2g} us"


def operators(step: Step) -> str:
    """Names of a step's operators in order, repeated ones counted."""
    names = groupby(instruction.operator.label for instruction in step.program.instructions)
    parts = []
    for name, group in names:
        count = sum(1 for _ in group)
        parts.append(f"{name} x{count}" if count > 1 else name)
    if len(parts) > OPERATORS_NAMED:
        half = OPERATORS_NAMED // 2
        parts = [*parts[:half], f"{len(parts) - 2 * half:,} more", *parts[-half:]]
    return " > ".join(parts) or step.node.operator.label


def grid_text(cuts: Sequence[Cuts]) -> str:
    """The cuts of each dimension: blocks x cells, or all its cells.

    Examples
    --------
    >>> grid_text([Cuts.regular(10, 4), Cuts.regular(6, 6)]), grid_text([])
    ('[3x4, 6]', '[one cell]')
    """
    return f"[{', '.join(map(str, cuts)) or 'one cell'}]"


def seconds_by_kind(cost: StepCost) -> dict[str, float]:
    """Seconds of each resource: kernels, network, stores, handling of tasks, links to devices."""
    return {name: float(getattr(cost, field)) for field, name in KINDS.items()}


def decided(step: Step) -> str:
    """What the grid was chosen for: the user's word, memory, or the resource that takes longest."""
    if step.is_asked:
        return "as the user asked"
    if step.second is not None and step.second[1].seconds < step.estimate.seconds * (
        1 - ALIKE_SECONDS
    ):
        return "memory" if step.second[1].work > step.estimate.work else "number of tasks"
    return "one block suffices" if step.count == 1 else KINDS[step.estimate.bound]


def runner_up(step: Step) -> RunnerUp | None:
    """The next best grid that was tried, and why it lost; None where nothing else was."""
    if step.second is None:
        return None
    cuts, cost = step.second
    more = cost.seconds - step.estimate.seconds
    if more >= ALIKE_SECONDS * step.estimate.seconds:
        why = f"{duration(more)} slower"
    elif cost.work > step.estimate.work:
        why = f"a block would hold {format_bytes(cost.work)}"
    elif cost.tasks > step.estimate.tasks:
        why = f"{counted(cost.tasks, 'task')} instead of {step.estimate.tasks:,}"
    else:
        why = "no faster"
    return RunnerUp(grid_text(cuts), more, why)


def sources(step: Step, number: Mapping[Node, int]) -> list[int | str]:
    """What a step reads: other steps by number, or values from outside the plan.

    The step of a source that is a result by itself reads that source, which has the step's node.
    """
    return [
        f"{x.operator.label} {x.type}" if x not in number or x is step.node else number[x]
        for x in step.inputs
    ]
