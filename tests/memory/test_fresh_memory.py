import mmap
import subprocess
import sys

import numpy as np
import pytest

from dask_tapestry.memory import fresh_memory as module
from dask_tapestry.memory.fresh_memory import fresh_memory
from dask_tapestry.memory.tuning import HUGE_FROM_BYTES

LEFT = """
import gc
import numpy as np
from dask_tapestry.memory.buffer_pool import BufferPool

def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * 4096

np.ones(2**24, np.uint8)  # gone: from now on NumPy's arrays come from the heap
pool, between = BufferPool(), []
arrays = []
before = resident()
for _ in range(32):
    arrays.append(pool.array((2**18,), np.dtype("f8")))
    arrays[-1][:] = 1
    between.append(np.ones(2000))  # which stay, among those that go
arrays.clear()
pool.clean()
print(resident() - before)
"""


@pytest.mark.parametrize("size", [1, 2**18, HUGE_FROM_BYTES + 64])
def test_bytes_that_may_be_written(size):
    found = fresh_memory(size)
    found[:] = 7
    assert (found.shape, found.dtype, found.flags.writeable) == ((size,), np.uint8, True)


def test_a_view_keeps_the_memory():
    part = fresh_memory(2**20)[5:9]
    part[:] = 3
    assert part.tolist() == [3] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="reads what a process takes where Linux has it")
def test_gaps_between_smaller_arrays_go_back_to_the_system():
    told = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, check=True)
    assert int(told.stdout) < 16 * 2**20  # of 64 MiB


@pytest.mark.parametrize("lacks", ["mappings", "advice"])
def test_systems_that_refuse(monkeypatch, lacks):
    class Refuses(mmap.mmap):
        def __new__(cls, *args, **kwargs):
            if lacks == "mappings":
                raise OSError(12, "Cannot allocate memory")
            return super().__new__(cls, *args, **kwargs)

        def madvise(self, *args):
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(module.mmap, "mmap", Refuses)
    assert fresh_memory(HUGE_FROM_BYTES).size == HUGE_FROM_BYTES


def test_a_system_without_mappings(monkeypatch):
    monkeypatch.setattr(module, "OWN_PAGES", 0)
    assert fresh_memory(100).flags.owndata


def test_more_than_there_is():
    with pytest.raises(MemoryError):
        fresh_memory(2**62)
