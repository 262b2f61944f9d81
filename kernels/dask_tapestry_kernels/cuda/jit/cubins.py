"""Cubins of programs: from memory, from disk, or compiled by a child process while one waits.

There is no other way to a result on a GPU, so whoever asks waits. This process never imports
numba-cuda.
"""

from __future__ import annotations

from typing import final

from dask_tapestry_kernels.cuda.jit import cubin_cache, shipped_cubins
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.device_error import UnusableDeviceError
from dask_tapestry_kernels.jit.compile_service import Asked, Request, Service, follow_forks
from dask_tapestry_kernels.jit.object_cache import Compiled


@final
class Cubins(Service[Compiled]):
    """The cubins that this process has asked for, by source and architecture."""

    def __init__(self) -> None:
        super().__init__(cubin_cache.COMPILER)
        self._why: dict[Asked, str] = {}  # programs have failed

    def get(self, program: CudaProgram, sm: int) -> Compiled:
        """The cubin of a program for an architecture, waiting for it.

        What failed is tried again by who asks again.

        Raises
        ------
        DeviceError
            If it cannot be compiled, with what the compiler says.
        """
        key = program.source, sm
        cubin = self._ready.get(key)
        if cubin is not None:
            return cubin
        with self.changed:
            if key not in self._waiting:
                self._ready.pop(key, None)
                self._broken = False
            self._ask_for(key, program.what, awaited=True)
            self.changed.wait_for(lambda: key in self._ready)
            cubin = self._ready[key]
            if cubin is None:
                raise UnusableDeviceError(
                    f"kernel {program.what} cannot be compiled for sm_{sm}: {self._why[key]}"
                )
            return cubin

    def _key_of(self, asked: Asked) -> str:
        return cubin_cache.key_of(*asked)

    def _brought(self, asked: Asked) -> Compiled | None:
        return shipped_cubins.read(*asked)

    def _loaded(self, asked: Asked, compiled: Compiled) -> Compiled:
        """The cubin itself, which CuPy loads for each device."""
        del asked
        return compiled

    def _begins(self, request: Request) -> None:
        """Nothing is said: whoever has a GPU waits for its kernels."""

    def _fails(self, asked: Asked, what: str, why: str) -> None:
        del what
        self._why[asked] = why

    def _fails_to_start(self, whats: list[str], why: str) -> None:
        del whats
        self._why |= dict.fromkeys(self._waiting, f"no compiler starts: {why}")


_cubins = Cubins()


def cubin_of(program: CudaProgram, sm: int) -> Compiled:
    """`Cubins.get` of this process."""
    return _cubins.get(program, sm)


follow_forks(lambda: _cubins)
