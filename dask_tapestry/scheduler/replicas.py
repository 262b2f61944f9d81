"""Replicas of blocks on several workers: made, and kept when workers come and go.

Dask's active memory manager drops all copies of a block but one every few seconds. Here it asks
first how many are wanted, and makes those that are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from distributed import SchedulerPlugin
from distributed.active_memory_manager import (
    ActiveMemoryManagerExtension,
    ReduceReplicas,
    Suggestion,
)


class WantedReplicas(ReduceReplicas):
    """A policy: of each key as many copies as are `wanted`, of all others one.

    Source: distributed, "Active Memory Manager", custom policies.
    """

    def __init__(self, wanted: dict[Any, int]) -> None:
        super().__init__()
        self.wanted = wanted

    def run(self) -> Iterator[Suggestion]:  # type: ignore[override]  # nobody is told the worker
        surplus: dict[Any, int] = {}
        for suggestion in super().run():
            task = suggestion.ts
            if task.key in self.wanted:
                held = len(task.who_has or ())
                left = surplus.setdefault(task, held - self.wanted[task.key])
                surplus[task] = left - 1
                if left <= 0:
                    continue
            yield suggestion
        yield from self._missing()

    def _missing(self) -> Iterator[Suggestion]:
        scheduler = self.manager.scheduler
        for key, count in self.wanted.items():
            task = scheduler.tasks.get(key)
            if task is None or not task.who_has:
                continue
            coming, _ = self.manager.pending.get(task, ((), ()))
            for _ in range(min(count, len(scheduler.running)) - len(task.who_has) - len(coming)):
                yield Suggestion("replicate", task)


class ReplicaKeeper(SchedulerPlugin):
    """Keeps as many copies of keys as clients asked for, for as long as the keys are there."""

    name = "dask_tapestry-replicas"

    def __init__(self) -> None:
        self.wanted: dict[Any, int] = {}

    async def start(self, scheduler: Any) -> None:
        scheduler.stream_handlers["tapestry-replicas"] = self.keep
        manager = scheduler.extensions.get("amm")
        policy = WantedReplicas(self.wanted)
        if manager is None or not manager.running:
            ActiveMemoryManagerExtension(scheduler, {policy}, register=False, start=True)
            return
        plain = {known for known in manager.policies if type(known) is ReduceReplicas}
        manager.policies -= plain
        manager.add_policy(policy)

    def keep(self, keys: Iterable[Any], replicas: int, client: str = "") -> None:
        """Hold `replicas` copies of keys from now on."""
        for key in keys:
            self.wanted[key] = max(replicas, self.wanted.get(key, 1))

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if finish == "forgotten":
            self.wanted.pop(key, None)
