"""``dask-tapestry explain``: a plan that was saved, as text."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dask_tapestry.command.main import TroubleError, UsageError
from dask_tapestry.imports import lazy_import


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Have the parser take what `main` reads."""
    parser.add_argument("plan", help="a file that Plan.save, or plan --save, has written")


def main(told: argparse.Namespace) -> int:
    """Print the plan."""
    file = Path(told.plan)
    try:
        held = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the plan {file}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{file} is no plan: {error}") from None
    if not isinstance(held, dict):
        raise UsageError(f"{file} is no plan")
    dt = lazy_import("dask_tapestry")
    if hasattr(dt, "read_plan"):
        print(dt.read_plan(file).explain())
        return 0
    raise TroubleError(
        f"{file} holds the choices of a plan, and not its graph: "
        "dt.load_plan(file, *arrays).explain() prints it for the arrays that it was made for"
    )
