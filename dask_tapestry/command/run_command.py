"""``dask-tapestry run``: a script, whose writes go on where they were killed."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import dask.config

from dask_tapestry.command.script import Script
from dask_tapestry.imports import lazy_import


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Have the parser take what `main` reads."""
    parser.usage = "dask-tapestry run script.py [options] [script's arguments] [-- more of them]"
    parser.add_argument("script", help="the script; what is no option of ours is handed to it")
    parser.add_argument(
        "--resume", action="store_true", help="writes to Zarr go on where the same ones were killed"
    )
    parser.add_argument(
        "--checksums", action="store_true", help="resume, and compare the bytes that are stored"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def main(told: argparse.Namespace) -> int:
    """Run the script, and return its exit code."""
    script = Script(told.script, told.arguments)
    resume = "checksums" if told.checksums else bool(told.resume)
    with ExitStack() as stack:
        if not told.quiet:
            stack.enter_context(_progress())
        stack.enter_context(dask.config.set({"tapestry.resume": resume}))
        return script.run()


def _progress() -> AbstractContextManager[Any]:
    """A bar: ours, which knows steps."""
    dt = lazy_import("dask_tapestry")
    bar = getattr(dt, "ProgressBar", None) or lazy_import("dask.diagnostics").ProgressBar
    found: AbstractContextManager[Any] = bar()
    return found
