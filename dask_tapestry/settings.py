"""Settings: Dask's configuration under the key ``tapestry``, with a context manager."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeAlias, TypeVar

import dask.config
from dask.utils import parse_bytes

from dask_tapestry.amounts import (
    bytes_of,
    device_name,
    folder_or_url,
    one_of,
    optional,
    refuse_unknown,
    truth,
    walltime,
    whole_number,
)

F = TypeVar("F", bound=Callable[[str, Any], object])


DEFAULTS: dict[str, object] = {
    "resources": None,  # a Resources, or None for this machine or the live cluster
    "memory-limit": None,  # bytes or "2 GiB" a worker, or None for what the machine has
    "max-tasks": 1_000_000,  # above this a plan is refused: the scheduler would drown
    "block-bytes": None,  # the working set that no block should exceed; None: cost decides
    "kept-memory": None,  # bytes of gone arrays that a process keeps; None: a tenth of its memory
    "relax-placement": False,  # let other workers do what is placed on workers that are busy
    "line-numbers": True,  # keep the user's source line beside each node
    "walltime": None,  # seconds that a worker has, or "1 h": a task takes a quarter at most
    "resume": False,  # whether writes to Zarr that say nothing are resumed; or "checksums"
    "rules": (),  # the user's, made by dt.rule, or "module:name" of them
    "mutators": (),  # the same, made by dt.mutator
    "keep-plans": True,  # on disk, where they took long to find, for later processes
    "rates": "measured",  # how fast machines are: "measured", "shipped", a file, or a dictionary
    "device": None,  # of new arrays: "cpu", "cuda" or "cuda:1"; None for the CPU
    "host-parts": True,  # whether the host computes what is quicker there, though it is a device's
    "temporary-store": None,  # folder or URL that all workers reach, for what they cannot hold
    "algebra": "exact",  # or "fast": rules that change floating-point bits of sums and quotients
}
BLOCK_BYTES = 32 * 2**20  # of canonical chunks, and up to which freed memory is used again


def resuming(name: str, given: Any) -> Any:
    """The way to resume that is `given` for a parameter: True, False or ``"checksums"``.

    Examples
    --------
    >>> resuming("resume", "checksums"), resuming("resume", 1)
    ('checksums', True)
    """
    return given if isinstance(given, str) and given == "checksums" else truth(name, given)


Check: TypeAlias = Callable[[str, Any], object]  # is given a setting's name and value, may raise
_checks: dict[str, Check] = {
    "memory-limit": optional(bytes_of),
    "max-tasks": whole_number,
    "block-bytes": optional(bytes_of),
    "kept-memory": optional(partial(bytes_of, least=0)),
    "relax-placement": truth,
    "line-numbers": truth,
    "host-parts": truth,
    "keep-plans": truth,
    "device": optional(device_name),
    "algebra": partial(one_of, choices=("exact", "fast")),
    "resume": resuming,
    "walltime": optional(walltime),
    "temporary-store": optional(folder_or_url),
}

dask.config.update_defaults({"tapestry": DEFAULTS})


def setting(key: str) -> Any:
    """Return the value in force of the setting `key`, as in ``setting("max-tasks")``.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If Dask's configuration, or the environment, has a value that the setting does not take.
    """
    try:
        value = dask.config.config["tapestry"][key]  # where `dask.config.get` looks first
    except (KeyError, TypeError):
        value = dask.config.get(f"tapestry.{key}")
    if value is not DEFAULTS[key] and key in _checks:
        _checks[key](argument(key), value)
    return value


def of_dask(key: str) -> Any:
    """The value in force of an option of Dask's; None if it has none, or no such option.

    `dask.config.get` takes a microsecond for it, and each compute asks ten times for some of them.

    Examples
    --------
    >>> with dask.config.set({"num-workers": 3}):
    ...     of_dask("num_workers")
    3
    """
    known: Any = dask.config.config
    if key in known:
        return known[key]
    for name, other in _names_of(key):
        if not isinstance(known, dict):
            return None
        known = known[name] if name in known else known.get(other)
    return known


@lru_cache(maxsize=64)
def _names_of(key: str) -> tuple[tuple[str, str], ...]:
    """The parts of a key, each with how it is written with hyphens or with underscores instead."""
    return tuple(
        [
            (name, name.replace("_", "-") if "_" in name else name.replace("-", "_"))
            for name in key.split(".")
        ]
    )


def checked_by(key: str) -> Callable[[F], F]:
    """Have the decorated function check the setting `key`, which is of its module's own type."""

    def keep(check: F) -> F:
        _checks[key] = check
        return check

    return keep


def argument(key: str) -> str:
    """Name of the argument of `config` for a setting."""
    return key.replace("-", "_")


def block_bytes() -> int:
    """Bytes of the working set of a block, as the user said or as suits most machines."""
    wished = setting("block-bytes")
    return BLOCK_BYTES if wished is None else int(parse_bytes(wished))


def config(**settings: object) -> dask.config.set:
    """Change settings, for good or inside a ``with`` block.

    Parameters
    ----------
    **settings
        ``resources``, ``memory_limit`` (bytes a worker), ``max_tasks``, ``block_bytes``
        (working set a block aims at, in bytes), ``kept_memory`` (bytes of results and intermediate
        arrays that are gone, which a process keeps some seconds for the next ones; by default a
        tenth of its memory, 1 GiB at most),
        ``relax_placement``, ``line_numbers``, ``resume`` (whether `to_zarr`, and `store` into Zarr
        arrays, go on where the same write was killed, as their ``resume=`` says), ``device``
        (of arrays that functions make anew, as ``"cuda"``: see ``device=`` of `full`),
        ``host_parts`` (whether the host computes of arrays on a device what is quicker there, as a
        plan finds by its cost; results lie where they were asked for), ``keep_plans`` (whether what
        took long to find is kept on disk for later processes, beside compiled kernels), ``rates``
        (how fast machines are: ``"measured"``, as `calibrate` found or else as shipped,
        ``"shipped"``, the path of a file of rates, or some
        of them by name), ``algebra`` (``"exact"``, or ``"fast"``:
        rewrite as algebra allows, though floating-point bits change), ``walltime`` (what a worker
        has until its time limit, as ``"1 h"`` or ``"01:00:00"``: no task is planned to take more
        than a quarter; by default what the cluster's workers are started with), ``rules`` (a list
        of rules that `rule` made, instead of those before), ``mutators`` (the same of `mutator`).

    Returns
    -------
    dask.config.set
        A context manager; leaving it puts the settings back.

    Raises
    ------
    TypeError
        For a setting that does not exist.
    ValueError
        For a value that a setting does not take.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> with dt.config(memory_limit="1 GiB"):
    ...     dt.plan(dt.ones((4, 4))).cost["tasks"]
    1
    """
    known = [argument(key) for key in DEFAULTS]
    refuse_unknown("config", settings, known, f"; there are {', '.join(sorted(known))}")
    named = {key.replace("_", "-"): value for key, value in settings.items()}
    for key in named.keys() & _checks.keys():
        _checks[key](argument(key), named[key])
    return dask.config.set({f"tapestry.{key}": value for key, value in named.items()})
