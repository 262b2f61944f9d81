"""Rates of a device inside a worker: as shipped they are estimates, from a card's data and peers.

They have the classes of kernels that `Rates` has. Where a kernel has no rate of its own, memory is
what bounds it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from dask_tapestry.json_form import parsed
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.machine.rates import Rates

SHIPPED: Final = Path(__file__).with_name("device_rates.json")


@dataclass(frozen=True)
class DeviceRates:
    """Rates of one device, all of which one kernel has.

    Attributes
    ----------
    machine
        What they are of.
    memory
        Bytes a second that kernels read and write.
    launch
        Seconds until a kernel that is called begins.
    link
        Bytes a second between the memory of the host and that of the device.
    capacity
        Bytes of its memory.
    operations
        Operations a second, by ``"kernel dtype"``, by ``"kernel"``, and by ``""``.
    """

    machine: str
    memory: float
    launch: float
    link: float
    capacity: int
    operations: tuple[tuple[str, float], ...]

    def of_kernels(self, host: Rates) -> Rates:
        """The rates of a host's machine whose kernels run on the device."""
        return replace(
            host,
            memory=self.memory,
            memory_shared=self.memory,
            fresh=self.memory,
            fresh_pages=self.memory,
            call=self.launch + host.call,
            operations=self.operations,
        )


@cache
def shipped_device_rates() -> DeviceRates:
    """The rates that ship with the library.

    Examples
    --------
    >>> shipped_device_rates().link
    50000000000.0
    """
    given = parsed(SHIPPED.read_text())
    return DeviceRates(**{**given, "operations": tuple(sorted(given["operations"].items()))})
