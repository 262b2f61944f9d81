"""``dask-tapestry calibrate``: how fast this machine, or a cluster, is."""

from __future__ import annotations

import argparse

from dask_tapestry.command.connection import add_cluster, connected, is_named
from dask_tapestry.command.main import CommandError
from dask_tapestry.imports import lazy_import


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Have the parser take what `main` reads."""
    parser.description = (
        "Measure how fast this machine computes, moves and schedules, and keep that for all plans "
        "on machines of this kind; or measure a cluster, and print that. It takes some seconds, in "
        "which nothing else should run."
    )
    add_cluster(parser)


def main(options: argparse.Namespace) -> int:
    """Measure, and print the rates."""
    dt = lazy_import("dask_tapestry")
    if not is_named(options):
        print(dt.calibrate())
        return 0
    with connected(options) as client:
        try:
            print(dt.calibrate(client))
        except dt.PlanError as error:
            raise CommandError(str(error)) from None
    return 0
