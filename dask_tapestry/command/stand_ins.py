"""Stand-ins for Dask's clients and clusters: a script that is planned starts no process.

They know what scripts of arrays do with them: start, scale, compute, persist, wait, show progress,
close. All else would need a cluster, and stops the plan at that line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Final

from dask import base
from dask.utils import parse_bytes

from dask_tapestry.imports import lazy_import
from dask_tapestry.planner.machine.resources import Resources

Needed = Callable[[str], BaseException]
MODULES: Final = ("distributed", "dask.distributed", "distributed.client", "dask_jobqueue")
MORE: Final = ("dask_jobqueue.slurm", "dask_cuda", "dask_mpi", "dask_gateway", "coiled")
QUIET: Final = frozenset(  # what a script calls for its effect on a cluster alone
    "adapt cancel close forward_logging register_plugin register_worker_plugin restart "
    "retire_workers scale shutdown start sync upload_file wait_for_workers".split()
)


class StandIn:
    """What stands for a client or a cluster.

    Parameters
    ----------
    *arguments, **options
        As those of what it stands for.
    """

    needed: Needed
    dashboard_link = "(no cluster is started)"
    scheduler_address = "(none)"
    status = "running"
    asynchronous = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if options.get("asynchronous"):
            raise self.needed("an asynchronous client")
        self.arguments, self.options = arguments, options
        for given in arguments:
            if isinstance(given, StandIn):
                self.options = {**given.options, **options}
        self.tell(_workers_of(self.options))

    def tell(self, workers: int | None) -> None:
        """Plan for what a cluster would have, as far as it is said."""
        found = resources_of(self.options, workers)
        if found is not None:
            lazy_import("dask_tapestry.command.declared_machines").suggest(found)

    def scale(self, n: int | None = None, jobs: int | None = None, **_: Any) -> None:
        """Plan for so many workers."""
        if jobs is not None:
            n = jobs * int(self.options.get("processes", 1))
        self.tell(n)

    def adapt(self, maximum: Any = None, maximum_jobs: int | None = None, **_: Any) -> None:
        """Plan for as many workers as there may be."""
        if maximum_jobs is not None:
            maximum = maximum_jobs * int(self.options.get("processes", 1))
        if isinstance(maximum, int):
            self.tell(maximum)

    @property
    def n_workers(self) -> int:
        """Workers that were asked for."""
        return _workers_of(self.options) or 1

    def compute(self, collections: Any, *_: Any, sync: bool = False, **__: Any) -> Any:
        """Plan collections; return futures that are done."""
        several = isinstance(collections, list | tuple | set | frozenset)
        values = base.compute(*(collections if several else [collections]))
        if sync:
            return list(values) if several else values[0]
        futures = [StandInFuture(value) for value in values]
        return futures if several else futures[0]

    def persist(self, collections: Any, *_: Any, **__: Any) -> Any:
        """Plan collections; return them as if they were kept."""
        if isinstance(collections, list | tuple | set | frozenset):
            return list(base.persist(*collections))
        return base.persist(collections)[0]

    def gather(self, futures: Any, *_: Any, **__: Any) -> Any:
        """The values of futures, however nested."""
        if isinstance(futures, StandInFuture):
            return futures.result()
        if isinstance(futures, Mapping):
            return {name: self.gather(one) for name, one in futures.items()}
        return [self.gather(one) for one in futures] if isinstance(futures, Iterable) else futures

    def scheduler_info(self, *_: Any, **__: Any) -> dict[str, Any]:
        """No workers."""
        return {"workers": {}}

    def as_current(self) -> StandIn:
        """The stand-in itself."""
        return self

    @classmethod
    def current(cls, **_: Any) -> StandIn:
        """None of Dask's: it asks for the client that its own computes are to run on.

        Raises
        ------
        ValueError
            As where there is none.
        """
        raise ValueError("no clients are started")

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in QUIET:
            return _no_result
        raise self.needed(f"what {type(self).__name__}.{name} gives")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: it is planned for, and not started>"


class StandInFuture:
    """A future of something that is planned: of a write it is done."""

    status, key = "finished", "planned"

    def __init__(self, value: Any) -> None:
        self._value = value

    def result(self, timeout: Any = None) -> Any:
        """The value."""
        return self._value

    def done(self) -> bool:
        """True: a future of a stand-in is always done."""
        return True

    def release(self) -> None:
        """Forget it."""

    cancel = release


def _no_result(*_: Any, **__: Any) -> None:
    return None


def _workers_of(options: Mapping[str, Any]) -> int | None:
    found = options.get("n_workers")
    return found if isinstance(found, int) and found > 0 else None


def resources_of(options: Mapping[str, Any], workers: int | None) -> Resources | None:
    """What a cluster of such options, and so many workers, would be; None if it says too little.

    Examples
    --------
    >>> print(resources_of({"cores": 8, "processes": 2, "memory": "32 GiB"}, 4))
    4 workers, 4 threads, 16.00 GiB each
    >>> resources_of({}, None)
    """
    if workers is None:
        return None
    processes = int(options.get("processes") or 1)
    amounts: dict[str, Any] = {"workers": workers}
    threads = options.get("threads_per_worker") or int(options.get("cores") or 0) // processes
    if threads:
        amounts["threads"] = threads
    memory = options.get("memory_limit") or options.get("memory")
    if isinstance(memory, int | str) and memory != "auto":
        amounts["memory"] = int(parse_bytes(memory)) // processes
    return Resources(**amounts)


def _waited(futures: Any, *_: Any, **__: Any) -> Any:
    """What `wait` and `progress` return: all is done."""
    return futures


@contextmanager
def standing_in(needed: Needed) -> Iterator[None]:
    """Inside a ``with`` block, Dask's clients and clusters are stand-ins.

    `needed` makes the exception that stops a script where a stand-in does not do.
    """
    StandIn.needed = staticmethod(needed)
    changed: list[tuple[Any, str, Any]] = []
    try:
        for name in (*MODULES, *MORE):
            if find_spec(name.partition(".")[0]) is None:
                continue
            module = _imported(name)
            for attribute, value in [] if module is None else list(vars(module).items()):
                stand_in = _stand_in_for(attribute, value)
                if stand_in is not None:
                    changed.append((module, attribute, value))
                    setattr(module, attribute, stand_in)
        yield
    finally:
        for module, attribute, value in reversed(changed):
            setattr(module, attribute, value)


def _imported(name: str) -> Any:
    try:
        return lazy_import(name)
    except Exception:  # a package that is half installed is the script's matter
        return sys.modules.get(name)


def _stand_in_for(name: str, value: Any) -> Any:
    """What stands for a module's attribute; None where it may stay."""
    if isinstance(value, type) and (name == "Client" or name.endswith(("Cluster", "Runner"))):
        return type(name, (StandIn,), {})
    if name in ("wait", "progress", "fire_and_forget", "as_completed") and callable(value):
        return _waited
    return None
