"""Chunks that are not encoded, read by kvikio from files into the memory of a device.

Where NVIDIA's GPUDirect Storage serves, they do not pass through the memory of the host; elsewhere
kvikio reads with several threads. It is used where it is installed, and nowhere else looked for.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunks.zarr_direct import DirectArray
from dask_tapestry.io.files.file_cells import Part, part_of
from dask_tapestry.io.tuning import DEVICE_SCRATCH_BYTES
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry_kernels.cupy_module import cupy_module

if TYPE_CHECKING:
    from pathlib import Path

Block = Any  # an array on a device


def has_kvikio() -> bool:
    """Whether kvikio is installed."""
    return find_spec("kvikio") is not None


@dataclass(frozen=True)
class DeviceArray(DirectArray):
    """An array whose chunks are files of cells in C order, which are read to a device."""

    @classmethod
    def of_way(cls, way: object) -> DeviceArray | None:
        """The same array, if its cells are stored as a device holds them; else None."""
        if not isinstance(way, DirectArray) or way.form.is_encoded:
            return None
        coded = way.form.format
        in_order = tuple(coded.axes) == tuple(range(len(coded.axes)))
        return cls(way.folder, way.form) if in_order and coded.dtype.isnative else None

    def _read_file(self, path: Path, part: Part, out: Block) -> None:
        coded, size = self.form.format, path.stat().st_size
        if size != coded.nbytes:
            raise ValueError(f"it has {size} bytes, not {coded.nbytes}")
        if not out.size:
            return
        with lazy_import("kvikio").CuFile(path, "r") as file:
            if not part:
                _read(file, out, 0)
                return
            lead, *other_slices = part
            row = coded.nbytes // coded.sides[0]
            whole = all(
                s.stop - s.start == n for s, n in zip(other_slices, coded.sides[1:], strict=True)
            )
            if whole and out.flags.c_contiguous:
                _read(file, out, lead.start * row)
                return
            rows = max(1, DEVICE_SCRATCH_BYTES // row)
            for first in range(lead.start, lead.stop, rows):
                last = min(first + rows, lead.stop)
                cells = cupy_module().empty((last - first, *coded.sides[1:]), coded.dtype)
                _read(file, cells, first * row)
                out_rows = slice(first - lead.start, last - lead.start)
                out[out_rows] = part_of(cells, (slice(None), *other_slices))


def _read(file: Any, out: Block, at: int) -> None:
    """Fill an array on a device with what a file has from a place on.

    Threads of kvikio's own write to its memory, which kernels of this thread may still read.
    """
    cupy_module().cuda.get_current_stream().synchronize()
    found = file.read(out, out.nbytes, at)
    if found != out.nbytes:
        raise ValueError(f"it returned {found} bytes at {at}, not {out.nbytes}")
