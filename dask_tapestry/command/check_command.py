"""``dask-tapestry check``: whether a cluster is fit for work."""

from __future__ import annotations

import argparse

from dask_tapestry.command.connection import add_cluster, connected
from dask_tapestry.imports import lazy_import


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Have the parser take what `main` reads."""
    add_cluster(parser)
    parser.add_argument("--store", metavar="URL", help="a folder that workers are to reach")


def main(told: argparse.Namespace) -> int:
    """Print the report of `check_cluster`; 1 if there are problems."""
    with connected(told) as client:
        report = lazy_import("dask_tapestry").check_cluster(client, store=told.store)
    print(report)
    return 0 if report.ok else 1
