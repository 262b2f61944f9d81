"""Read parts: what a step needs of its sources, where selectors take parts of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from dask_tapestry.planner.cost.typical_blocks import largest_block
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.tuning import FEW_CHOSEN, MOVED_AGAIN
from dask_tapestry.teg import Node, Source


def parts_read(priced: PricedGroup, sources: list[Node]) -> list[Node]:
    """The sources of a step, or the parts of each that selectors take of it; [] without parts.

    Held as a whole, a source of which readers need a fifth is read whole.

    Parameters
    ----------
    priced
        The step.
    sources
        Members of it.
    """
    members = list(dict.fromkeys(priced.group.members))  # a source may be there for each part
    readers = defaultdict[Node, list[Node]](list)
    for member in members:
        for x in set(member.inputs):
            readers[x].append(member)
    parts = dict[Node, list[Node]]()
    for member in reversed(members):
        parts[member] = _parts_of(member, readers.get(member, ()), parts)
    found = list(dict.fromkeys(part for source in sources for part in parts[source]))
    return found if found != sources else []


def _parts_of(
    node: Node, readers: Sequence[Node], parts: Mapping[Node, Sequence[Node]]
) -> list[Node]:
    """The parts of a value that all its readers take, if they are smaller together than it is."""
    if not readers or not all(_takes_a_part(reader, node) for reader in readers):
        return [node]
    found = list(dict.fromkeys(part for reader in readers for part in parts[reader]))
    smaller = sum(part.type.nbytes for part in found) < node.type.nbytes
    return found if smaller else [node]


def _takes_a_part(reader: Node, node: Node) -> bool:
    """Whether an operator selects cells of a node, at places or by a mask that are known."""
    selected, *told = reader.inputs
    is_known = all(isinstance(x.operator, Source) and x.operator.external for x in told)
    return reader.operator.is_selector and selected is node and node not in told and is_known


def few_cells_read_again(priced: PricedGroup) -> list[Node]:
    """Few cells that selectors take of what a step reads, and that several of its blocks read."""
    program, members = priced.group.program, priced.group.members
    if priced.cost.blocks == 1 or not program.type.size:
        return []
    box = largest_block(program, priced.grid)
    blocks = program.type.size / box.size
    boxes = program.schedule(box).boxes[len(program.inputs) :]
    found = [
        member
        for member, read in zip(members, boxes, strict=True)
        if member.operator.is_selector
        and FEW_CHOSEN * member.type.size <= member.inputs[0].type.size
        and blocks * sum([one.size for one in read]) > MOVED_AGAIN * member.type.size
    ]
    return list(dict.fromkeys(found))
