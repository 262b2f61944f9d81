"""Read parts: what a step needs of its sources, where one selector takes a part of each."""

from __future__ import annotations

from collections import Counter

from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.teg import Node


def parts_read(priced: PricedGroup, sources: list[Node]) -> list[Node]:
    """The sources of a step, or the part of each that its only selector takes; [] without parts.

    Held as a whole, a source of which readers need a fifth is read whole.

    Parameters
    ----------
    priced
        The step.
    sources
        Members of it.
    """
    readers = Counter(x for member in priced.group.members for x in set(member.inputs))
    parts = dict(zip(sources, sources, strict=True))
    for member in priced.group.members:
        if len(member.inputs) != 1 or not member.operator.is_selector:
            continue
        (x,) = member.inputs
        origin = next((source for source, part in parts.items() if part is x), None)
        if origin is None or readers[x] > 1:
            continue
        if member.type.nbytes < origin.type.nbytes:
            parts[origin] = member
    found = list(parts.values())
    return found if found != sources else []
