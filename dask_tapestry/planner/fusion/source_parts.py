"""Source parts: a stored array of which a step reads many parts is read part by part.

As the images of a stack that one after the other are added. As one value, all of them would be read
before the first is used; apart, each is read when it is, as files of their own are. Parts that have
a chunk in common are read together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from dask_tapestry.planner.tuning import LEAST_PART_CHUNK, MADE_AT_ONCE
from dask_tapestry.teg import Node, Source
from dask_tapestry.zspace import ZRange

Span = tuple[int, int]


def source_parts(members: Sequence[Node]) -> dict[Node, int]:
    """For each member of a step that is a part of a stored array read in parts, the part's number.

    Members that read chunks in common have one number.
    """
    sources = {member for member in members if isinstance(member.operator, Source)}
    readers: dict[Node, list[Node]] = defaultdict(list)
    for member in members:
        for x in dict.fromkeys(member.inputs):
            if x in sources:
                readers[x].append(member)
    found = dict[Node, int]()
    for source, views in readers.items():
        first = len(found)
        if len(views) > MADE_AT_ONCE and _is_in_large_chunks(source):
            for number, part in enumerate(_parts(source, views), start=first):
                found |= dict.fromkeys(part, number)
    return found


def in_parts(computed: Sequence[Node], parts: Mapping[Node, int]) -> Iterator[tuple[Node, int]]:
    """What a step computes, in order, with each source that is read in parts before each of them.

    It is there with the number of the part; other members with -1.
    """
    apart, begun = {view.inputs[0] for view in parts}, set[int]()
    for member in computed:
        number = parts.get(member, -1)
        if number >= 0 and number not in begun:
            begun.add(number)
            yield member.inputs[0], number
        if member not in apart:
            yield member, -1


def _is_in_large_chunks(source: Node) -> bool:
    """Whether an array is stored in chunks that are worth reading one at a time."""
    operator = source.operator
    cuts = operator.chunk_cuts if isinstance(operator, Source) and not operator.external else None
    if cuts is None or not source.type.size:
        return False
    return prod([one.longest for one in cuts]) * source.type.dtype.itemsize >= LEAST_PART_CHUNK


def _parts(source: Node, views: Sequence[Node]) -> list[list[Node]]:
    """Views of a source in groups that have no chunk in common; none unless they are many."""
    if not all(view.operator.is_view and view.type.size for view in views):
        return []
    spans = [_chunks_read(source, view) for view in views]
    along = [_groups_apart(views, [span[axis] for span in spans]) for axis in range(len(spans[0]))]
    parts = max(along, key=len, default=[])
    return parts if len(parts) > MADE_AT_ONCE else []


def _chunks_read(source: Node, view: Node) -> list[Span]:
    """The numbers of the chunks that a view needs along each axis of a source."""
    operator, shape = source.operator, view.type.shape
    assert isinstance(operator, Source)
    assert operator.chunk_cuts is not None
    (box,) = view.operator.demand(view.input_types, ZRange((0,) * len(shape), shape))
    sides = zip(operator.chunk_cuts, box.lo, box.hi, strict=True)
    return [(cuts.locate(lo), cuts.locate(hi - 1) + 1) for cuts, lo, hi in sides]


def _groups_apart(views: Sequence[Node], spans: Sequence[Span]) -> list[list[Node]]:
    """Views in groups, along an axis on which those of two groups have no chunk in common."""
    groups, end = list[list[Node]](), 0
    for at in sorted(range(len(views)), key=spans.__getitem__):
        if not groups or spans[at][0] >= end:
            groups.append([])
        groups[-1].append(views[at])
        end = max(end, spans[at][1])
    return groups
