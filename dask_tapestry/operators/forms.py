"""Shared parts of the makers of operators' forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from weakref import WeakKeyDictionary

from dask_tapestry.operators.tuning import MOST_FORM_SIZES
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.teg import Form, Node
from dask_tapestry.teg.node import reapply, topological, written_as

Maker = Callable[[Node, int], Node]


def stand_in(make: Maker) -> Maker:
    """Declare the maker of a form: what it makes takes the node's place.

    It has the node's line and its names of dimensions. What reads the node's inputs follows the
    sequence points that the node follows. It is made once, as long as there is the node: a search
    asks for it many times, and panels of a matrix are hundreds of nodes.
    """
    known: WeakKeyDictionary[Node, dict[int, Node]] = WeakKeyDictionary()

    @wraps(make)
    def form(node: Node, size: int) -> Node:
        sizes = known.setdefault(node, {})
        if size not in sizes:
            sizes[size] = _standing_in(make, node, size)
        return sizes[size]

    return form


def _standing_in(make: Maker, node: Node, size: int) -> Node:
    """What a maker makes, in the place of a node."""
    with written_as(node):
        value = make(node, size)
        if value.type.dims != node.type.dims:
            value = rename(value, node.type.dims or ())
    return _following(value, node) if node.after else value


def _following(value: Node, node: Node) -> Node:
    """`value`, whose first operators follow what `node` does.

    The first ones are those that take the inputs, or selections of them: a selection that waited
    would be held.
    """
    fresh = set(node.inputs)
    rebuilt = {n: n for n in topological(node.inputs)}
    for earlier in topological([value]):
        if earlier in rebuilt:
            continue
        first = any(x in fresh for x in earlier.inputs) if fresh else not earlier.inputs
        if first and earlier.operator.is_selector and earlier is not value:
            fresh.add(earlier)
            first = False
        after = (*earlier.after, *node.after) if first else earlier.after
        rebuilt[earlier] = reapply(earlier, [rebuilt[x] for x in earlier.inputs], after)
    return rebuilt[value]


def a_dozen(sizes: Sequence[int]) -> tuple[int, ...]:
    """`sizes`, or some of them, evenly spread, where they are very many; the last one is kept.

    Examples
    --------
    >>> a_dozen([8, 4, 2]), a_dozen(range(30))
    ((8, 4, 2), (2, 5, 8, 11, 14, 17, 20, 23, 26, 29))
    """
    step = -(-len(sizes) // MOST_FORM_SIZES) or 1
    return tuple(sizes[::-1][::step][::-1])


def offered(*forms: Form) -> tuple[Form, ...]:
    """The forms that have a size: of a table of few rows there are no owners to compare."""
    return tuple(form for form in forms if form.sizes)
