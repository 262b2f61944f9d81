"""Shardings of every operator, tried: which give another value, which are forbidden for nothing.

The operators are those of the table of comparisons: as written, as rewritten, and in the forms that
they declare. Each is computed in blocks from the values of its inputs, and held against itself in
one block. All samples, which take minutes:

    python -m tests.operators.sharding_validator
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import rewritten
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, Sink, Source
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.output_blocks import OutputBlocks
from tests.comparisons import COMPARISONS, Comparison, agrees, same_bits

from .blocks import block

Lengths = tuple[tuple[int, ...], ...]
"""Lengths of the blocks along each axis."""

MOST_CELLS = 10_000  # of a value that is computed in blocks of one cell
ALL = sys.maxsize


class Finding(NamedTuple):
    """A sharding of an operator, and what is to be said of it."""

    comparison: str
    operator: str
    types: str
    lengths: Lengths
    text: str

    def __str__(self) -> str:
        return f"{self.comparison}: {self.operator}{self.types} cut {self.lengths}: {self.text}"


class Report(NamedTuple):
    """What was tried, and found.

    Attributes
    ----------
    operators, shardings
        How many different ones were tried.
    wrong
        Legal shardings that give another value.
    missing
        Shardings that granularity forbids, though they give the value and take less for a block.
    """

    operators: int
    shardings: int
    wrong: list[Finding]
    missing: list[Finding]


class Operation(NamedTuple):
    """An operator on values, and what it yields in one block."""

    node: Node
    inputs: tuple[np.ndarray, ...]
    value: np.ndarray


def validate(
    comparisons: Iterable[Comparison] = COMPARISONS, samples: int = ALL, shardings: int = ALL
) -> Report:
    """Try the shardings of all operators of some comparisons.

    Parameters
    ----------
    samples, shardings
        How many samples of a comparison, and shardings of an operator, are tried; evenly spread.
    """
    report = Report(0, 0, [], [])
    seen: set[Any] = set()
    for comparison in comparisons:
        equal = _equal(comparison)
        for sample in spread(list(comparison.inputs()), samples):
            for operation in operations(comparison, sample):
                node = operation.node
                key = node.operator, node.input_types
                if key in seen:
                    continue
                seen.add(key)
                report = _tried(report, comparison.name, operation, equal, shardings)
    return report._replace(operators=len(seen))


def _equal(comparison: Comparison) -> Callable[[Any, Any], bool]:
    if comparison.one_value:
        return same_bits
    return lambda ours, expected: agrees(comparison, ours, expected)


def _tried(
    report: Report,
    name: str,
    operation: Operation,
    equal: Callable[[Any, Any], bool],
    most: int,
) -> Report:
    node = operation.node

    def finding(lengths: Lengths, text: str) -> Finding:
        types = f"({', '.join(map(str, node.input_types))})"
        return Finding(name, node.operator.name, types, lengths, text)

    ways = spread(legal(node), most)
    for lengths in ways:
        wrong = difference(operation, lengths, equal)
        if wrong:
            report.wrong.append(finding(lengths, wrong))
    for lengths in forbidden(node):
        if takes_less(operation, lengths) and not difference(operation, lengths, equal):
            text = f"forbidden by granularity {node.operator.granularity(node.input_types)}"
            report.missing.append(finding(lengths, text))
    return report._replace(shardings=report.shardings + len(ways))


def spread(every: Sequence[Any], most: int) -> Sequence[Any]:
    """All of a sequence, or so many of it evenly spread, the last one among them."""
    return every[:: -1 if len(every) <= most else -(-len(every) // most) * -1]


def operations(comparison: Comparison, sample: Sequence[np.ndarray]) -> Iterator[Operation]:
    """The operators that compute a comparison of a sample."""
    made = comparison.ours(dt, *[dt.asarray(x) for x in sample])
    roots = [x.node for x in (made if isinstance(made, tuple) else (made,))]
    if not roots:
        return
    graph = Graph(roots)
    values: dict[Node, np.ndarray] = {}
    for one in (graph, rewritten(graph, Trace())):
        yield from _computed(one, values)
    for node in list(values):
        for form in node.operator.forms(node.input_types):
            for size in spread(form.sizes, 2):
                yield from _computed(Graph([form.make(node, size)]), values)


def _computed(graph: Graph, values: dict[Node, np.ndarray]) -> Iterator[Operation]:
    """The operators of a graph whose values are not known yet; their values are, then."""
    for node in graph.nodes:
        operator = node.operator
        if node in values or node.is_sequence_point or isinstance(operator, Sink):
            continue
        if isinstance(operator, Source):
            values[node] = np.asarray(dt.Array(node).compute(scheduler="sync"))
            continue
        inputs = tuple([values[x] for x in node.inputs])
        values[node] = block(node, inputs, node.type.box)
        yield Operation(node, inputs, values[node])


def legal(node: Node) -> list[Lengths]:
    """Ways to cut a value between cells that are computed together."""
    together = node.operator.granularity(node.input_types) or (1,) * node.type.ndim
    sides = [n or max(1, extent) for n, extent in zip(together, node.type.shape, strict=True)]
    along = [_lengths(extent, n) for extent, n in zip(node.type.shape, sides, strict=True)]
    small = node.type.size <= MOST_CELLS
    return [lengths for lengths in product(*along) if small or prod(map(len, lengths)) < 64]


def _lengths(extent: int, unit: int) -> list[tuple[int, ...]]:
    """Ways to cut an axis on multiples of a unit: in one, in all, and in unequal parts."""
    found = [(extent,)]
    for cells in (1, 2, 3):
        step = cells * unit
        whole, rest = divmod(extent, step)
        if whole + bool(rest) > 1:
            found.append((*(step,) * whole, *(rest,) * bool(rest)))
    if extent > 2 * unit:
        found.append((extent - (extent - 1) // unit * unit, (extent - 1) // unit * unit)[::-1])
        found.append((unit, extent - unit))
    return list(dict.fromkeys(found))


def forbidden(node: Node) -> Iterator[Lengths]:
    """Ways to cut one axis between cells that are computed together."""
    together = node.operator.granularity(node.input_types)
    for axis, (n, extent) in enumerate(zip(together, node.type.shape, strict=False)):
        inside = [c for c in (extent // 2, 1, extent - 1) if 0 < c < extent and (not n or c % n)]
        for at in inside[:1]:
            yield tuple(
                [(at, e - at) if a == axis else (e,) for a, e in enumerate(node.type.shape)]
            )


def boxes(lengths: Lengths) -> Iterator[ZRange]:
    """The blocks of a sharding."""
    spans = []
    for along in lengths:
        ends = np.cumsum(along).tolist()
        spans.append([(end - n, end) for n, end in zip(along, ends, strict=True)])
    for each in product(*spans):
        yield ZRange([a for a, _ in each], [b for _, b in each])


def difference(
    operation: Operation, lengths: Lengths, equal: Callable[[Any, Any], bool]
) -> str | None:
    """How the value computed in blocks differs from that computed in one; None if it does not."""
    node, inputs, value = operation
    for box in boxes(lengths):
        try:
            made = block(node, inputs, box)
        except Exception as error:
            return f"block {box} raises {type(error).__name__}: {error}"
        expected = value[(*box.slices(), ...)]
        if made.shape != box.shape:
            return f"block {box} has shape {made.shape}"
        if not all(equal(*pair) for pair in _arrays(made, expected)):
            return f"block {box} is {made!r}, not {expected!r}"
    return None


def _arrays(made: Any, expected: Any) -> list[tuple[Any, Any]]:
    """Two blocks, or those of each output of an operator that has several, or each bucket."""
    if isinstance(expected, BucketBlocks):
        return list(zip(made.cells.flat, expected.cells.flat, strict=True))
    if not isinstance(expected, OutputBlocks):
        return [(made, expected)]
    return [(made[one.name], expected[one.name]) for one in expected.outputs]


def takes_less(operation: Operation, lengths: Lengths) -> bool:
    """Whether each block reads less than the whole value does, and all of them little more."""
    node = operation.node
    if not node.inputs:
        return True
    whole = _read(node, node.type.box)
    parts = [_read(node, box) for box in boxes(lengths)]
    return max(parts) < whole and sum(parts) < 1.5 * whole


def _read(node: Node, box: ZRange) -> int:
    return sum(need.size for _, need in node.operator.pieces(node.input_types, box))


def main() -> None:
    """Print what is found."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        report = validate()
    print(f"{report.operators} operators, {report.shardings} shardings")
    for name in ("wrong", "missing"):
        found = getattr(report, name)
        print(f"{len(found)} {name}")
        for each in found[:50]:
            print(f"  {each}")


if __name__ == "__main__":
    main()
