"""The machines that a script is planned for: of the command, else what the script declares."""

from __future__ import annotations

import argparse
from typing import Any, Final

import dask.config

from dask_tapestry.basic_errors import TapestryError
from dask_tapestry.command.main import UsageError
from dask_tapestry.planner.machine.resources import Resources

KEY: Final = "tapestry.resources"
NAMES: Final = {
    "workers": "worker processes",
    "threads": "threads of each worker",
    "memory": 'memory of each worker, as "32 GiB"',
    "bandwidth": 'between workers, as "10 GB/s" of each',
    "store-bandwidth": "most that storage gives or takes for all workers",
    "worker-bandwidth": "most that one worker gets from storage",
    "store-latency": 'of a request to storage, as "20 ms"',
}


def add_resources(parser: argparse.ArgumentParser) -> None:
    """Have a parser take the fields of `Resources`."""
    group = parser.add_argument_group("machines to plan for, instead of the script's own")
    for name, text in NAMES.items():
        kind = int if name in ("workers", "threads") else str
        group.add_argument(f"--{name}", type=kind, help=text, metavar="N" if kind is int else "A")


def declared_of(told: argparse.Namespace) -> Resources | None:
    """The resources that the arguments declare; None where they say nothing.

    Raises
    ------
    UsageError
        For amounts that are none.
    """
    names = [name.replace("-", "_") for name in NAMES]
    given: dict[str, Any] = {n: getattr(told, n) for n in names if getattr(told, n) is not None}
    try:
        return Resources(**given) if given else None
    except TapestryError as error:
        raise UsageError(str(error)) from None


def suggest(found: Resources) -> None:
    """Plan for `found` from now on, unless something was declared that is not of a stand-in."""
    known = dask.config.get(KEY, None)
    if known is None or known is _suggested.get("last"):
        _suggested["last"] = found
        dask.config.set({KEY: found})


_suggested: dict[str, Resources] = {}
