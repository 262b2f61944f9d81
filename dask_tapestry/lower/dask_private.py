"""All of Dask's private interface that this library uses, in one place.

Tested with Dask 2026.8. Everything else imports these names from here.
"""

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

import dask.config
from dask._expr import CompositeExpr, Expr, FinalizeCompute, HLGExpr
from dask._expr import CompositeFinalizeCompute as FinalComposite
from dask._expr import _ExprSequence as ExprSequence
from dask._expr import _HLGExprSequence as HLGExprSequence
from dask._task_spec import Alias, DataNode, GraphNode, Task, TaskRef, convert_legacy_graph
from dask.highlevelgraph import HighLevelGraph

from dask_tapestry.imports import lazy_import
from dask_tapestry.planner.machine.adaptive import Growth, set_growth_probe
from dask_tapestry.planner.walltime import knows_lifetime

__all__ = [
    "Alias",
    "CompositeExpr",
    "DataNode",
    "Expr",
    "ExprSequence",
    "FinalComposite",
    "FinalizeCompute",
    "GraphNode",
    "HLGExpr",
    "HLGExprSequence",
    "HighLevelGraph",
    "Task",
    "TaskRef",
    "as_completed",
    "computed_elsewhere",
    "convert_legacy_graph",
    "current_worker",
    "growth_of",
    "is_leaving",
    "key_of_exchange",
    "lifetime_of",
    "live_clients",
    "live_schedulers",
    "put_on_worker",
    "receive_parts",
    "release",
    "seceded",
    "send_parts",
    "tell_scheduler",
    "unwanted_task",
    "waiting_for_parts",
    "written_task",
]

Chunks: TypeAlias = tuple[tuple[int, ...], ...]
_new_task = object.__new__


def written_task(
    key: Any,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    dependencies: frozenset[Any],
    data_producer: bool = False,
) -> Task:
    """A task whose dependencies, the keys of the references among its arguments, are known.

    The class itself looks at each argument for them: 2.3 µs for two references, here .9 µs.
    """
    task: Task = _new_task(Task)
    task.key, task.func, task.args, task.kwargs = key, function, arguments, {}
    task._dependencies = dependencies
    task._data_producer = data_producer
    task._is_coro = task._token = task._repr = None
    return task


def live_clients() -> list[Any]:
    """All clients of distributed in this process that are not closed."""
    module = sys.modules.get("distributed.client")
    instances = module.Client._instances if module is not None else ()
    return [client for client in instances if client.status == "running"]


def live_schedulers() -> list[Any]:
    """The schedulers of distributed in this process."""
    module = sys.modules.get("distributed.scheduler")
    instances = list(module.Scheduler._instances) if module is not None else []
    return [one for one in instances if one.status.name in ("init", "running")]


def growth_of(client: Any) -> Growth | None:
    """What the cluster of a client may become; None unless this process has made it adapt."""
    cluster = getattr(client, "cluster", None)
    adaptive = getattr(cluster, "_adaptive", None)
    if adaptive is None or not adaptive.periodic_callback:  # it was stopped
        return None
    spec = getattr(cluster, "new_spec", None) or {}
    return Growth(adaptive.maximum, spec.get("options") or {})


def lifetime_of(client: Any) -> Any:
    """How long the workers of a client's cluster live, as they are started; None if it says not.

    That is ``--lifetime`` of workers, or the time limit of their batch jobs.
    """
    options = (getattr(getattr(client, "cluster", None), "new_spec", None) or {}).get(
        "options"
    ) or {}
    more = [str(one) for one in options.get("worker_extra_args") or ()]
    if "--lifetime" in more[:-1]:
        return more[more.index("--lifetime") + 1]
    set_ = dask.config.get("distributed.worker.lifetime.duration", None)
    return options.get("lifetime") or options.get("walltime") or set_


async def put_on_worker(client: Any, address: str, key: Any, value: Any) -> None:
    """Send a value from a client straight to a worker, which has it under a key from then on."""
    packed = sys.modules["distributed.protocol"].to_serialize(value)
    await client.rpc(address).update_data(data={key: packed})


async def tell_scheduler(
    client: Any, who_has: Mapping[Any, list[str]], sizes: Mapping[Any, int]
) -> bool:
    """Say which keys' values were put on which workers, and that the client wants them.

    Return whether the scheduler knows all of these workers; if not, it is to forget the keys: it
    would take those of a worker that has just died to be in memory.
    """
    try:
        await client.scheduler.update_data(who_has=who_has, nbytes=sizes, client=client.id)
    except KeyError:
        found = await client.scheduler.get_task_status(keys=list(who_has))
        known = [key for key, state in found.items() if state is not None]
        wish = {"op": "client-desires-keys", "keys": known, "client": client.id}
        client._send_to_scheduler_safe(wish)
        release(client, known)
        return False
    return True


