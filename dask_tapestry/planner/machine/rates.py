"""Rates: how fast a machine computes, moves and schedules, as measured once.

They ship with the library, measured on a common machine; `dask_tapestry.calibrate` measures those
of another. A file of rates and the setting ``rates`` have one form: the fields of `Rates` by name,
in which what is missing is as shipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from dask_tapestry.amounts import positive, suggestion, whole_number
from dask_tapestry.errors import (
    ArgumentError,
    ArgumentTypeError,
    StoreError,
    StoreNotFoundError,
    TapestryError,
)
from dask_tapestry.first import first_of
from dask_tapestry.json_form import parsed
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.tuning import RATE_DIGITS

FORMAT: Final = 2  # changes with what operators count as operations: older rates are measured anew
SHIPPED: Final = Path(__file__).with_name("rates.json")
TEXTS: Final = ("machine",)  # fields that are no numbers
TABLE: Final = "operations"


@dataclass(frozen=True, repr=False)
class Rates:
    """Rates of one machine: bytes and operations a second, and seconds.

    Attributes
    ----------
    machine, threads
        What was measured, and how many threads it has.
    memory, memory_shared
        Bytes a second that a thread reads and writes: alone, and while all threads do.
    fresh, fresh_pages
        Bytes a second of memory that comes from the system, which clears it: of large arrays, and
        of those too small for huge pages.
    row
        Seconds by which a row of memory delays a thread that does not follow the one before.
    store_read, store_write, store_plain, store_plain_write, store_latency
        Bytes a second that all threads read from a store on this machine and write there, which is
        encoded, or plain; seconds a request.
    network, latency
        Bytes a second between two workers, and seconds a message.
    local_task, local_edge, local_slice
        Seconds of this process for a task, a value that a task reads, and a task that slices.
    scheduler_task, scheduler_edge, scheduler_slice
        The same of a cluster's scheduler.
    worker_task
        Seconds of a cluster's worker for a task, besides computing it.
    call
        Seconds that calling one operator of a block takes, however few its cells are.
    operations
        Operations a second of a thread, by ``"kernel dtype"``, by ``"kernel"``, and by ``""`` for
        kernels that are not named.
    """

    machine: str
    threads: int
    memory: float
    memory_shared: float
    fresh: float
    fresh_pages: float
    row: float
    store_read: float
    store_write: float
    store_plain: float
    store_plain_write: float
    store_latency: float
    network: float
    latency: float
    local_task: float
    local_edge: float
    local_slice: float
    scheduler_task: float
    scheduler_edge: float
    scheduler_slice: float
    worker_task: float
    call: float
    operations: tuple[tuple[str, float], ...]

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, f.name) for f in fields(self)))

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # texts hash anew elsewhere

    @cached_property
    def _rates_of(self) -> dict[tuple[str, np.dtype[Any]], float]:
        return {}

    def operations_a_second(self, kernel: str, dtype: np.dtype[Any]) -> float:
        """Operations a second of a thread in `kernel` on cells of `dtype`."""
        rate = self._rates_of.get((kernel, dtype))
        if rate is None:
            table = dict(self.operations)
            names = (f"{kernel} {dtype.name}", kernel, "")
            rate = self._rates_of[kernel, dtype] = first_of(
                (table[n] for n in names if n in table), "rate of other kernels"
            )
        return rate

    def __repr__(self) -> str:
        """A table: what, how much, of what."""
        lines = [f"rates of {self.machine}, {self.threads} threads"]
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float):
                lines.append(f"  {field.name.replace('_', ' '):24} {_amount(field.name, value)}")
        for name, rate in self.operations:
            lines.append(f"  {name or 'other kernels':24} {rate:8.2g} operations/s")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, as a file of rates holds them."""
        return self.__getstate__() | {TABLE: dict(self.operations)}


def is_seconds(name: str) -> bool:
    """Whether a rate is seconds of what is done once; else it is bytes a second."""
    return name.endswith(("latency", "task", "edge", "slice", "row", "call"))


def _amount(name: str, value: float) -> str:
    """A rate with its unit."""
    if is_seconds(name):
        return f"{value * 1e6:8.4g} µs"
    return f"{value / 1e9:8.3g} GB/s"


def rounded(rate: float) -> float:
    """`rate` to the digits that measuring it again would find."""
    return float(f"{rate:.{RATE_DIGITS}g}")


def rates_of(values: Mapping[str, Any], base: Rates | None = None) -> Rates:
    """Rates from their fields by name; what is missing is as in `base`, or as shipped.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For a rate that does not exist, or is no positive number.

    Examples
    --------
    >>> rates_of({"network": 1e10}).network
    10000000000.0
    """
    if not isinstance(values, Mapping):
        raise ArgumentTypeError(f"rates must be a dictionary of numbers by name, not {values!r}")
    known = sorted(f.name for f in fields(Rates))
    unknown = [name for name in values if name not in known]
    if unknown:
        hint = suggestion(unknown[0], known)
        raise ArgumentError(f"unknown rates {unknown}{hint}; there are {known}")
    for name, value in values.items():
        _check(name, value)
    if base is None:
        base = shipped_rates()
    table = dict(base.operations) | values.get(TABLE, {})
    exact = (*TEXTS, "threads", TABLE)
    plain: dict[str, Any] = {n: v if n in exact else float(v) for n, v in values.items()}
    rows = tuple(sorted((name, float(rate)) for name, rate in table.items()))
    return replace(base, **plain | {TABLE: rows})


def _check(name: str, value: Any) -> None:
    """Refuse what is no value of a field."""
    if name in TEXTS:
        if not isinstance(value, str):
            raise ArgumentTypeError(f"rates: {name} must be text, not {value!r}")
    elif name == TABLE:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise ArgumentTypeError(f"rates: {name} must be numbers by name, not {value!r}")
        for kernel, rate in value.items():
            positive(f"rates: {name} of {kernel!r}", rate)
    elif name == "threads":
        whole_number(f"rates: {name}", value)
    else:
        positive(f"rates: {name}", value)


@cache
def shipped_rates() -> Rates:
    """The rates that ship with the library."""
    given = parsed(SHIPPED.read_text())
    return Rates(**{**given, TABLE: tuple(sorted(given[TABLE].items()))})


@lru_cache(maxsize=16)
def rates_in(file: Path) -> Rates:
    """The rates in a file, read once.

    Raises
    ------
    ArgumentError
        If it holds no rates.
    StoreError
        If it cannot be read.
    """
    try:
        return rates_of(parsed(file.read_text()))
    except OSError as error:
        text = f"rates is not a file that can be read, nor 'measured' or 'shipped': {error}"
        kind = StoreNotFoundError if isinstance(error, FileNotFoundError) else StoreError
        raise kind(text) from None
    except (ValueError, RecursionError, TapestryError) as error:
        raise ArgumentError(f"{file} holds no rates: {error}") from None
