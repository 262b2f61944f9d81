"""Compiled kernels of the CPU: object code that a child compiled, loaded here, called by address.

Nothing waits for a compilation: `compiled` returns None until the kernel is there, and whoever asks
has another way to the same bits. What has no other way is `required`: elementary functions and
random variates, which a wheel brings compiled; where it did not, they go before all others, and
whoever waits for a second is told so. This process never imports numba, which takes .3 s and stalls
every thread while it compiles (119 ms at worst, against 8 ms beside a compiling child): it loads
object code through llvmlite, in 3 ms a kernel, from the child's answer or from disk.

The environment variable ``DASK_TAPESTRY_KERNELS`` may be ``auto``, ``wait`` (for each kernel before
its first use) or ``off``.
"""

from __future__ import annotations

import ctypes
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any, Final, final

from dask_tapestry_kernels.cpu.jit import object_keys, shipped
from dask_tapestry_kernels.cpu.jit.child.compiler import compile_source
from dask_tapestry_kernels.cpu.jit.compile_notices import Notices
from dask_tapestry_kernels.cpu.jit.llvm import llvm
from dask_tapestry_kernels.floating_point import noted
from dask_tapestry_kernels.jit.compile_service import Asked, Request, Service, follow_forks
from dask_tapestry_kernels.jit.object_cache import Compiled

PATIENCE: Final = 120.0  # seconds to wait for one kernel, where it is waited for
SILENT: Final = 1.0  # seconds of them before a line says so
WORK: Final = 2**22  # cells to compute with a formula before compiling it pays
MOST_COUNTED: Final = (
    4096  # formulas whose cells are counted; those of the longest ago are forgotten
)
MOST_WAITING: Final = 64  # formulas that wait for the child; a loop may make new ones without end
NEVER_CALLED: Final = (
    "NRT_MemInfo_call_dtor NRT_Free NRT_Allocate numba_gil_ensure numba_gil_release numba_do_raise "
    "numba_runtime_build_excinfo_struct numba_unpickle"
).split()  # of numba's runtime, on ways that kernels never take
IMPORTS: Final = dict.fromkeys(NEVER_CALLED, "abort") | {
    name: name for name in ("fmod", "fmodf", "fma", "fmaf", *["pread"] * hasattr(os, "pread"))
}
MODES: Final = ("auto", "wait", "off")


class KernelWarning(UserWarning):
    """A kernel could not be compiled; slower ways to the same result are taken."""


class Native:
    """A compiled kernel: takes integers, returns nothing, and runs without the GIL."""

    __slots__ = ("_call", "_library", "address")

    def __init__(self, compiled: Compiled, arity: int) -> None:
        self._library = _link(compiled)
        self.address: int = self._library[compiled.symbol]
        self._call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * arity)(self.address)

    def __call__(self, *arguments: int) -> None:
        noted(self._call, arguments)


@cache
def _linker() -> Any:
    binding = llvm()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.create_lljit_compiler(
        binding.Target.from_default_triple().create_target_machine()
    )


def _link(compiled: Compiled) -> Any:
    """Load object code; raises RuntimeError where a symbol that it needs is missing."""
    builder = llvm().JITLibraryBuilder().add_object_img(compiled.code)
    builder.add_current_process().export_symbol(compiled.symbol)
    for name, of_c in IMPORTS.items():
        address = ctypes.cast(getattr(ctypes.pythonapi, of_c), ctypes.c_void_p).value
        builder.import_symbol(name, address)
    return builder.link(_linker(), f"tapestry{next(_numbers)}")


