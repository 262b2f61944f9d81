"""``dask-tapestry explain``: a plan that was saved, as text."""

from __future__ import annotations

import argparse

from dask_tapestry.command.main import UsageError
from dask_tapestry.imports import lazy_import


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Have the parser take what `main` reads."""
    parser.add_argument("plan", help="a file that Plan.save, or plan --save, has written")
    parser.add_argument("--all", action="store_true", help="name the operators of steps, too")
    parser.add_argument("--rates", action="store_true", help="tell the speeds of the machines")


def main(told: argparse.Namespace) -> int:
    """Print the plan."""
    dt = lazy_import("dask_tapestry")
    explain_file = lazy_import("dask_tapestry.diagnostics.plan_file").explain_file
    try:
        print(explain_file(told.plan, all=told.all, rates=told.rates))
    except (dt.StoreError, dt.PlanError) as error:
        raise UsageError(str(error)) from None
    return 0
