"""The compiler: a child process that turns kernel sources into object code.

A request is ``(key, source)`` and its answer a `store.Compiled`, or a line of text that says why
there is none. A source is the text of a module that defines `kernel`, a numba function with one
signature that takes and returns nothing but integers. The child ends when its parent does.
"""

from __future__ import annotations

import linecache
import os
import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final

from dask_tapestry_kernels.cpu import store

LOWER_PRIORITY: Final = 5  # than the computation that waits for nothing
INTERLEAVED: Final = 4  # vectors of a loop: one waits for its last product, the others go on;
# LLVM's own choice for long formulas is 1, with which Black-Scholes takes 1.3 times as long
PROGRAM: Final = (
    "import sys; sys.path[:] = {path}; "
    "from dask_tapestry_kernels.cpu.compiler import main; main({descriptor})"
)


class Child:
    """The compiling process, as its parent sees it; OSError or EOFError say that it is no more."""

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        try:
            self._process = _start(theirs.fileno())
        finally:
            theirs.close()
        try:
            self._connection.recv()  # it has begun
        except (OSError, EOFError):
            self.close()
            raise

    def compile(self, key: str, source: str) -> store.Compiled | str:
        """Return the object code of a source, or why there is none."""
        self._connection.send((key, source))
        answer: store.Compiled | str = self._connection.recv()
        return answer

    def close(self) -> None:
        """End the process once it has compiled what it is at."""
        self._connection.close()
        self._process.wait()

    def disown(self) -> None:
        """Leave the process to the one that this one was forked from."""
        self._connection.close()
        self._process.returncode = 0


def _start(descriptor: int) -> subprocess.Popen[bytes]:
    """Start it with our modules and without numba's settings, which are for the user's functions.

    Its process group is its own, or Ctrl-C would end it.
    """
    if getattr(sys, "frozen", False):
        raise OSError("sys.executable is the program itself")
    path = [entry for entry in sys.path if isinstance(entry, str)]
    program = PROGRAM.format(path=path, descriptor=descriptor)
    environment = {n: v for n, v in os.environ.items() if not n.startswith("NUMBA_")}
    return subprocess.Popen(
        [sys.executable or "python", "-P", "-Wignore", "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=environment | {"OMP_NUM_THREADS": "1"},
        pass_fds=[descriptor],
        process_group=0,
    )


def compile_source(source: str, name: str = "kernel") -> store.Compiled:
    """Compile a source; raises whatever its compilation raises."""
    file = f"<tapestry {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)  # numba reads it
    scope: dict[str, Any] = {"__name__": f"tapestry_{name}"}
    exec(compile(source, file, "exec"), scope)
    kernel = scope["kernel"]
    (result,) = kernel.overloads.values()
    code = result.library._get_compiled_object()
    return store.Compiled(result.fndesc.llvm_cfunc_wrapper_name, code)


def answer(key: str, source: str) -> store.Compiled | str:
    """Compile what is asked for and keep it on disk; or say why not, in a line."""
    if store.key_of(source) != key:
        return "the package has changed since this process imported it"
    try:
        compiled = compile_source(source, key)
    except Exception as error:
        return f"{type(error).__name__}: {_first_line(error)}"
    store.write(key, compiled)
    return compiled


def _first_line(error: Exception) -> str:
    """The first line that says something: numba's own first line names a pass of its compiler."""
    lines = [line for line in str(error).splitlines() if line and not line.startswith("Failed in ")]
    return lines[0] if lines else ""


def main(descriptor: int) -> None:
    """Serve until the parent ends or hangs up."""
    os.nice(LOWER_PRIORITY)
    store.llvm().set_option("", f"-force-vector-interleave={INTERLEAVED}")
    with suppress(EOFError, OSError), Connection(descriptor) as requests:
        requests.send("begun")
        while True:
            requests.send(answer(*requests.recv()))
