"""Cubins of programs: from memory, from disk, or compiled by a child process while one waits.

There is no other way to a result on a GPU, so whoever asks waits. This process never imports
numba-cuda; the child that does is let go when nobody has asked for a while.
"""

from __future__ import annotations

import os
from threading import Lock, Timer
from typing import Final

from dask_tapestry_kernels.cpu.jit import object_cache
from dask_tapestry_kernels.cpu.jit.child_process import Child
from dask_tapestry_kernels.cpu.jit.object_cache import Compiled
from dask_tapestry_kernels.cuda.jit import cubin_cache, shipped_cubins
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.device_error import UnusableDeviceError

IDLE: Final = 60.0  # seconds after which a child without work is let go


class Cubins:
    """The cubins that this process has asked for, and the child that compiles new ones."""

    def __init__(self) -> None:
        self._ready: dict[tuple[str, int], Compiled] = {}
        self._begin()

    def _begin(self) -> None:
        self._lock = Lock()
        self._child: Child | None = None
        self._idle: Timer | None = None

    def get(self, program: CudaProgram, sm: int) -> Compiled:
        """The cubin of a program for an architecture, waiting for it.

        Raises
        ------
        DeviceError
            If it cannot be compiled, with what the compiler says.
        """
        cubin = self._ready.get((program.source, sm))
        if cubin is not None:
            return cubin
        with self._lock:
            cubin = self._ready.get((program.source, sm))
            if cubin is None:
                cubin = self._ready[program.source, sm] = self._made(program, sm)
            return cubin

    def _made(self, program: CudaProgram, sm: int) -> Compiled:
        brought = shipped_cubins.read(program.source, sm)
        if brought is not None:
            return brought
        key = cubin_cache.key_of(program.source, sm)
        kept = object_cache.read(key)
        if kept is not None:
            return kept
        if self._idle is not None:
            self._idle.cancel()
        try:
            if self._child is None:
                self._child = Child(cubin_cache.COMPILER)
            answer = self._child.compile(key, program.source, sm)
        except (OSError, EOFError) as error:
            child, self._child = self._child, None
            if child is not None:
                child.close()
            answer = f"no compiler starts: {error}" if child is None else "the compiler ended"
        self._idle = Timer(IDLE, self.let_go)
        self._idle.daemon = True
        self._idle.start()
        if isinstance(answer, str):
            raise UnusableDeviceError(
                f"kernel {program.what} cannot be compiled for sm_{sm}: {answer}"
            )
        return answer

    def let_go(self) -> None:
        """End the child, if there is one; the next request starts another."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.close()

    def forked(self) -> None:
        """Begin anew in a forked process: it has not the child."""
        if self._child is not None:
            self._child.disown()
        self._begin()


_cubins = Cubins()


def cubin_of(program: CudaProgram, sm: int) -> Compiled:
    """`Cubins.get` of this process."""
    return _cubins.get(program, sm)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _cubins.forked())
