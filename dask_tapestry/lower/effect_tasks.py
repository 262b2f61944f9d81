"""Tasks that have no value: before a write and after it, and at sequence points."""

from __future__ import annotations

from typing import Any

from dask_tapestry.teg import Sink


def prepare_sink(sink: Sink, type_: Any, run: str, *ended: Any) -> None:
    """Make a store ready, in the compute `run`, after other tasks have ended."""
    del ended
    sink.prepare(type_, run)


def finish_sink(sink: Sink, *written: None) -> None:
    """Complete a store: all its blocks are written."""
    del written
    sink.finish()


def barrier(*ended: Any) -> None:
    """Do nothing, after other tasks have ended."""
    del ended
