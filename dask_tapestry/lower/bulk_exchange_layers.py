"""Layers of a bulk exchange: blocks are sent in parts, waited for, and received as other blocks.

Workers send each other all parts by the "P2P" rechunking of distributed. Blocks between two places
where both grids have an edge are exchanged on their own, so that the first are soon received.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, product
from typing import Any, NamedTuple, TypeAlias

from dask.typing import Key as DaskKey

from dask_tapestry.lower.assemble import check_lengths
from dask_tapestry.lower.dask_private import (
    GraphNode,
    TaskRef,
    key_of_exchange,
    receive_parts,
    send_parts,
    waiting_for_parts,
    written_task,
)
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer
from dask_tapestry.planner.access.bulk_exchange import BulkExchange, Span, bulk_exchange
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.zspace import Cuts, block_box

Numbers: TypeAlias = tuple[int, ...]


class _Place(NamedTuple):
    """Which of several exchanges a block belongs to, and its number in it along each axis."""

    run: Numbers
    number: Numbers


class ExchangeNames(NamedTuple):
    """An exchange and what its layers are called.

    Attributes
    ----------
    exchange
        What is exchanged.
    source
        First part of the keys of the blocks that are sent.
    name
        Of all runs of the exchange.
    sent, received
        First part of the keys of tasks that send blocks, and of those that receive.
    """

    exchange: BulkExchange
    source: str
    name: str
    sent: str
    received: str

    @property
    def waiting(self) -> str:
        """Name of the layer that waits for parts: how its keys begin, which are no tuples."""
        return key_of_exchange(self.name)

    def run(self, place: Numbers) -> str:
        """Name of the exchange of the blocks of a span along each axis."""
        return ".".join([self.name, "-".join(map(str, place))])

    def waiting_key(self, place: Numbers) -> str:
        """Key of the task that waits for the parts of these blocks."""
        return key_of_exchange(self.run(place))


def bulk_exchange_of(
    step: Step, inputs: Sequence[Any], cuts: Sequence[tuple[Cuts, ...] | None]
) -> BulkExchange | None:
    """The exchange of a step, whose inputs' layers are cut so; None if its blocks take slices.

    Blocks of other kinds than NumPy's have slices: what joins them is not the exchange's business.
    """
    if not step.estimate.parts:
        return None
    held = tuple([None if own is None else tuple(own) for own in step.held])
    found = bulk_exchange(step.program, step.cuts, held, step.machine.in_bulk)
    if found is None or step.inputs[found.number].format is not None:
        return None
    as_planned = isinstance(inputs[found.number], str) and cuts[found.number] == found.held
    return found if as_planned else None


class SendLayer(SymbolicLayer):
    """A task for each block that is sent."""

    def __init__(self, names: ExchangeNames, annotations: Mapping[str, Any] | None = None) -> None:
        super().__init__(names.sent, annotations)
        self.names = names

    @property
    def grid_shape(self) -> Numbers:
        return tuple([c.count for c in self.names.exchange.held])

    def task(self, index: Numbers) -> GraphNode:
        names, place = self.names, self._places.of(index)
        block: Key = (names.source, *index)
        shape = block_box(names.exchange.held, index).shape
        arguments = (TaskRef(block), shape, names.run(place.run), place.number)
        return written_task((self.name, *index), send_block, arguments, frozenset([block]))

    @cached_property
    def _places(self) -> _Places:
        return _Places([[span.blocks for span in own] for own in self.names.exchange.spans])

    def __reduce__(self) -> tuple[Any, ...]:
        return SendLayer, (self.names, self.annotations)


class WaitLayer(SymbolicLayer):
    """A task for each run of an exchange, which waits until all its parts have been sent.

    The scheduler finds a run by the key of this task, which is a string.
    """

    def __init__(self, names: ExchangeNames, annotations: Mapping[str, Any] | None = None) -> None:
        super().__init__(names.waiting, annotations)
        self.names = names

    @property
    def grid_shape(self) -> Numbers:
        return tuple(map(len, self._spans))

    @cached_property
    def _spans(self) -> tuple[tuple[Span, ...], ...]:
        """Where runs begin and end along each axis."""
        return self.names.exchange.spans

    def __iter__(self) -> Iterator[Any]:
        return map(self.names.waiting_key, product(*map(range, self.grid_shape)))

    def index_of(self, key: DaskKey) -> Numbers:
        name, _, numbers = str(key).rpartition(".")
        if not isinstance(key, str) or name != self.name:
            raise KeyError(key)
        return super().index_of((name, *map(int, numbers.split("-"))))

    def written(self, key: Any) -> GraphNode:
        return self.task(self.index_of(key))

    def task(self, index: Numbers) -> GraphNode:
        names = self.names
        mine = [own[number] for own, number in zip(self._spans, index, strict=True)]
        sent = list(product((names.sent,), *[span.blocks for span in mine]))
        held = _lengths(names.exchange.held, [span.blocks for span in mine])
        tiles = _lengths(names.exchange.tiles, [span.tiles for span in mine])
        key, run = names.waiting_key(index), names.run(index)
        made: GraphNode = waiting_for_parts(key, run, sent, held, tiles, on_disk=False)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return WaitLayer, (self.names, self.annotations)


class ReceiveLayer(SymbolicLayer):
    """A task for each block that is received."""

    def __init__(self, names: ExchangeNames, annotations: Mapping[str, Any] | None = None) -> None:
        super().__init__(names.received, annotations)
        self.names = names

    @property
    def grid_shape(self) -> Numbers:
        return tuple([c.count for c in self.names.exchange.tiles])

    def task(self, index: Numbers) -> GraphNode:
        names, place = self.names, self._places.of(index)
        ready = names.waiting_key(place.run)
        arguments = (names.run(place.run), place.number, TaskRef(ready))
        return written_task((self.name, *index), receive_parts, arguments, frozenset([ready]))

    @cached_property
    def _places(self) -> _Places:
        return _Places([[span.tiles for span in own] for own in self.names.exchange.spans])

    def __reduce__(self) -> tuple[Any, ...]:
        return ReceiveLayer, (self.names, self.annotations)


class _Places:
    """Where blocks are, by the numbers of those of each span along each axis."""

    def __init__(self, along: list[list[range]]) -> None:
        self._along = [
            list(chain(*[[(n, at) for at in range(len(own))] for n, own in enumerate(axis)]))
            for axis in along
        ]

    def of(self, index: Numbers) -> _Place:
        """The run and the number in it of a block."""
        found = [axis[number] for axis, number in zip(self._along, index, strict=True)]
        return _Place(tuple([run for run, _ in found]), tuple([number for _, number in found]))


def send_block(block: Any, shape: Numbers, run: str, number: Numbers) -> int:
    """Send the parts of a block of some shape to the workers that are to have them."""
    check_lengths(block, shape)
    return send_parts(block, run, number)


def _lengths(cuts: tuple[Cuts, ...], numbers: list[range]) -> tuple[Numbers, ...]:
    """Lengths of some blocks along each axis."""
    spans = [[own.block(n) for n in some] for own, some in zip(cuts, numbers, strict=True)]
    return tuple([tuple([end - first for first, end in own]) for own in spans])
