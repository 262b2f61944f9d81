"""New versions of published datasets: put in place at once, and only over the one that was read.

A reader takes a dataset in two steps: it asks what the futures are, then tells the scheduler that
it wants them. The blocks of a version that is replaced between the two stay for a while.
"""

from __future__ import annotations

from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

from distributed import SchedulerPlugin

from dask_tapestry.scheduler.replicas import ReplicaKeeper

GRACE: Final = 15.0  # seconds; a reader takes milliseconds, of a busy scheduler seconds


class DatasetVersions(SchedulerPlugin):
    """Replaces published datasets, and counts their versions."""

    name = "dask_tapestry-datasets"

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.locks: defaultdict[Any, Lock] = defaultdict(Lock)

    async def start(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        scheduler.handlers["tapestry_replace_dataset"] = self.replace
        scheduler.handlers["tapestry_dataset_versions"] = self.versions

    async def replace(
        self,
        dataset: Any,
        read: Sequence[Any] | None,
        keys: Sequence[Any],
        data: Any,
        client: str,
        uid: str,
    ) -> int | None:
        """Publish `data`, made of `keys`, under the name `dataset`; return its version.

        None, and nothing changes, where the dataset is no longer the one of the keys `read`.
        """
        published = self.scheduler.extensions["publish"]
        async with self.locks[dataset]:
            before = published.datasets.get(dataset)
            if read is not None and (before is None or {*before["keys"]} != {*read}):
                await published._sync_batched_send(client, uid)
                return None
            if before is not None:
                self._hold(before["keys"])
            await published.put([dataset], [keys], [data], True, client, uid)
            self.numbers[dataset] = 1 if before is None else self.numbers.get(dataset, 1) + 1
            return self.numbers[dataset]

    def versions(self) -> dict[str, dict[Any, int]]:
        """For each dataset the number of its version, and how many workers shall hold a block."""
        published = self.scheduler.extensions["publish"].datasets
        for gone in self.numbers.keys() - published.keys():
            del self.numbers[gone]
        keeper = self.scheduler.plugins.get(ReplicaKeeper.name)
        wanted = keeper.wanted if keeper else {}
        replicas = {
            name: min((wanted.get(key, 1) for key in one["keys"]), default=1)
            for name, one in published.items()
        }
        return {
            "versions": {name: self.numbers.get(name, 1) for name in published},
            "replicas": replicas,
        }

    def _hold(self, keys: Sequence[Any]) -> None:
        """Have the scheduler keep keys for readers that have just asked for them."""
        holder = f"tapestry-readers-{uuid4().hex}"
        self.scheduler.client_desires_keys(keys, holder)
        self.scheduler.loop.call_later(GRACE, self._release, keys, holder)

    def _release(self, keys: Sequence[Any], holder: str) -> None:
        self.scheduler.client_releases_keys(keys, holder)
        self.scheduler.clients.pop(holder, None)
