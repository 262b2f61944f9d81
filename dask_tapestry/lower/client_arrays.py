"""Arrays in the client's memory, whose blocks the tasks of a cluster ask for.

A task that needs a block says so in an event, which the scheduler hands to the client that planned;
the client sends the block to that task's worker. So none lie with the scheduler, workers may come
later than the plan, and a task that is repeated, because its worker died, asks again. Where workers
are there already, most blocks are: `input_prefetch` sends them before the graph.

An array is on offer for as long as a graph that reads it exists, and then for as long as there are
futures of its results.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import product
from time import monotonic, sleep
from typing import Any, Final
from uuid import uuid4
from weakref import WeakSet

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import asyncio
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.lower.dask_private import (
    DataNode,
    GraphNode,
    computed_elsewhere,
    current_worker,
    is_leaving,
    live_clients,
    written_task,
)
from dask_tapestry.lower.input_prefetch import reaches, send_ahead
from dask_tapestry.lower.leases import Lease, Leases
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer
from dask_tapestry.lower.tuning import (
    ASK_AGAIN_SECONDS,
    BLOCK_LOOK_SECONDS,
    CLIENT_PATIENCE_SECONDS,
)
from dask_tapestry.planner.fusion.external_inputs import scatter_cuts
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts, block_box

Block = np.ndarray[Any, Any]
Wish = dict[str, Any]  # array, block (None: it has come), reply: the key to send it under, worker


@dataclass(eq=False)
class ServedArray:
    """An array cut into blocks; whoever holds the offer keeps the array within reach."""

    name: str
    cuts: tuple[Cuts, ...]
    data: Block
    results: frozenset[Any] | None = frozenset()  # keys that need it; None: all may

    def ended(self) -> None:
        """The array is let go with the offer."""

    def block(self, index: tuple[int, ...]) -> Block:
        """The cells of one block, a view."""
        return self.data[block_box(self.cuts, index).index()]

    def blocks(self) -> Iterator[tuple[Key, Block]]:
        """All blocks, views, with their keys in graphs."""
        for index in product(*[range(c.count) for c in self.cuts]):
            yield (self.name, *index), self.block(index)


class ExpiredInput:
    """What is sent in place of a block whose array is not on offer any more."""


class ClientArrays:
    """Offers the arrays of one plan on a shelf, each once."""

    def __init__(self, shelf: InputRegistry | None = None) -> None:
        self.shelf = SHELF if shelf is None else shelf
        self.lease = self.shelf.lease()
        self.offers: dict[Node, ServedArray] = {}

    def offer(self, x: Node, cuts: tuple[Cuts, ...] | None = None) -> ServedArrayLayer:
        """Offer the array of a source node in blocks; return their layer."""
        if x not in self.offers:
            cuts = cuts or scatter_cuts(x.type.shape, x.type.dtype.itemsize)
            data = x.operator.data  # type: ignore[attr-defined]
            self.offers[x] = self.shelf.put(
                ServedArray(f"memory-{uuid4().hex}", cuts, data), self.lease
            )
        offer = self.offers[x]
        return ServedArrayLayer(offer.name, offer.cuts, self.shelf.topic, offer.data, self.lease)

    def needed_for(self, results: Iterable[Any] | None) -> None:
        """Say which keys' futures need the arrays once the graph is gone; None: any key's."""
        keys = None if results is None else frozenset(results)
        for offer in self.offers.values():
            offer.results = keys

    def send_ahead(self, client: Any, result: Key) -> None:
        """Send what there is room for to a client's workers, before a graph with a key `result`."""
        if self.offers:
            arrays = [list(offer.blocks()) for offer in self.offers.values()]
            send_ahead(client, arrays, result, self.lease)


