"""The computing order of what a step is made of: few values wait for others at any time.

What takes most memory on its way is computed first: a total, and then what is added to it. So a
file that is added to the sum of others is read after these are, whichever the user wrote first.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from dask_tapestry.planner.tuning import MADE_AT_ONCE
from dask_tapestry.teg import Node


def computing_order(members: Sequence[Node], parts: Container[Node] = ()) -> Sequence[Node]:
    """Members of a step, inputs first, of which the last is its value, in a better order.

    Parameters
    ----------
    parts
        Those that are parts of a source, which is read for each of them.
    """
    if sum([m.operator.copies or m in parts for m in members]) <= MADE_AT_ONCE:
        return members
    waiting = _values_at_once(members, parts)
    order: list[Node] = []
    done: dict[Node, bool] = {}
    stack = [members[-1]]
    while stack:
        top = stack[-1]
        if top in done:
            stack.pop()
            if not done[top]:
                done[top] = True
                order.append(top)
            continue
        done[top] = False
        inputs = [x for x in dict.fromkeys(top.inputs) if x in waiting and x not in done]
        inputs.reverse()  # of those that take as much the first comes first
        stack.extend(sorted(inputs, key=waiting.__getitem__))
    return order


def _values_at_once(members: Sequence[Node], parts: Container[Node]) -> dict[Node, int]:
    """Values that are there at once while each is computed, if what takes most comes first."""
    found: dict[Node, int] = {}
    for member in members:
        each = sorted((found.get(x, 0) for x in dict.fromkeys(member.inputs)), reverse=True)
        most = max((count + others for others, count in enumerate(each) if count), default=0)
        found[member] = max(most, int(member.operator.copies or member in parts))
    return found