def release(client: Any, keys: list[Any]) -> None:
    """Say, in the thread of a client, that it does not want some keys any more."""
    with suppress(OSError):  # without a scheduler nobody has them
        message = {"op": "client-releases-keys", "keys": keys, "client": client.id}
        client._send_to_scheduler_safe(message)


def known_futures(client: Any, keys: list[Any]) -> list[Any] | None:
    """Futures of all of these keys, which keep results that a client has, or will have; or None."""
    known = client.futures
    if not all(key in known and known[key].status in ("pending", "finished") for key in keys):
        return None
    return [sys.modules["distributed"].Future(key, client) for key in keys]


def as_completed(futures: list[Any], client: Any) -> Any:
    """Futures of a client as they are completed; `batches` gives those that are."""
    return sys.modules["distributed"].as_completed(futures, loop=client.loop)


@contextmanager
def seceded() -> Iterator[None]:
    """Inside a ``with`` block, a task that waits for others leaves its thread to them."""
    distributed = sys.modules["distributed"]
    has_seceded = False
    if getattr(sys.modules["distributed.worker"].thread_state, "key", False):
        with suppress(KeyError):  # it has left it before, and is not to take it back here
            distributed.secede()
            has_seceded = True
    try:
        yield
    finally:
        if has_seceded:
            distributed.rejoin()


def waiting_for_parts(
    key: str, run: str, sent: list[Any], held: Chunks, tiles: Chunks, on_disk: bool
) -> Any:
    """The task of distributed's own that waits until all parts of an exchange have been sent.

    Parameters
    ----------
    key, run
        Of the task, which `key_of_exchange` gives, and the name of the exchange.
    sent
        Keys of the tasks that send the parts.
    held, tiles
        Lengths of the blocks that are sent, and of those that are received, along each axis.
    """
    logging.getLogger("distributed.shuffle._scheduler_plugin").addFilter(is_no_routine)
    shuffle = lazy_import("distributed.shuffle._rechunk")
    spec = shuffle.ArrayRechunkSpec(id=run, disk=on_disk, new=tiles, old=held)
    task = lazy_import("distributed.shuffle._core").P2PBarrierTask
    return task(key, shuffle.p2p_barrier, run, *map(TaskRef, sent), spec=spec)


def is_no_routine(record: logging.LogRecord) -> bool:
    """Whether a scheduler tells more of an exchange than that it began, or ended as it should.

    Of each it warns of both, on the page that a user reads.
    """
    run, *_, last = record.args if isinstance(record.args, tuple) and record.args else ("", "")
    routine = "initialized by" in record.msg or str(last).startswith("task-finished")
    return not (routine and "-exchange-" in str(run))


def key_of_exchange(run: str) -> str:
    """The key by which a scheduler finds an exchange."""
    return str(lazy_import("distributed.shuffle._core").barrier_key(run))


def send_parts(block: Any, run: str, number: tuple[int, ...]) -> int:
    """Send the parts of a block to the workers that are to have them."""
    return int(lazy_import("distributed.shuffle._rechunk").rechunk_transfer(block, run, number))


def receive_parts(run: str, number: tuple[int, ...], ready: int) -> Any:
    """The block of an exchange whose parts this worker was sent."""
    return lazy_import("distributed.shuffle._rechunk").rechunk_unpack(run, number, ready)


def current_worker() -> Any:
    """The worker of distributed that runs this task."""
    return sys.modules["distributed.worker"].get_worker()


def travels_from_here(error: BaseException | None) -> bool:
    """Whether a client would get an error that is raised here; one of this process has it."""
    module = sys.modules.get("distributed.worker")
    if error is None or module is None or not getattr(module.thread_state, "key", None):
        return True
    pickle = sys.modules["distributed.protocol.pickle"]
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


def unwanted_task() -> Callable[[], bool] | None:
    """What tells whether a worker was told to forget the task of this thread; None in none."""
    module = sys.modules.get("distributed.worker")
    try:
        worker = None if module is None else module.get_worker()
    except ValueError:
        return None
    key = getattr(module.thread_state, "key", None) if module is not None else None
    if worker is None or key is None:
        return None
    tasks = worker.state.tasks

    def is_unwanted() -> bool:
        task = tasks.get(key)
        return task is None or task.state == "cancelled" or is_leaving(worker)

    return is_unwanted


def is_leaving(worker: Any) -> bool:
    """Whether a worker closes, or will once what lies on it has been copied: nobody sends to it."""
    return str(worker.status.name) in ("closing_gracefully", "closing", "closed", "failed")


def computed_elsewhere() -> Exception:
    """What a task raises that another worker is to compute."""
    found: Exception = sys.modules["distributed.exceptions"].Reschedule()
    return found


set_growth_probe(growth_of)
knows_lifetime(lifetime_of)
