"""Settings: Dask's configuration under the key ``tapestry``, with a context manager."""

from __future__ import annotations

from typing import Any

import dask.config
from dask.utils import parse_bytes

DEFAULTS: dict[str, object] = {
    "resources": None,  # a Resources, or None for this machine or the live cluster
    "memory-limit": None,  # bytes or "2 GiB" a worker, or None for what the machine has
    "max-tasks": 1_000_000,  # above this a plan is refused: the scheduler would drown
    "block-bytes": None,  # the working set that no block should exceed; None: cost decides
    "kept-memory": None,  # bytes of gone arrays that a process keeps; None: a tenth of its memory
    "relax-placement": False,  # let other workers do what is placed on workers that are busy
    "line-numbers": True,  # keep the user's source line beside each node
    "rules": (),  # the user's, made by dt.rule, or "module:name" of them
    "mutators": (),  # the same, made by dt.mutator
    "rates": "measured",  # how fast machines are: "measured", "shipped", a file, or a dictionary
    "algebra": "exact",  # or "fast": rules that change floating-point bits of sums and quotients
}
BLOCK_BYTES = 32 * 2**20  # of canonical chunks, and up to which freed memory is used again
CHOICES = {"algebra": ("exact", "fast")}

dask.config.update_defaults({"tapestry": DEFAULTS})


def setting(key: str) -> Any:
    """Return the value in force of the setting `key`, as in ``setting("max-tasks")``."""
    return dask.config.get(f"tapestry.{key}")


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
        ``relax_placement``, ``line_numbers``, ``rates`` (how fast machines are: ``"measured"``,
        as `calibrate` found or else as shipped, ``"shipped"``, the path of a file of rates, or some
        of them by name), ``algebra`` (``"exact"``, or ``"fast"``:
        rewrite as algebra allows, though floating-point bits change), ``rules`` (a list of rules
        that `rule` made, instead of those before), ``mutators`` (the same of `mutator`).

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
    named = {key.replace("_", "-"): value for key, value in settings.items()}
    unknown = sorted(set(named) - set(DEFAULTS))
    if unknown:
        raise TypeError(f"unknown settings {unknown}; there are {sorted(DEFAULTS)}")
    for key, choices in CHOICES.items():
        if key in named and named[key] not in choices:
            raise ValueError(f"{key} is one of {choices}, not {named[key]!r}")
    return dask.config.set({f"tapestry.{key}": value for key, value in named.items()})