class InputRegistry(Leases[ServedArray]):
    """The registry of served arrays, and the clients through which tasks ask for their blocks."""

    def __init__(self) -> None:
        super().__init__()
        self._listening: WeakSet[Any] = WeakSet()  # clients
        self._sending: set[Any] = set()  # coroutines, which nobody else holds
        self._replying: set[str] = set()  # to what is being answered
        self._sent: dict[str, Any] = {}  # futures of blocks that wait for their tasks, by reply
        self._name = uuid4().hex

    @property
    def topic(self) -> str:
        """Name of the events by which tasks ask this process."""
        return f"tapestry-arrays-{self._name}-{os.getpid()}"

    def put(self, one: ServedArray, lease: Lease) -> ServedArray:
        """Offer an array, through all clients of this process."""
        super().put(one, lease)
        self.listen()
        return one

    def listen(self) -> None:
        """Have all clients of this process pass on what tasks ask for."""
        for client in live_clients():
            if client not in self._listening:
                client.subscribe_topic(self.topic, lambda event, c=client: self._asked(c, event[1]))
                self._listening.add(client)

    def _asked(self, client: Any, wish: Wish) -> None:
        """A task wants a block, or has it; cells are sent beside the client's other messages."""
        if wish["block"] is None:
            self._sent.pop(wish["reply"], None)
            return
        if wish["reply"] in self._replying:  # the task has waited for some time and asks again
            return
        self._replying.add(wish["reply"])
        sending = asyncio.ensure_future(self._send(client, wish))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)
        sending.add_done_callback(lambda _: self._replying.discard(wish["reply"]))

    async def _send(self, client: Any, wish: Wish) -> None:
        """Send a block, or why there is none, to the worker that waits for it."""
        offer = self._lent.get(wish["array"])
        answer = ExpiredInput() if offer is None else offer.block(tuple(wish["block"]))
        with suppress(OSError, TimeoutError, ValueError, KeyError):  # that worker has died
            futures = await client._scatter(
                {wish["reply"]: answer}, workers=[wish["worker"]], hash=False,
                direct=await reaches(client, wish["worker"]),
            )  # fmt: skip
            lost = [reply for reply, future in self._sent.items() if future.status != "finished"]
            for reply in lost:
                del self._sent[reply]
            self._sent |= futures


def fetch_block(topic: str, array: str, block: tuple[int, ...]) -> Block:
    """Ask the client for a block of an array in its memory, in a task; wait until it is here.

    A worker that closes meanwhile leaves the task to another one.

    Raises
    ------
    StoreError
        If the client has let go of the array, or does not answer in time.
    """
    worker = current_worker()
    reply = f"{array}-{uuid4().hex}"
    wish: Wish = {"array": array, "block": block, "reply": reply, "worker": worker.address}
    ask, end = 0.0, monotonic() + CLIENT_PATIENCE_SECONDS
    while reply not in worker.data:
        if is_leaving(worker):  # it would wait for this task
            raise computed_elsewhere()
        now = monotonic()
        if now > end:
            raise StoreError(f"block {block} of an array in a client's memory did not come")
        if now > ask:
            worker.log_event(topic, wish)
            ask = now + ASK_AGAIN_SECONDS
        sleep(BLOCK_LOOK_SECONDS)
    answer = worker.data[reply]
    worker.log_event(topic, wish | {"block": None})
    if isinstance(answer, ExpiredInput):
        raise StoreError(f"{worker.address} wants block {block} of an array that its client let go")
    return np.asarray(answer)


class ServedArrayLayer(SymbolicLayer):
    """The blocks of an array in memory: where the layer never travelled, views of the array.

    On a scheduler they are tasks that ask for them. Here it holds the lease on the array.
    """

    def __init__(
        self,
        name: str,
        cuts: tuple[Cuts, ...],
        topic: str,
        data: Block | None = None,
        lease: Lease | None = None,
    ) -> None:
        super().__init__(name)
        self.cuts, self.topic, self.data, self.lease = cuts, topic, data, lease

    @property
    def grid_shape(self) -> tuple[int, ...]:
        return tuple(c.count for c in self.cuts)

    def task(self, index: tuple[int, ...]) -> GraphNode:
        key = (self.name, *index)
        if self.data is not None:
            return DataNode(key, self.data[block_box(self.cuts, index).index()])
        asked = (self.topic, self.name, index)
        return written_task(key, fetch_block, asked, frozenset(), data_producer=True)

    def __reduce__(self) -> tuple[Any, ...]:
        shelf = None if self.lease is None else self.lease.registry
        if isinstance(shelf, InputRegistry):
            shelf.listen()  # a client that came later may be what it travels by
        return ServedArrayLayer, (self.name, self.cuts, self.topic)


SHELF: Final = InputRegistry()
