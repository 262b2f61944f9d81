"""Traced functions: graphs of what was called once, with arrays of no cells.

A function of the user says what a step does; its graph is what is computed. Applied to other
arrays it is made of the same operators, so that its plan is found again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.errors import ArgumentTypeError, DTypeError, ShapeError, TraceError
from dask_tapestry.io.sources.placeholder import placeholder
from dask_tapestry.operators.functions.user_function import name_of
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.teg import Node, TensorType
from dask_tapestry.teg.node import reapply, topological
from dask_tapestry.teg.nominal import nominal_cuts
from dask_tapestry.zspace import Cuts

TIME: TensorType = TensorType((), np.dtype(np.int64))


class StateField(NamedTuple):
    """What all values of a field of the state have in common."""

    type: TensorType
    cuts: tuple[Cuts, ...]

    @classmethod
    def of(cls, array: Array) -> StateField:
        """The field of the state whose first value is `array`."""
        return cls(array.node.type, array.nominal_cuts)


class Traced(NamedTuple):
    """A graph over slots: the function that was traced.

    {Attributes}
        rows: Its nodes, each with the places of what it reads and must follow.
        slots: The slots among them, by their places in the order of the arguments.
        roots: Places of the results.
    """

    rows: tuple[tuple[Node, tuple[int, ...], tuple[int, ...]], ...]
    slots: Mapping[int, int]
    roots: tuple[int, ...]

    def __call__(self, arguments: Sequence[Node]) -> list[Node]:
        """The results for `arguments`."""
        nodes: list[Node] = []
        for place, (node, inputs, after) in enumerate(self.rows):
            slot = self.slots.get(place)
            if slot is not None:
                nodes.append(arguments[slot])
                continue
            nodes.append(reapply(node, [nodes[i] for i in inputs], [nodes[i] for i in after]))
        return [nodes[root] for root in self.roots]

    @property
    def nodes(self) -> list[Node]:
        """The nodes, each after what it reads; slots are placeholders."""
        return [node for node, _, _ in self.rows]


def traced(
    function: Callable[..., Any],
    fields: Sequence[StateField],
    seen: Callable[[Sequence[Array]], Sequence[Array]] = list,
    timed: bool = False,
) -> tuple[list[Node], list[Array]]:
    """Call a function with fields without cells, and with the time where it is `timed`.

    {Parameters} seen: What the function is given instead of the fields.
    {Returns} list of Node, list of Array: The slots: what its arguments were made of; and what it
        returned.
    {Raises} TraceError: If the function computes something, or asks for a truth value.
    """
    slots = [placeholder(one.type, None) for one in fields]
    arrays = [_with_cuts(slot, one.cuts) for slot, one in zip(slots, fields, strict=True)]
    given = list(seen(list(map(Array, arrays))))
    if timed:
        slots.append(placeholder(TIME, None))
        given.append(Array(slots[-1]))
    return slots, _called(function, given)


def graph_of(slots: Sequence[Node], results: Sequence[Node]) -> Traced:
    """The graph of `results` over `slots`."""
    order = topological(results)
    position = {node: i for i, node in enumerate(order)}
    rows = tuple(
        (node, tuple(position[x] for x in node.inputs), tuple(position[x] for x in node.after))
        for node in order
    )
    known = {position[slot]: number for number, slot in enumerate(slots) if slot in position}
    return Traced(rows, known, tuple(position[node] for node in results))


def _called(function: Callable[..., Any], given: Sequence[Array]) -> list[Array]:
    name = name_of(function)
    try:
        returned = function(*given)
    except Exception as error:
        if "placeholder" not in str(error):
            raise
        raise TraceError(
            f"{name} is called once, with arrays that have no cells yet: it computed one (by "
            f"compute, float, bool, if or while); keep such a number as an array: {error}"
        ) from error
    several = returned if isinstance(returned, tuple | list) else (returned,)
    for one in several:
        if one is None:
            raise ArgumentTypeError(f"{name} returned None instead of arrays")
    arrays = [asarray(one) for one in several]
    if any(one.deferred is not None for one in arrays):
        raise ShapeError(f"{name} returned an array whose shape depends on cells: a step keeps it")
    return arrays


def takes_time(function: Callable[..., Any], count: int) -> bool:
    """Whether a function of `count` fields takes the number of the step after them.

    {Raises} ArgumentTypeError: If it takes neither.

    Examples
    --------
    >>> takes_time(lambda u: u, 1), takes_time(lambda u, t: u + t, 1)
    (False, True)
    """
    try:
        function_signature = signature(function)
    except ValueError:  # of a function that is not Python's
        return False
    for more in (0, 1):
        try:
            function_signature.bind(*[None] * (count + more))
        except TypeError:
            continue
        return bool(more)
    raise ArgumentTypeError(
        f"{name_of(function)}{function_signature} takes neither the {count} arrays of the state "
        "nor these and the number of the step"
    )


def as_fields(
    function: Callable[..., Any],
    results: Sequence[Array],
    fields: Sequence[StateField],
    hint: Callable[[int, tuple[int, ...]], str] | None = None,
) -> list[Node]:
    """What a step returned, as values of the fields: checked, with their names and chunks.

    {Parameters} hint: What may be wrong with a shape of a field.
    {Raises} ArgumentTypeError, ShapeError, DTypeError: If there are not as many as fields, or a
        shape or a dtype is another.
    """
    name = name_of(function)
    if len(results) != len(fields):
        raise ArgumentTypeError(
            f"{name} returned {len(results)} arrays for a state of {len(fields)}"
        )
    nodes = []
    for number, (x, field) in enumerate(zip(results, fields, strict=True)):
        type_, which = field.type, f" as array {number} of the state" if len(fields) > 1 else ""
        if x.shape != type_.shape:
            told = hint(number, x.shape) if hint else ""
            raise ShapeError(
                f"{name} returned shape {x.shape}{which}, not {type_.shape}: a step keeps the "
                f"shape{told}"
            )
        if x.dtype != type_.dtype:
            raise DTypeError(
                f"{name} returned {x.dtype}{which}, not {type_.dtype}: a step keeps the dtype; "
                "convert with astype, of the first state or of what the step returns"
            )
        nodes.append(as_value(x.bound, field))
    return nodes


def as_value(x: Node, field: StateField) -> Node:
    """`x` with the names and chunks of a field."""
    dims = field.type.dims
    return _with_cuts(x if x.type.dims == dims else rename(x, dims or ()), field.cuts)


def _with_cuts(x: Node, cuts: tuple[Cuts, ...]) -> Node:
    return x if nominal_cuts(x) == cuts else with_nominal_chunks(x, cuts)
