"""Notices of compiling: of code that an installation usually brings, or that is waited for.

Lines of a log, not warnings: they come from whichever thread waits, and a program that turns
warnings into errors runs as it would elsewhere. Python prints them unless logging is configured.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from logging import getLogger
from typing import Final

from dask_tapestry_kernels.cpu.jit import shipped
from dask_tapestry_kernels.jit import object_cache

SECONDS: Final = "each takes 1 to 3 s of an idle processor"


class Notices:
    """The lines of one process, each of which is written once."""

    def __init__(self) -> None:
        self._said_why = False
        self._waited: set[str] = set()

    def begins(self, what: str, awaited: bool) -> None:
        """`what` is about to be compiled: say why, if it need not be on other machines."""
        why = shipped.refusal()
        if why is None or self._said_why or not (awaited or shipped.target_of(shipped.FOLDER)):
            return
        self._said_why = True
        self._waited.add(what)
        getLogger(__name__).warning(
            f"dask_tapestry compiles its kernels as they are first used: {why}. Now {what}; "
            f"{SECONDS}, {cache_note()}"
        )

    def waited(self, whats: Iterable[str]) -> None:
        """A thread has waited for some time, and goes on waiting."""
        new = [what for what in dict.fromkeys(whats) if what not in self._waited]
        if new:
            self._waited.update(new)
            getLogger(__name__).warning(
                f"dask_tapestry waits for its compiler: {', '.join(new)}; {SECONDS}, {cache_note()}"
            )


def cache_note() -> str:
    """A note on where compiled code is kept, or that it is not kept."""
    folder = object_cache.directory()
    if folder is None or not os.access(folder, os.W_OK):
        return (
            f"in each process again, as no folder keeps them: let {object_cache.DIRECTORY} name one"
        )
    return f"once, as {folder} keeps them"
