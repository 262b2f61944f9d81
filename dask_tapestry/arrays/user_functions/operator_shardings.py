"""Shardings of a user's operator, computed block by block beside the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from dask_tapestry.arrays.tuning import MOST_TRIAL_BLOCKS
from dask_tapestry.arrays.user_functions.cell_differences import Closeness, same_bits
from dask_tapestry.errors import ConstraintError
from dask_tapestry.teg import Node
from dask_tapestry.teg.operator import BlockOperator, signature_of
from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.devices import kernels_of
from dask_tapestry_kernels.output_blocks import OutputBlocks

PIECES: Final = (2, 3, 5)  # along a dimension, besides blocks of one step


class ShardingTrials(NamedTuple):
    """How many shardings were computed, and whether all had the bits of the whole."""

    shardings: int
    same_bits: bool


def block_of(node: Node, inputs: Sequence[Any], box: ZRange) -> Any:
    """The cells `box` of a node, computed of exactly what it demands of its inputs."""
    operator = node.operator
    reads = operator.pieces(node.input_types, box)
    pieces = [inputs[number][(*need.slices(), ...)] for number, need in reads]
    arguments = operator.arguments(node.input_types, box, tuple(need for _, need in reads))
    return kernels_of("cpu")[operator.kernel](None, *pieces, **arguments)


def check_shardings(
    node: Node, inputs: Sequence[Any], whole: Any, closeness: Closeness
) -> ShardingTrials:
    """Compute a node in blocks, as its signature allows, and hold them against the `whole`.

    {Raises} ConstraintError: Names what is broken, the dimension, the box and the cells.
    """
    count, same = 0, True
    for axes, cuts in _shardings(node):
        count += 1
        for box in _boxes(cuts):
            text = f"cut along {_names(node, axes)}, block {box}"
            made = _called(node, inputs, box, text)
            for name, one, cells in _outputs(made, whole[(*box.slices(), ...)]):
                same &= same_bits(one, cells)
                difference = closeness.difference(one, cells)
                if difference:
                    raise _broken(
                        "blocks_are_those_of_the_whole",
                        node,
                        f"{text}{name}: {difference}; a dimension along which blocks need all "
                        "cells is atomic, or read by windows",
                    )
    return ShardingTrials(count, same)


def check_whole(node: Node, inputs: Sequence[Any]) -> Any:
    """The value of a node in one block, computed twice.

    {Raises} ConstraintError: If the two differ, or the function raises.
    """
    whole = _called(node, inputs, node.type.box, "of the whole")
    again = _called(node, inputs, node.type.box, "of the whole")
    if not all(same_bits(one, other) for _, one, other in _outputs(again, whole)):
        raise _broken("calls_are_repeatable", node, "called twice, it returns different values")
    return whole


def _called(node: Node, inputs: Sequence[Any], box: ZRange, text: str) -> Any:
    try:
        return block_of(node, inputs, box)
    except Exception as error:
        raise _broken("blocks_can_be_computed", node, f"{text} raises {error!r}") from error


def _shardings(node: Node) -> Iterator[tuple[tuple[int, ...], tuple[Cuts, ...]]]:
    """Axes that are cut, and the cuts of all: each alone in several ways, then all of them."""
    together = node.operator.granularity(node.input_types) or (1,) * node.type.ndim
    whole = tuple(Cuts.regular(n, max(1, n)) for n in node.type.shape)
    halved = dict[int, Cuts]()
    for axis, (unit, extent) in enumerate(zip(together, node.type.shape, strict=True)):
        for step in _steps(extent, unit):
            cuts = Cuts.regular(extent, step)
            halved.setdefault(axis, cuts)
            yield (axis,), (*whole[:axis], cuts, *whole[axis + 1 :])
    if len(halved) > 1:
        yield tuple(halved), tuple(halved.get(axis, cuts) for axis, cuts in enumerate(whole))


def _steps(extent: int, unit: int) -> list[int]:
    """Lengths of blocks, between cells that are computed together; `unit` 0 is for all."""
    if not unit or extent <= unit:
        return []
    units = -(-extent // unit)
    counts = [n for n in (*PIECES, units) if n <= min(units, MOST_TRIAL_BLOCKS)]
    return list(dict.fromkeys(-(-units // count) * unit for count in counts))


def _boxes(cuts: Sequence[Cuts]) -> Iterator[ZRange]:
    for place in product(*[range(c.count) for c in cuts]):
        spans = [c.block(i) for c, i in zip(cuts, place, strict=True)]
        yield ZRange([a for a, _ in spans], [b for _, b in spans])


def _outputs(made: Any, expected: Any) -> list[tuple[str, Any, Any]]:
    """Blocks beside the cells expected; of several outputs each with its name."""
    if not isinstance(expected, OutputBlocks):
        return [("", made, expected)]
    return [(f" of {one.name}", made[one.name], expected[one.name]) for one in expected.outputs]


def _names(node: Node, axes: Sequence[int]) -> str:
    """Names of the index dimensions that some axes follow; else those of the axes."""
    operator, names = node.operator, []
    for axis in axes:
        name = f"axis {axis}"
        if isinstance(operator, BlockOperator):
            signature = signature_of(operator, node.input_types)
            owner = signature.owner(0, axis)
            name = name if owner is None else repr(signature.index[owner].name)
        names.append(name)
    return " and ".join(names)


def _broken(law: str, node: Node, text: str) -> ConstraintError:
    where = f" ({node.line})" if node.line else ""
    function = getattr(node.operator, "function", None)
    name = getattr(function, "name", node.operator.name)
    return ConstraintError(f"{law}: {name}{where}: {text}")
