"""Blocks on workers: which arrays of this process lie on a cluster, and how many bytes they take.

A plan counts the blocks of its own inputs. Arrays that others hold on the same workers take memory
too, for as long as somebody holds them here.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any, Final
from weakref import WeakValueDictionary

from dask_tapestry.teg import Source

GONE: Final = ("cancelled",)  # states of a future; one that is "lost" may be computed again
_held: Final[WeakValueDictionary[tuple[int, str, int], Source]] = WeakValueDictionary()


def remember_blocks(source: Source, key_name: str, graph: Mapping[Any, Any]) -> None:
    """Count the blocks of `source` for as long as it lives, if they are futures of a cluster.

    They are what `graph` has under keys that begin with `key_name`.
    """
    future = _any_future(key_name, graph)
    if future is not None:
        _held[id(future.client), key_name, id(source)] = source


def bytes_on_workers(client: Any, but: Collection[str] = ()) -> int:
    """Bytes of all arrays whose blocks `client` holds on its workers, but of those named.

    Examples
    --------
    >>> bytes_on_workers(None)
    0
    """
    if not _held:
        return 0
    found = {
        name: source.infer().nbytes
        for (owner, name, _), source in list(_held.items())
        if owner == id(client) and name not in but
    }
    return sum(found.values())


def holds_futures(key_name: str, graph: Mapping[Any, Any]) -> bool:
    """Whether blocks are futures, which are a client's."""
    return _any_future(key_name, graph) is not None


def are_gone(key_name: str, graph: Mapping[Any, Any]) -> bool:
    """Whether blocks are futures whose values no cluster has any more, nor will have.

    So it is when their client was closed or restarted its workers, and when they were cancelled.
    """
    if not holds_futures(key_name, graph):
        return False
    return any(future.status in GONE for future in blocks_there(key_name, graph).values())


def _any_future(key_name: str, graph: Mapping[Any, Any]) -> Any:
    """One of the futures that the blocks are; None where they are tasks, or arrays in memory."""
    module = sys.modules.get("distributed.client")
    if module is None:
        return None
    value = next(iter(blocks_there(key_name, graph).values()), None)
    return value if isinstance(value, module.Future) else None


def blocks_there(key_name: str, graph: Mapping[Any, Any]) -> dict[Any, Any]:
    """The blocks where they are there already, not to be computed by tasks; else none."""
    layer = getattr(graph, "layers", {}).get(key_name)
    blocks = graph if layer is None else getattr(layer, "mapping", None)
    return blocks if type(blocks) is dict else {}
