"""Blocks of threads on no device: each thread is a generator that yields where it waits for others.

Between two barriers the threads run one after the other, in an order that is drawn, and what a
block shares begins as rubbish: a barrier that is missing gives other cells than the CPU's. All
threads that wait must wait at one barrier.

numba-cuda's simulator starts a thread of the system for each: a third of the tests of this folder
took 355 s of processor time there, all take 58 s here.
"""

import sys
from functools import lru_cache
from random import Random

import numpy as np

IMPORT, BARRIER = "from numba import cuda\n", "cuda.syncthreads()"
IN_TURNS = "cuda.gridDim", "cuda.gridsize"  # in kernels whose blocks take what lies a grid further
FEW = 2  # blocks of those, so that they do
AS_GENERATOR = "    if False:\n        yield\n"
RUBBISH = 0xA5


class Dimension:
    """A number of blocks or threads, or which of them is meant."""

    def __init__(self, x):
        self.x = x


class Arrays:
    """Arrays that a kernel asks for, by the line that asks: those of a block, or of a thread."""

    def __init__(self):
        self._arrays = {}

    def array(self, shape, dtype):
        line = sys._getframe(1).f_lineno
        if line not in self._arrays:
            self._arrays[line] = rubbish(shape, dtype)
        return self._arrays[line]


class OwnArrays:
    """Arrays of one thread alone: new ones each time."""

    array = staticmethod(lambda shape, dtype: rubbish(shape, dtype))


class Atomic:
    """What one thread does at once: here each thread does all of it so."""

    @staticmethod
    def add(array, index, value):
        before = array[index]
        array[index] = before + value
        return before


class SimulatedCuda:
    """What kernels use of `numba.cuda`, as the thread sees it whose turn it is."""

    local, atomic = OwnArrays(), Atomic()

    def __init__(self, blocks, threads):
        self.gridDim, self.blockDim = Dimension(blocks), Dimension(threads)
        self.blockIdx, self.threadIdx = Dimension(0), Dimension(0)
        self.shared = Arrays()

    def grid(self, rank):
        assert rank == 1
        return self.blockIdx.x * self.blockDim.x + self.threadIdx.x

    def gridsize(self, rank):
        assert rank == 1
        return self.gridDim.x * self.blockDim.x


def rubbish(shape, dtype):
    """An array whose cells nobody has written."""
    dtype = np.dtype(dtype)
    return np.full(int(np.prod(shape)) * dtype.itemsize, RUBBISH, np.uint8).view(dtype)


@lru_cache(maxsize=512)
def scope_of(source):
    """The names of a program whose `kernel` is a generator that yields at barriers."""
    assert IMPORT in source
    text = source.replace(IMPORT, "\n").replace(BARRIER, "yield") + AS_GENERATOR
    scope = {"__name__": "tapestry_simulated"}
    exec(compile(text, "<tapestry>", "exec"), scope)
    return scope


def run_blocks(source, blocks, threads, arguments):
    """Run a kernel for each thread of each block, one block after the other."""
    scope = scope_of(source)
    if any(name in source for name in IN_TURNS):
        blocks = min(blocks, FEW)
    cuda = scope["cuda"] = SimulatedCuda(blocks, threads)
    order = Random(0)
    for block in range(blocks):
        cuda.blockIdx.x, cuda.shared = block, Arrays()
        waiting = [(thread, scope["kernel"](*arguments)) for thread in range(threads)]
        while waiting:
            order.shuffle(waiting)
            waiting = [turn for turn in waiting if _goes_on(cuda, *turn)]
            assert len({turn.gi_frame.f_lineno for _, turn in waiting}) <= 1, "not at one barrier"


def _goes_on(cuda, thread, turn):
    """Run a thread to its next barrier; false where it ends."""
    cuda.threadIdx.x = thread
    return next(turn, ENDED) is not ENDED


ENDED = object()
