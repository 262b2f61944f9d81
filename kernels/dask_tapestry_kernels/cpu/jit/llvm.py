"""LLVM, where object code is loaded and named: the one import of it outside `child` folders."""

from __future__ import annotations

from typing import Any


def llvm() -> Any:
    """The binding of LLVM, whose import takes 40 to 90 ms: only who needs it waits for it."""
    import llvmlite.binding  # noqa: PLC0415

    return llvmlite.binding


def version() -> str:
    """The version of the binding."""
    import llvmlite  # noqa: PLC0415

    return str(llvmlite.__version__)
