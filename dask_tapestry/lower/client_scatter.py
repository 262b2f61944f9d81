"""Arrays in memory, sent ahead to a cluster's workers in blocks while a plan is lowered."""

from __future__ import annotations

from itertools import product
from typing import Any
from uuid import uuid4

from dask_tapestry.lower.dask_private import live_clients
from dask_tapestry.plan.fusion.given import scatter_cuts
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts, block_box


def can_scatter(client: Any) -> bool:
    """Whether arrays may be sent ahead to a client's workers.

    Not from inside its event loop, where sending cannot be waited for; nor where several clients
    live, as the one that will compute is not known while planning; nor before there are workers, as
    on a batch cluster whose jobs are queued. Arrays then travel with tasks.
    """
    if client is None or client.asynchronous or len(live_clients()) != 1:
        return False
    return bool(client.scheduler_info(n_workers=-1).get("workers"))


class ClientScatter:
    """Sends each array once; the futures live as long as this object."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.futures: dict[str, Any] = {}
        self._sent: dict[Node, tuple[str, tuple[Cuts, ...]]] = {}

    def send(self, x: Node) -> tuple[str, tuple[Cuts, ...]]:
        """Send the array of a source node; return the first part of its keys, and its cuts."""
        if x not in self._sent:
            cuts = scatter_cuts(x.type.shape, x.type.dtype.itemsize)
            name = f"tapestry-memory-{uuid4().hex}"  # never one that is just being released
            data = x.operator.data  # type: ignore[attr-defined]
            blocks = {}
            for index in product(*(range(c.count) for c in cuts)):
                blocks[(name, *index)] = data[block_box(cuts, index).index()]
            self.futures |= self.client.scatter(blocks, hash=False)
            self._sent[x] = name, cuts
        return self._sent[x]
