"""The legal graph: a table of named checks.

Each check is a function of nodes, operands first, that yields the constraint's violations; its
name states the constraint. `check` runs them all. They are run after every pass in tests, and on
request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from dask_tapestry.errors import ConstraintError, TapestryError
from dask_tapestry.teg.node import Node, is_interned
from dask_tapestry.teg.operator import BlockOperator, signature_of
from dask_tapestry.teg.selector import GeneratorOperator
from dask_tapestry.teg.signature import Signature
from dask_tapestry.teg.sink import Sink
from dask_tapestry.teg.source import Source
from dask_tapestry.zspace import IndexProjection


class Violation(NamedTuple):
    """A node that breaks a constraint, and how."""

    node: Node
    how: str


Check = Callable[[Iterable[Node]], Iterator[Violation]]


def nodes_are_interned(nodes: Iterable[Node]) -> Iterator[Violation]:
    """Equal applications are one node: each node is the one known by its digest."""
    for node in nodes:
        if not is_interned(node):
            yield Violation(node, "it is not the node that its digest names")


def types_follow_from_inputs(nodes: Iterable[Node]) -> Iterator[Violation]:
    """A node has the type that its operator infers from the types of its inputs."""
    for node in nodes:
        try:
            inferred = node.operator.infer(*node.input_types)
        except (TapestryError, IndexError, ValueError) as error:
            yield Violation(node, f"{type(error).__name__}: {error}")
            continue
        if inferred != node.type:
            yield Violation(node, f"it says {node.type}, its inputs make {inferred}")


def sources_have_no_inputs(nodes: Iterable[Node]) -> Iterator[Violation]:
    """Sources and generators bring data in; they read no tensor."""
    for node in nodes:
        if isinstance(node.operator, Source | GeneratorOperator) and node.inputs:
            yield Violation(node, f"it reads {len(node.inputs)} tensors")


def sinks_are_read_by_sequence_points_only(nodes: Iterable[Node]) -> Iterator[Violation]:
    """A sink has no cells to read; it has an end to wait for."""
    for node in nodes:
        for number, source in enumerate(node.inputs):
            if isinstance(source.operator, Sink):
                yield Violation(node, f"input {number} is a sink: {source!r}")


def sequence_points_carry_no_data(nodes: Iterable[Node]) -> Iterator[Violation]:
    """A sequence point reads no tensor and none reads it."""
    for node in nodes:
        if node.is_sequence_point and node.inputs:
            yield Violation(node, f"it reads {len(node.inputs)} tensors")
        for number, source in enumerate(node.inputs):
            if source.is_sequence_point:
                yield Violation(node, f"input {number} is a sequence point")


def only_sequence_points_are_waited_for(nodes: Iterable[Node]) -> Iterator[Violation]:
    """Tensors and sinks follow sequence points, which alone follow tensors and sinks."""
    for node in nodes:
        if not node.is_sequence_point:
            for earlier in node.after:
                if not earlier.is_sequence_point:
                    yield Violation(node, f"it follows {earlier!r}, which is no sequence point")


def writes_that_meet_are_ordered(graph: Iterable[Node]) -> Iterator[Violation]:
    """If two sinks may write to the same stored chunk, one follows the other."""
    sinks = [node for node in graph if isinstance(node.operator, Sink)]
    if len(sinks) < 2:
        return
    before = _sinks_before(graph, sinks)
    for number, node in enumerate(sinks):
        for place, other in enumerate(sinks[:number]):
            if before[node] >> place & 1 or before[other] >> number & 1:
                continue
            if _writes_overlap(node, other):
                text = f"{_named(other)} writes there too, and neither is after= the other"
                yield Violation(node, f"it writes to {node.operator.text()}, and {text}")


def _sinks_before(graph: Iterable[Node], sinks: list[Node]) -> dict[Node, int]:
    """For each node the sinks that it follows: bit n for sink number n."""
    number = {sink: n for n, sink in enumerate(sinks)}
    before: dict[Node, int] = {}
    for node in graph:
        bits = 0
        for x in (*node.inputs, *node.after):
            bits |= before[x] | (1 << number[x] if x in number else 0)
        before[node] = bits
    return before


def _writes_overlap(first: Node, second: Node) -> bool:
    mine, theirs = first.operator, second.operator
    assert isinstance(mine, Sink)
    assert isinstance(theirs, Sink)
    return mine.meets(theirs) or theirs.meets(mine)


def _named(node: Node) -> str:
    return f"{node.operator.name}({node.operator.text()}){_where(node)}"


def signatures_fit_their_tensors(nodes: Iterable[Node]) -> Iterator[Violation]:
    """A signature has one projection for each tensor, of that tensor's rank."""
    for node, signature in _signatures(nodes):
        pairs = (
            ("input", signature.inputs, node.inputs),
            ("output", signature.outputs, (node,)),
        )
        for what, projections, tensors in pairs:
            for number, (projection, x) in enumerate(zip_longest(projections, tensors)):
                if projection is None or x is None:
                    yield Violation(node, f"{what} {number} has a projection or a tensor alone")
                elif projection.out_ndim != x.type.ndim:
                    yield Violation(node, f"{what} {number} {x.type} is projected by {projection}")
                elif projection.in_ndim != len(signature.index):
                    yield Violation(node, f"{what} {number}: {projection} has other index axes")


