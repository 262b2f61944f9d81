"""The compiler: kernel sources turned into object code, in a child process.

A request is ``(key, source, awaited)`` and its answer an `object_cache.Compiled`, or a line of text
that says why there is none. A source is the text of a module that defines `kernel`, a numba
function with one signature that takes and returns nothing but integers.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import get_native_id
from typing import Any, Final

from dask_tapestry_kernels.cpu.jit import object_cache
from dask_tapestry_kernels.cpu.jit.llvm import llvm

LOWER_PRIORITY: Final = 5  # than the computation that waits for nothing
INTERLEAVED: Final = 4  # vectors of a loop: one waits for its last product, the others go on;
# LLVM's own choice for long formulas is 1, with which Black-Scholes takes 1.3 times as long

LINK_FIRST: Final = """\
from dask_tapestry_kernels.cpu.jit.child.linked_library import link_first
link_first()
"""  # numba is imported where a source is compiled, not where this module is


def compile_source(source: str, name: str = "kernel") -> object_cache.Compiled:
    """Compile a source; raises whatever its compilation raises."""
    file = f"<tapestry {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)  # numba reads it
    scope: dict[str, Any] = {"__name__": f"tapestry_{name}"}
    exec(compile(source, file, "exec"), scope)
    kernel = scope["kernel"]
    (result,) = kernel.overloads.values()
    library = result.library
    linked = hasattr(library, "object_code")  # a `LinkedLibrary`
    code = library.object_code() if linked else library._get_compiled_object()
    return object_cache.Compiled(result.fndesc.llvm_cfunc_wrapper_name, code)


def compile_alone(source: str, name: str = "kernel") -> object_cache.Compiled:
    """`compile_source` in less than half the time, in a process that calls nothing it compiles."""
    exec(LINK_FIRST, {})
    return compile_source(source, name)


def set_options() -> None:
    """Set the options of LLVM, before anything is compiled."""
    llvm().set_option("", f"-force-vector-interleave={INTERLEAVED}")


def answer(
    key: str, source: str, compile_: Callable[[str, str], object_cache.Compiled] = compile_source
) -> object_cache.Compiled | str:
    """Compile what is asked for and keep it on disk; or say why not, in a line."""
    if object_cache.key_of(source) != key:
        return "the package has changed since this process imported it"
    with object_cache.alone(key) as waited:
        if waited and (kept := object_cache.read(key)) is not None:
            return kept  # another process has compiled it
        try:
            compiled = compile_(source, key)
        except Exception as error:
            return f"{type(error).__name__}: {_first_line(error)}"
        object_cache.write(key, compiled)
        return compiled


def _first_line(error: Exception) -> str:
    """The first line that says something: numba's own first line names a pass of its compiler."""
    lines = [line for line in str(error).splitlines() if line and not line.startswith("Failed in ")]
    return lines[0] if lines else ""


def main(descriptor: int) -> None:
    """Serve until the parent ends or hangs up.

    A thread of this process whose priority was lowered does not get it back, and what a computation
    waits for is not to wait for that computation's other threads: so there are two.
    """
    set_options()
    behind = ThreadPoolExecutor(1, initializer=_step_back)
    with suppress(EOFError, OSError), Connection(descriptor) as requests:
        requests.send("begun")
        while True:
            key, source, awaited = requests.recv()
            if awaited:
                requests.send(answer(key, source, compile_alone))
            else:
                requests.send(behind.submit(answer, key, source, compile_alone).result())


def _step_back() -> None:
    """Lower the priority of this thread; Linux has one for each."""
    if sys.platform == "linux":
        thread = get_native_id()
        priority = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, priority + LOWER_PRIORITY)
