"""Registration of plugins: each once on a scheduler, by the client that first needs it."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

from dask_tapestry.errors import PlanError

_registered: Final[WeakKeyDictionary[Any, set[str]]] = WeakKeyDictionary()


async def register(client: Any, plugin: Any) -> None:
    """Have a plugin on the scheduler of `client`; one of the same name stays as it is.

    Raises
    ------
    PlanError
        If the scheduler's process cannot import it.
    """
    names = _registered.setdefault(client, set())
    if plugin.name in names:
        return
    try:
        await client._register_scheduler_plugin(plugin, plugin.name, idempotent=True)
    except ImportError as error:
        raise PlanError(
            f"the scheduler cannot import dask_tapestry ({error}): install it there, too"
        ) from error
    names.add(plugin.name)
