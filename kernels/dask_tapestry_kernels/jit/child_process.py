"""The compiling child process, as its parent sees it.

The child imports numba, so that this process need not. It ends when its parent does; if it ends
before, `compile_service.py` goes on without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import Pipe
from typing import Final

from dask_tapestry_kernels.jit.object_cache import Compiled

PROGRAM: Final = (
    "import sys; sys.path[:] = {path}; sys.modules |= dict.fromkeys({left_out}); "
    "from {compiler} import main; main({descriptor})"
)
LEFT_OUT: Final = ["cffi", "scipy", "yaml"]  # which numba imports where they are, for what no
# kernel calls: of 1.5 s of a processor to a child's first kernel they took .3


class Child:
    """The compiling process, as its parent sees it; OSError or EOFError say that it is no more.

    Parameters
    ----------
    compiler
        Name of the module whose `main` it runs.
    """

    def __init__(self, compiler: str) -> None:
        self._connection, theirs = Pipe()
        try:
            self._process = _start(compiler, theirs.fileno())
        finally:
            theirs.close()
        try:
            self._connection.recv()  # it has begun
        except (OSError, EOFError):
            self.close()
            raise

    def compile(self, key: str, source: str, number: int, awaited: bool) -> Compiled | str:
        """Return the code of a source, or why there is none.

        Parameters
        ----------
        number
            Of arguments, or of an architecture.
        awaited
            Other code is compiled at a lower priority than that of this process.
        """
        self._connection.send((key, source, number, awaited))
        answer: Compiled | str = self._connection.recv()
        return answer

    def close(self) -> None:
        """End the process once it has compiled its current source."""
        self._connection.close()
        self._process.wait()

    def disown(self) -> None:
        """Leave the child to the process that this one was forked from."""
        self._connection.close()
        self._process.returncode = 0


def _start(compiler: str, descriptor: int) -> subprocess.Popen[bytes]:
    """Start the child with our modules and without numba's settings, which are for user functions.

    The child has a process group of its own; else Ctrl-C would end it.
    """
    if getattr(sys, "frozen", False):
        raise OSError("sys.executable is the program itself")
    path = [entry for entry in sys.path if isinstance(entry, str)]
    program = PROGRAM.format(path=path, left_out=LEFT_OUT, compiler=compiler, descriptor=descriptor)
    environment = {n: v for n, v in os.environ.items() if not n.startswith("NUMBA_")}
    return subprocess.Popen(
        [sys.executable or "python", "-P", "-Wignore", "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=environment | {"OMP_NUM_THREADS": "1"},
        pass_fds=[descriptor],
        process_group=0,
    )
