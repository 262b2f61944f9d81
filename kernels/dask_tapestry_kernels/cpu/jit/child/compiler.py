"""The compiler: kernel sources turned into object code, in a child process.

A source is the text of a module that defines `kernel`, a numba
function with one signature that takes and returns nothing but integers.
"""

from __future__ import annotations

import gc
import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from dask_tapestry_kernels.cpu.jit import object_keys
from dask_tapestry_kernels.cpu.jit.llvm import llvm
from dask_tapestry_kernels.jit.object_cache import Compiled
from dask_tapestry_kernels.jit.serving import made, serve

INTERLEAVED: Final = 4  # vectors of a loop: one waits for its last product, the others go on;
# LLVM's own choice for long formulas is 1, with which Black-Scholes takes 1.3 times as long

LINK_FIRST: Final = """\
from dask_tapestry_kernels.cpu.jit.child.linked_library import link_first
link_first()
"""  # numba is imported where a source is compiled, not where this module is


def compile_source(source: str, name: str = "kernel") -> Compiled:
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
    return Compiled(result.fndesc.llvm_cfunc_wrapper_name, code)


def compile_alone(source: str, name: str = "kernel") -> Compiled:
    """`compile_source` in less than half the time, in a process that calls nothing it compiles."""
    with _collecting_nothing():
        exec(LINK_FIRST, {})
        return compile_source(source, name)


@contextmanager
def _collecting_nothing() -> Iterator[None]:
    """Look for no garbage: little is, of what a compilation makes; to look took 12 % of the time.

    To look once, at the end, takes 6 %.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def set_options() -> None:
    """Set the options of LLVM, before anything is compiled."""
    llvm().set_option("", f"-force-vector-interleave={INTERLEAVED}")


def answer(
    key: str, source: str, compile_: Callable[[str, str], Compiled] = compile_source
) -> Compiled | str:
    """Compile what is asked for and keep it on disk; or say why not, in a line."""
    return made(key, object_keys.key_of(source), lambda: compile_(source, key))


def main(descriptor: int) -> None:
    """Serve until the parent ends or hangs up."""
    set_options()
    serve(descriptor, lambda key, source, _arity: answer(key, source, compile_alone))
