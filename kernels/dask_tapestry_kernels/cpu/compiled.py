"""Compiled kernels: object code compiled by a child process, loaded here, called by address.

Nothing waits for a compilation: `compiled` returns None until the kernel is there, and whoever asks
has another way to the same bits. This process never imports numba, which takes .3 s and stalls
every thread while it compiles (119 ms at worst, against 8 ms beside a compiling child): it loads
object code through llvmlite, in 3 ms a kernel, from the child's answer or from disk.

The environment variable ``DASK_TAPESTRY_KERNELS`` may be ``auto``, ``wait`` (for each kernel before
its first use) or ``off``.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import warnings
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from threading import Condition, Thread
from typing import Any, Final

import llvmlite.binding as llvm

from dask_tapestry_kernels.cpu import store
from dask_tapestry_kernels.cpu.compiler import compile_source

PATIENCE: Final = 120.0  # seconds to wait for one kernel, where it is waited for
WORK: Final = 2**22  # cells to compute with a formula before compiling it pays
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

    def __init__(self, compiled: store.Compiled, arity: int) -> None:
        self._library = _link(compiled)
        self.address: int = self._library[compiled.symbol]
        self._call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * arity)(self.address)

    def __call__(self, *arguments: int) -> None:
        self._call(*arguments)


@cache
def _linker() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.create_lljit_compiler(llvm.Target.from_default_triple().create_target_machine())


def _link(compiled: store.Compiled) -> Any:
    """Load object code; raises RuntimeError if it needs what nobody provides."""
    builder = llvm.JITLibraryBuilder().add_object_img(compiled.code)
    builder.add_current_process().export_symbol(compiled.symbol)
    for name, of_c in IMPORTS.items():
        address = ctypes.cast(getattr(ctypes.pythonapi, of_c), ctypes.c_void_p).value
        builder.import_symbol(name, address)
    return builder.link(_linker(), f"tapestry{next(_numbers)}")


class Service:
    """Kernels of this process by their source, and the child that compiles new ones."""

    def __init__(self) -> None:
        self.mode = os.environ.get("DASK_TAPESTRY_KERNELS", "auto")
        self._ready: dict[str, Native | None] = {}  # None: it failed
        self._waiting: dict[str, tuple[str, int, str]] = {}  # by key: source, arity, what it is
        self._work: dict[str, int] = {}
        self._failed: list[str] = []
        self._child: subprocess.Popen[str] | None = None
        self._changed = Condition()

    def get(self, source: str, arity: int, what: str, cells: int) -> Native | None:
        """Return the kernel of `source` if it is there; else see to it that it will be."""
        if self._failed:
            self._warn()
        found = self._ready.get(source)
        if found is not None or source in self._ready or self.mode == "off":
            return found
        with self._changed:
            done = self._work[source] = self._work.get(source, 0) + cells
            if self.mode == "auto" and done < WORK:
                return None
            key = store.key_of(source)
            if source not in self._ready and key not in self._waiting:
                self._begin(key, source, arity, what)
        if self.mode == "wait":
            self.wait()
        return self._ready.get(source)

    def require(self, source: str, arity: int, what: str) -> Native:
        """Return the kernel of `source`, when it is there; compile it here if the child cannot."""
        with self._changed:
            key = store.key_of(source)
            if source not in self._ready and key not in self._waiting:
                self._begin(key, source, arity, what)
            self._changed.wait_for(lambda: source in self._ready, PATIENCE)
            found = self._ready.get(source)
            if found is None:
                found = self._ready[source] = Native(compile_source(source), arity)
        return found

    def wait(self, seconds: float = PATIENCE) -> bool:
        """Wait until everything asked for is there; return whether it is."""
        with self._changed:
            ended = self._changed.wait_for(lambda: not self._waiting, seconds)
        if self._failed:
            self._warn()
        return ended

    def _begin(self, key: str, source: str, arity: int, what: str) -> None:
        kept = store.read(key)
        if kept is not None and self._loaded(source, kept, arity):
            return
        self._waiting[key] = source, arity, what
        try:
            if self._child is None:
                self._child = self._start()
            assert self._child.stdin is not None
            self._child.stdin.write(json.dumps({"key": key, "source": source}) + "\n")
            self._child.stdin.flush()
        except OSError as error:
            self._fail(key, str(error))

    def _start(self) -> subprocess.Popen[str]:
        package = Path(__file__).parents[2]
        paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
        child = subprocess.Popen(
            [sys.executable, "-c", "from dask_tapestry_kernels.cpu.compiler import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        )
        Thread(target=self._listen, args=(child,), daemon=True, name="tapestry-kernels").start()
        return child

    def _listen(self, child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None
        for line in child.stdout:
            answer = json.loads(line)
            with self._changed:
                self._take(answer)
                self._changed.notify_all()
        with self._changed:
            self._child = None
            for key in list(self._waiting):
                self._fail(key, "the compiling process ended")
            self._changed.notify_all()

    def _take(self, answer: dict[str, str]) -> None:
        key = answer["key"]
        source, arity, _ = self._waiting[key]
        if "error" in answer:
            self._fail(key, answer["error"])
            return
        code = store.Compiled(answer["symbol"], b64decode(answer["code"]))
        if self._loaded(source, code, arity):
            del self._waiting[key]
        else:
            self._fail(key, "its code cannot be loaded")

    def _loaded(self, source: str, code: store.Compiled, arity: int) -> bool:
        try:
            self._ready[source] = Native(code, arity)
        except RuntimeError:
            return False
        return True

    def _fail(self, key: str, why: str) -> None:
        source, _, what = self._waiting.pop(key)
        self._ready[source] = None
        self._failed.append(f"{what} runs uncompiled: {why}")

    def _warn(self) -> None:
        while self._failed:
            warnings.warn(self._failed.pop(), KernelWarning, stacklevel=2)


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
    """Return the compiled kernel of `source`, waiting for it: there is no other way to its bits."""
    return _service.require(source, arity, what)


def wait(seconds: float = PATIENCE) -> bool:
    """Wait until every kernel asked for is there; return whether it is."""
    return _service.wait(seconds)


@contextmanager
def mode(name: str) -> Iterator[None]:
    """Compile as ``DASK_TAPESTRY_KERNELS=name`` says, inside a ``with`` block."""
    if name not in MODES:
        raise ValueError(f"mode {name!r}: there are {MODES}")
    before, _service.mode = _service.mode, name
    try:
        yield
    finally:
        _service.mode = before


def _forget() -> None:
    """A forked process has neither the child nor the thread that listens to it."""
    global _service
    _service = Service()


os.register_at_fork(after_in_child=_forget)
