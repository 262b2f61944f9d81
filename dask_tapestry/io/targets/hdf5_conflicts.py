"""Conflicts of writes to the same cells of HDF5 at one time: the last to begin goes on.

One process alone writes to an HDF5 file, so that its memory tells which of its computes do.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

from dask_tapestry.errors import StoreError
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.io.tuning import MOST_STOPPED_WRITES


class OpenWrite(NamedTuple):
    """A write of a compute to a region of a dataset."""

    dataset: Hashable
    region: WriteRegion
    run: str

    def meets(self, other: OpenWrite) -> bool:
        """Whether another compute writes to some of the cells."""
        mine, its = self._of_cells(), other._of_cells()
        return self.run != other.run and mine.meets(its)

    def _of_cells(self) -> WriteRegion:
        return replace(self.region, sides=(1,) * len(self.region.sides))


class OpenWrites:
    """The writes of this process that have begun and not ended; a lock of the caller's guards it.

    Examples
    --------
    >>> writes, region = OpenWrites(), WriteRegion.of((slice(3, 9),), (20,), (1,))
    >>> first, second = (OpenWrite("x", region, run) for run in ("first", "second"))
    >>> writes.begin(first), writes.begin(second), writes.require(second)
    (None, None, None)
    >>> writes.require(first)
    Traceback (most recent call last):
        ...
    dask_tapestry.errors.StoreError: another write has begun to write the same cells
    """

    def __init__(self) -> None:
        self._open: dict[Hashable, list[OpenWrite]] = {}
        self._stopped: OrderedDict[OpenWrite, None] = OrderedDict()

    def begin(self, write: OpenWrite) -> None:
        """Stop what other computes write to the same cells; said again, nothing changes."""
        self.require(write)
        known = self._open.setdefault(write.dataset, [])
        stopped = [other for other in known if other.meets(write)]
        self._stopped.update(dict.fromkeys(stopped))
        while len(self._stopped) > MOST_STOPPED_WRITES:
            self._stopped.popitem(last=False)
        stays = [other for other in known if other not in stopped]
        self._open[write.dataset] = [*stays, *([] if write in stays else [write])]

    def require(self, write: OpenWrite) -> None:
        """Raise `StoreError` if another compute has begun to write to the same cells."""
        if write in self._stopped:
            raise StoreError("another write has begun to write the same cells")

    def end(self, write: OpenWrite) -> None:
        """Note that a write has ended, which was not stopped."""
        self.require(write)
        left = [other for other in self._open.get(write.dataset, ()) if other != write]
        if left:
            self._open[write.dataset] = left
        else:
            self._open.pop(write.dataset, None)
