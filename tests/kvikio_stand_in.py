"""A stand-in for kvikio: files that are read into arrays of the stand-in for CuPy.

As kvikio's documentation and source (26.02) say of `CuFile`: it is opened by a path and flags, and
is a context manager; `read(buf, size, file_offset)` blocks, and returns how many bytes it read;
``buf`` must be contiguous and have room for `size`; nothing is read beyond the end of a file. Its
threads know nothing of CuPy's streams: what these still do with the memory must have ended.
"""

import types
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np

from tests import cupy_stand_in

reads = []  # of files: name, place and bytes


class CuFile:
    """As `kvikio.CuFile`, for reading."""

    def __init__(self, file, flags="r"):
        assert flags == "r"
        self.name, self.cells = Path(file).name, Path(file).read_bytes()
        self.closed = False

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def read(self, buf, size=None, file_offset=0, task_size=None):
        assert isinstance(buf, cupy_stand_in.ndarray)
        assert not self.closed
        assert buf.stream.done >= buf.stream.begun, "its stream has not ended"
        if not buf.flags.c_contiguous and not buf.flags.f_contiguous:
            raise ValueError("Array must be contiguous")
        size = buf.nbytes if size is None else size
        if size > buf.nbytes:
            raise ValueError("Size is greater than the size of the buffer")
        found = self.cells[file_offset : file_offset + size]
        if len(found) < size:
            raise RuntimeError("POSIX error: EOF")
        buf.memory.reshape(-1).view(np.uint8)[:size] = np.frombuffer(found, np.uint8)
        reads.append((self.name, file_offset, size))
        return size


def stand_in():
    """The module that is imported by the name of kvikio's."""
    reads.clear()
    module = types.ModuleType("kvikio")
    module.CuFile, module.__spec__ = CuFile, ModuleSpec("kvikio", None)
    return module
