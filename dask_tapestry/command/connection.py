"""Connecting a subcommand to the cluster it is told of: an address, or a scheduler's file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from dask_tapestry.command.main import UsageError
from dask_tapestry.imports import lazy_import

ADDRESS: Final = "DASK_SCHEDULER_ADDRESS"


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Have a parser take the place of a scheduler."""
    parser.add_argument(
        "address", nargs="?", help=f"of the scheduler, as tcp://host:8786; by default ${ADDRESS}"
    )
    parser.add_argument("--scheduler-file", metavar="F", help="the file that the scheduler writes")
    parser.add_argument("--timeout", default=10.0, type=float, help="seconds (default %(default)s)")
    for name in ("tls-ca-file", "tls-cert", "tls-key"):
        parser.add_argument(f"--{name}", metavar="F", help="for a scheduler that speaks TLS")


def is_named(told: argparse.Namespace) -> bool:
    """Whether the arguments name a cluster."""
    return bool(told.address or told.scheduler_file or os.environ.get(ADDRESS))


@contextmanager
def connected(arguments: argparse.Namespace) -> Iterator[Any]:
    """A client of the cluster that the arguments name.

    Raises
    ------
    UsageError
        If they name none, or nobody answers there.
    """
    if not is_named(arguments):
        raise UsageError(f"name the scheduler: an address, --scheduler-file F or ${ADDRESS}")
    options: dict[str, Any] = {"timeout": arguments.timeout, "set_as_default": True}
    if arguments.scheduler_file is not None:
        if not Path(arguments.scheduler_file).is_file():
            raise UsageError(f"there is no scheduler file {arguments.scheduler_file}")
        options["scheduler_file"] = arguments.scheduler_file
    else:
        options["address"] = arguments.address or os.environ[ADDRESS]
    distributed = lazy_import("distributed")
    if arguments.tls_ca_file or arguments.tls_cert or arguments.tls_key:
        files = {"tls_ca_file": arguments.tls_ca_file, "tls_client_cert": arguments.tls_cert}
        options["security"] = distributed.Security(
            **files, tls_client_key=arguments.tls_key, require_encryption=True
        )
    where = options.get("scheduler_file") or options["address"]
    try:
        client = distributed.Client(**options)
    except (TimeoutError, OSError, ValueError, TypeError, RuntimeError) as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(f"no scheduler answers at {where}: {text}") from None
    with client:
        yield client