@final
class KernelService(Service[Native]):
    """The compiled kernels of this process, by source and number of arguments."""

    def __init__(self) -> None:
        self.mode = _checked(os.environ.get("DASK_TAPESTRY_KERNELS", "auto"))
        self._work: dict[str, int] = {}
        super().__init__(object_keys.COMPILER)

    def _begin(self) -> None:
        super()._begin()
        self._failed: list[str] = []  # texts of warnings to come
        self._notices = Notices()

    def get(self, source: str, arity: int, what: str, cells: int) -> Native | None:
        """Return the kernel of `source` if it is loaded; else ask for it, once that pays."""
        if self._failed:
            self._warn()
        if self.mode == "off":
            return None
        asked = source, arity
        found = self._ready.get(asked)
        if found is not None or asked in self._ready:
            return found
        with self.changed:
            done = self._work[source] = self._work.pop(source, 0) + cells
            if len(self._work) > MOST_COUNTED:
                del self._work[next(iter(self._work))]
            if self.mode == "auto" and (done < WORK or len(self._waiting) >= MOST_WAITING):
                return None
            self._ask_for(asked, what, awaited=self.mode == "wait")
        if self.mode == "wait":
            self.wait()
        return self._ready.get(asked)

    def require(self, source: str, arity: int, what: str) -> Native:
        """Return the kernel of `source`, when it is there; compile it here if the child cannot."""
        asked = source, arity
        kernel = self._ready.get(asked)
        if kernel is not None:
            return kernel
        with self.changed:
            self._ask_for(asked, what, awaited=True)
            self._wait_aloud(lambda: asked in self._ready)
            kernel = self._ready.get(asked)
            if kernel is None:
                kernel = self._ready[asked] = Native(compile_source(source), arity)
        return kernel

    def wait(self, seconds: float = PATIENCE) -> bool:
        """Wait until everything asked for is there; return whether it is."""
        with self.changed:
            ended = self.changed.wait_for(lambda: not self._waiting, seconds)
        if self._failed:
            self._warn()
        return ended

    def _wait_aloud(self, is_over: Callable[[], bool]) -> None:
        """Wait for the child; who waits for a second is told so."""
        if not self.changed.wait_for(is_over, SILENT):
            self._notices.waited(self._waiting[asked].what for asked in self._in_turn())
            self.changed.wait_for(is_over, PATIENCE - SILENT)

    def _key_of(self, asked: Asked) -> str:
        return object_keys.key_of(asked[0])

    def _brought(self, asked: Asked) -> Compiled | None:
        return shipped.read(asked[0])

    def _loaded(self, asked: Asked, compiled: Compiled) -> Native:
        return Native(compiled, asked[1])

    def _begins(self, request: Request) -> None:
        """Say why, if it need not be compiled on other machines."""
        self._notices.begins(request.what, request.awaited and self.mode != "wait")

    def _fails(self, asked: Asked, what: str, why: str) -> None:
        del asked
        self._failed.append(f"{what} runs uncompiled: {why}")

    def _fails_to_start(self, whats: list[str], why: str) -> None:
        text = f"{', '.join(whats)} and what follows run uncompiled: no compiler starts: {why}"
        self._failed.append(text)

    def _warn(self) -> None:
        with self.changed:
            failed, self._failed = self._failed, []
        for text in failed:
            warnings.warn(text, KernelWarning, stacklevel=2)


def _checked(mode: str) -> str:
    if mode not in MODES:
        raise ValueError(f"DASK_TAPESTRY_KERNELS: {mode!r} is none of {', '.join(MODES)}")
    return mode


_numbers = count()
_service = KernelService()


def compiled(source: str, arity: int, what: str, cells: int = WORK) -> Native | None:
    """Return the compiled kernel of `source`, or None while there is none.

    Parameters
    ----------
    source
        Text of a module that defines `kernel`, a numba function of integers with one signature.
    arity
        Number of its arguments.
    what
        What it computes, for the warning if it cannot be compiled.
    cells
        Cells to be computed now; compilation begins when there were enough of them.
    """
    return _service.get(source, arity, what, cells)


def required(source: str, arity: int, what: str) -> Native:
    """Return the compiled kernel of `source`, waiting for it: nothing else has its bits."""
    return _service.require(source, arity, what)


def wait(seconds: float = PATIENCE) -> bool:
    """Wait until every kernel asked for is there; return whether it is."""
    return _service.wait(seconds)


@contextmanager
def mode(name: str) -> Iterator[None]:
    """Compile as ``DASK_TAPESTRY_KERNELS=name`` says, in all threads, inside a ``with`` block."""
    before, _service.mode = _service.mode, _checked(name)
    try:
        yield
    finally:
        _service.mode = before


follow_forks(lambda: _service)