def signatures_tile_outputs_once(nodes: Iterable[Node]) -> Iterator[Violation]:
    """Each output axis follows one index dimension, whose steps cover it without overlap."""
    for node, signature in _matching_signatures(nodes):
        for axis, extent in enumerate(node.type.shape):
            how = _tiling(signature, signature.outputs[0], axis, extent)
            if how and node.type.size:
                yield Violation(node, f"axis {axis} of {node.type}: {how}")


def projections_stay_inside_inputs(nodes: Iterable[Node]) -> Iterator[Violation]:
    """What the whole index space reads begins in each input, and any cell's demand ends there.

    The last step may reach past the end of an input, as that of a product in parts does, and the
    first may begin before it where the operator `clips` what it reads.
    """
    untiled = {violation.node for violation in signatures_tile_outputs_once(nodes)}
    for node, signature in _matching_signatures(nodes):
        if signature.space.is_empty or node in untiled:
            continue
        demanded = node.operator.demand(node.input_types, node.type.box)
        reads = zip(signature.inputs, demanded, node.inputs, strict=True)
        for number, (projection, demand, x) in enumerate(reads):
            assert isinstance(node.operator, BlockOperator)
            box = projection.of_range(signature.space)
            before = any(lo < 0 for lo in box.lo) and not node.operator.clips
            if before or not x.type.box.contains(demand):
                yield Violation(node, f"it reads {box} and {demand} of input {number} {x.type}")


def projections_cover_inputs(nodes: Iterable[Node]) -> Iterator[Violation]:
    """Every cell of an input is read but by operators that read parts; selectors trim others."""
    for node, signature in _matching_signatures(nodes):
        if signature.space.is_empty or node.operator.reads_parts:
            continue
        for number, (projection, x) in enumerate(zip(signature.inputs, node.inputs, strict=True)):
            if not projection.of_range(signature.space).contains(x.type.box):
                box = projection.of_range(signature.space)
                yield Violation(node, f"it reads but {box} of input {number} {x.type}")


def _signatures(nodes: Iterable[Node]) -> Iterator[tuple[Node, Signature]]:
    for node in nodes:
        if isinstance(node.operator, BlockOperator):
            yield node, signature_of(node.operator, node.input_types)


def _matching_signatures(nodes: Iterable[Node]) -> Iterator[tuple[Node, Signature]]:
    """Signatures that have one projection for each tensor, as the checks here need."""
    misfits = {violation.node for violation in signatures_fit_their_tensors(nodes)}
    return ((node, signature) for node, signature in _signatures(nodes) if node not in misfits)


def _tiling(signature: Signature, output: IndexProjection, axis: int, extent: int) -> str:
    """Why an output axis is not tiled once; empty if it is."""
    moving = [dim for dim, step in enumerate(output.matrix[axis]) if step]
    width, stride = output.shape[axis], output.stride[axis]
    if len(moving) > 1:
        return f"it follows {len(moving)} index dimensions"
    step, count = (
        (output.matrix[axis][moving[0]], signature.index[moving[0]].extent)
        if moving
        else (width, 1)
    )
    if stride != 1 or step != width or output.offset[axis] or step * count != extent:
        return f"{count} windows of {width} every {step} from {output.offset[axis]}, not {extent}"
    return ""


OF_NODES: Final[tuple[Check, ...]] = (  # what each node is, with its inputs
    nodes_are_interned,
    types_follow_from_inputs,
    sources_have_no_inputs,
    sinks_are_read_by_sequence_points_only,
    sequence_points_carry_no_data,
    only_sequence_points_are_waited_for,
    signatures_fit_their_tensors,
    signatures_tile_outputs_once,
    projections_stay_inside_inputs,
    projections_cover_inputs,
)
OF_GRAPHS: Final[tuple[Check, ...]] = (writes_that_meet_are_ordered,)  # what nodes are together
CHECKS: Final = (*OF_NODES, *OF_GRAPHS)


def check(graph: Iterable[Node], checks: Sequence[Check] = CHECKS) -> None:
    """Run named checks, by default all `CHECKS`.

    Raises
    ------
    ConstraintError
        Lists every violation, nodes in the order of the graph: the constraint, the node, how it
        breaks it, and the user's line.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> check((dt.ones((2, 3)) @ dt.ones(3)).teg)
    """
    place = {node: number for number, node in enumerate(graph)}
    violations = sorted(
        (place[node], number, f"{node!r} breaks {one.__name__}: {how}{_where(node)}")
        for number, one in enumerate(checks)
        for node, how in one(graph)
    )
    if violations:
        texts = [f"%{at} = {text}" for at, _, text in violations]
        raise ConstraintError(f"{len(texts)} violations\n" + "\n".join(texts))


def _where(node: Node) -> str:
    return f" ({node.line})" if node.line else ""
