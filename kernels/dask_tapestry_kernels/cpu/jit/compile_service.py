"""Compiled kernels: object code compiled by a child process, loaded here, called by address.

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
from threading import Condition, Thread
from typing import Any, Final, NamedTuple

from dask_tapestry_kernels.cpu.jit import object_cache, shipped
from dask_tapestry_kernels.cpu.jit.child.compiler import compile_source
from dask_tapestry_kernels.cpu.jit.child_process import Child
from dask_tapestry_kernels.cpu.jit.compile_notices import Notices
from dask_tapestry_kernels.cpu.jit.llvm import llvm
from dask_tapestry_kernels.floating_point import noted

PATIENCE: Final = 120.0  # seconds to wait for one kernel, where it is waited for
SILENT: Final = 1.0  # seconds of them before a line says so
IDLE: Final = 60.0  # seconds after which a child without work is let go, and its 150 MB with it
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
    name: name for name in ("fmod", "fmodf", "fma", "fmaf")
}
MODES: Final = ("auto", "wait", "off")


class KernelWarning(UserWarning):
    """A kernel could not be compiled; slower ways to the same result are taken."""


class Native:
    """A compiled kernel: takes integers, returns nothing, and runs without the GIL."""

    __slots__ = ("_call", "_library", "address")

    def __init__(self, compiled: object_cache.Compiled, arity: int) -> None:
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


def _link(compiled: object_cache.Compiled) -> Any:
    """Load object code; raises RuntimeError where a symbol that it needs is missing."""
    builder = llvm().JITLibraryBuilder().add_object_img(compiled.code)
    builder.add_current_process().export_symbol(compiled.symbol)
    for name, of_c in IMPORTS.items():
        address = ctypes.cast(getattr(ctypes.pythonapi, of_c), ctypes.c_void_p).value
        builder.import_symbol(name, address)
    return builder.link(_linker(), f"tapestry{next(_numbers)}")


class _Request(NamedTuple):
    key: str
    arity: int
    what: str
    awaited: bool  # whether a thread waits for it, so that it goes before the others


class Service:
    """The compiled kernels of this process, by their source, and the child that compiles new ones.

    One thread speaks with the child, one request at a time, so that a thread that computes never
    waits for a pipe. Thread and child end after a while without requests.
    """

    def __init__(self) -> None:
        self.mode = _checked(os.environ.get("DASK_TAPESTRY_KERNELS", "auto"))
        self.changed = Condition()  # held while anything below changes, and to load code
        self._ready: dict[str, Native | None] = {}  # None: it failed
        self._work: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._waiting: dict[str, _Request] = {}  # by source, in the order they were asked for
        self._failed: list[str] = []  # texts of warnings to come
        self._child: Child | None = None
        self._speaks = False  # whether there is a thread that speaks with the child
        self._broken = False  # whether no child can be started
        self._notices = Notices()

    def get(self, source: str, arity: int, what: str, cells: int) -> Native | None:
        """Return the kernel of `source` if it is loaded; else ask for it, once that pays."""
        if self._failed:
            self._warn()
        if self.mode == "off":
            return None
        found = self._ready.get(source)
        if found is not None or source in self._ready:
            return found
        with self.changed:
            done = self._work[source] = self._work.pop(source, 0) + cells
            if len(self._work) > MOST_COUNTED:
                del self._work[next(iter(self._work))]
            if self.mode == "auto" and (done < WORK or len(self._waiting) >= MOST_WAITING):
                return None
            self._ask_for(source, arity, what, awaited=self.mode == "wait")
        if self.mode == "wait":
            self.wait()
        return self._ready.get(source)

    def require(self, source: str, arity: int, what: str) -> Native:
        """Return the kernel of `source`, when it is there; compile it here if the child cannot."""
        kernel = self._ready.get(source)
        if kernel is not None:
            return kernel
        with self.changed:
            self._ask_for(source, arity, what, awaited=True)
            self._wait_aloud(lambda: source in self._ready)
            kernel = self._ready.get(source)
            if kernel is None:
                kernel = self._ready[source] = Native(compile_source(source), arity)
        return kernel

    def wait(self, seconds: float = PATIENCE) -> bool:
        """Wait until everything asked for is there; return whether it is."""
        with self.changed:
            ended = self.changed.wait_for(lambda: not self._waiting, seconds)
        if self._failed:
            self._warn()
        return ended

    def forked(self) -> None:
        """Begin anew in a forked process: it has neither the thread nor the child."""
        if self._child is not None:
            self._child.disown()
        self.changed = Condition()
        self._begin()

    def _wait_aloud(self, is_over: Callable[[], bool]) -> None:
        """Wait for the child; who waits for a second is told so."""
        if not self.changed.wait_for(is_over, SILENT):
            self._notices.waited(self._waiting[source].what for source in self._in_turn())
            self.changed.wait_for(is_over, PATIENCE - SILENT)

    def _ask_for(self, source: str, arity: int, what: str, awaited: bool) -> None:
        if source in self._ready:
            return
        if (request := self._waiting.get(source)) is not None:
            self._waiting[source] = request._replace(awaited=awaited or request.awaited)
            return
        brought = shipped.read(source)
        if brought is not None and self._loads(source, brought, arity):
            return
        key = object_cache.key_of(source)
        kept = object_cache.read(key)
        if kept is not None and self._loads(source, kept, arity):
            return
        if self._broken:
            self._ready[source] = None
            return
        self._notices.begins(what, awaited and self.mode != "wait")  # which asks for waiting
        self._waiting[source] = _Request(key, arity, what, awaited)
        self.changed.notify_all()
        if not self._speaks:
            try:
                Thread(target=self._speak, daemon=True, name="tapestry-kernels").start()
                self._speaks = True
            except RuntimeError as error:  # too many threads, or the interpreter is ending
                self._give_up(str(error))

    def _speak(self) -> None:
        """Have the waiting sources compiled, one after the other, until none comes for a while."""
        while (asked := self._next()) is not None:
            source, request = asked
            if self._child is None:
                try:
                    self._child = Child()
                except (OSError, EOFError) as error:
                    with self.changed:
                        self._speaks = False
                        self._give_up(str(error) or "it ended at once")
                    return
            try:
                code = self._child.compile(request.key, source, request.awaited)
            except (OSError, EOFError):
                self._child.close()
                self._child = None
                code = "the compiling process ended"
            with self.changed:
                self._take(source, code)

    def _next(self) -> tuple[str, _Request] | None:
        with self.changed:
            if self.changed.wait_for(lambda: bool(self._waiting), IDLE):
                source = self._in_turn()[0]
                return source, self._waiting[source]
            self._speaks = False
            child, self._child = self._child, None
        if child is not None:
            child.close()
        return None

    def _in_turn(self) -> list[str]:
        """The sources that wait: first those for which a thread waits."""
        return sorted(self._waiting, key=lambda source: not self._waiting[source].awaited)

    def _take(self, source: str, code: object_cache.Compiled | str) -> None:
        _, arity, what, _ = self._waiting.pop(source)
        if isinstance(code, object_cache.Compiled) and not self._loads(source, code, arity):
            code = "its code cannot be loaded"
        if isinstance(code, str):
            self._ready.setdefault(source)  # `require` may have lost patience and compiled it
            self._failed.append(f"{what} runs uncompiled: {code}")
        self.changed.notify_all()

    def _loads(self, source: str, code: object_cache.Compiled, arity: int) -> bool:
        try:
            self._ready[source] = Native(code, arity)
        except RuntimeError:
            return False
        return True

    def _give_up(self, why: str) -> None:
        self._broken = True
        whats = ", ".join(request.what for request in self._waiting.values())
        self._failed.append(f"{whats} and what follows run uncompiled: no compiler starts: {why}")
        for source in self._waiting:
            self._ready.setdefault(source)
        self._waiting.clear()
        self.changed.notify_all()

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
_service = Service()


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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(  # no fork while code is loaded, or LLVM's locks stay held in the child
        before=lambda: _service.changed.acquire(),
        after_in_parent=lambda: _service.changed.release(),
        after_in_child=lambda: _service.forked(),
    )
