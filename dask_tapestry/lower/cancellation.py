"""Cancels the blocks of a compute that has ended before them: by Ctrl-C, or as one failed.

The tasks of a cluster are released by who waits for them (`lower/fetch.py`).

Dask's schedulers of this process leave what their threads compute alone, and the process waits for
these when it exits. A worker of a cluster is told that a task is not wanted, and finishes it
nevertheless. So a block asks, between its turns: here whether its compute has ended, which a
callback of Dask's notes; on a worker whether its task was released. A block whose thread begins it
after its compute has ended stops at once; another compute of its graph is noted as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final
from weakref import WeakSet

from dask.callbacks import Callback

from dask_tapestry.errors import ComputeError
from dask_tapestry.lower.dask_private import computed_elsewhere, unwanted_task
from dask_tapestry_kernels.stopping import Asked


class Cancellation:
    """The flag by which the blocks of one compute are asked to stop.

    Those that begin later stop as well, until another compute of their graph begins.
    """

    __slots__ = ("__weakref__", "_has_ended", "_times")

    def __init__(self) -> None:
        self._times, self._has_ended = 0, False
        Callback.active.update(_OURS)  # computes of several threads may have lost Dask's callbacks

    def ask(self) -> None:
        """Have all blocks stop that are computed now, and those that threads have yet to begin."""
        self._has_ended = True  # first: a block that begins meanwhile sees this or that
        self._times += 1
        _ENDED.add(self)

    def begin(self) -> None:
        """Have blocks compute that begin from now on."""
        self._has_ended = False
        _ENDED.discard(self)

    def stop_check(self) -> Asked | None:
        """Whether a block that begins now is to stop; None if nobody asks it."""
        return partial(self._was_asked_since, self._times - self._has_ended)

    def error(self) -> Exception:
        """What a block that was stopped raises."""
        return ComputeError("the compute has ended before this block")

    def _was_asked_since(self, times: int) -> bool:
        return self._times > times

    def __reduce__(self) -> tuple[Callable[[], Cancellation], tuple[()]]:
        return WorkerCancellation, ()


class WorkerCancellation(Cancellation):
    """Cancellation in a worker process: the worker knows which tasks are still wanted."""

    __slots__ = ()

    def stop_check(self) -> Asked | None:
        return unwanted_task()

    def error(self) -> Exception:
        return computed_elsewhere()  # if it is wanted again by now


def _begin_graph(graph: Mapping[Any, Any]) -> None:
    """Have blocks of a graph compute though those of a compute before were stopped."""
    if _ENDED:
        for stop in _cancellations(graph):
            stop.begin()


def _stop_graph(graph: Mapping[Any, Any], state: Any, failed: bool) -> None:
    """Stop the blocks of a graph that a scheduler of this process has left."""
    del state
    if failed:
        for stop in _cancellations(graph):
            stop.ask()


def _cancellations(graph: Mapping[Any, Any]) -> list[Cancellation]:
    arguments = [getattr(task, "args", ()) for task in graph.values()]
    stops = [getattr(first[0], "stop", None) for first in arguments if first]
    return list({id(stop): stop for stop in stops if isinstance(stop, Cancellation)}.values())


_ENDED: Final = WeakSet[Cancellation]()
"""Those whose blocks stop as they begin."""
_OURS: Final[set[Any]] = {(_begin_graph, None, None, None, _stop_graph)}
Callback.active.update(_OURS)


class CancellationCallback(Callback):
    """A callback that keeps no blocks, so that its looking on changes nothing."""

    looks = False

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Inside a ``with`` block, it sees what is computed in this process.

        Computes of several threads put Dask's callbacks aside and back, and with them some that
        are over: the next one takes these away.
        """
        self.looks = True
        try:
            with self:
                yield
        finally:
            self.looks = False
            over = {one for one in Callback.active if (who := _onlooker(one)) and not who.looks}
            Callback.active.difference_update(over)


def _onlooker(functions: tuple[Any, ...]) -> CancellationCallback | None:
    """Whose functions these are, if an onlooker's."""
    who = getattr(functions[0], "__self__", None)
    return who if isinstance(who, CancellationCallback) else None


def is_watched() -> bool:
    """Whether callbacks of others look at what Dask computes in this process."""
    return any(_onlooker(one) is None for one in Callback.active - _OURS)
