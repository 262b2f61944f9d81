"""What a compiling child process does: it answers one request after the other.

A request is ``(key, source, number, awaited)`` and its answer a `Compiled`, or a line of text that
says why there is none. The number is a matter of the device: arguments, or an architecture.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from logging import getLogger
from multiprocessing.connection import Connection
from threading import get_native_id
from typing import Final

from dask_tapestry_kernels.jit import object_cache
from dask_tapestry_kernels.jit.object_cache import Compiled

LOWER_PRIORITY: Final = 5  # than the computation that waits for nothing
Answer = Callable[[str, str, int], Compiled | str]


def made(key: str, expected: str, make: Callable[[], Compiled]) -> Compiled | str:
    """Compile what is asked for and keep it on disk; or say why not, in a line.

    Of several processes that want it at once one compiles it.

    Parameters
    ----------
    key
        By which it is asked for.
    expected
        The key by the files as this process has imported them.
    make
        What compiles it; raises whatever its compilation raises.
    """
    if expected != key:
        return "the package has changed since this process imported it"
    with object_cache.alone(key) as waited:
        if waited and (kept := object_cache.read(key)) is not None:
            return kept  # another process has compiled it
        try:
            compiled = make()
        except Exception as error:
            return f"{type(error).__name__}: {_first_line(error)}"
        object_cache.write(key, compiled)
        return compiled


def _first_line(error: Exception) -> str:
    """The first line that says something: numba's own first line names a pass of its compiler."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith("Failed in ")]
    return said[0] if said else ""


def serve(descriptor: int, answer: Answer) -> None:
    """Answer until the parent ends or hangs up.

    A thread of this process whose priority was lowered does not get it back, and what a computation
    waits for is not to wait for that computation's other threads: so there are two.
    """
    behind = ThreadPoolExecutor(1, initializer=_step_back)
    with _silent(), suppress(EOFError, OSError), Connection(descriptor) as requests:
        requests.send("begun")
        while True:
            *asked, awaited = requests.recv()
            requests.send(answer(*asked) if awaited else behind.submit(answer, *asked).result())


@contextmanager
def _silent() -> Iterator[None]:
    """Inside, why nothing is kept on disk is not said here: who asks for code says it, too."""
    logger = getLogger(object_cache.__name__)
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _step_back() -> None:
    """Lower the priority of this thread; Linux has one for each."""
    if sys.platform == "linux":
        thread = get_native_id()
        priority = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, priority + LOWER_PRIORITY)
