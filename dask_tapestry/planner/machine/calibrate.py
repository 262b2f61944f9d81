"""Calibration: which rates are in force, and where those that were measured are kept.

They are kept in a file for each kind of machine, in the directory of compiled kernels, which is the
user's alone. Planning measures nothing: it would take longer than most jobs, and what is measured
beside a job is wrong; see `long_jobs` for those that are worth it.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
from dask.system import CPU_COUNT

from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.json_form import parsed
from dask_tapestry.planner.machine.rates import FORMAT, Rates, rates_in, rates_of, shipped_rates
from dask_tapestry.settings import checked_by, setting
from dask_tapestry_kernels.kernel_cache import directory

CPUS: Final = Path("/proc/cpuinfo")
_measured: dict[str, Rates | None] = {}  # by machine; None where none are kept


def rates_in_force() -> Rates:
    """The rates that plans are made with now, as the setting ``rates`` says."""
    return chosen_rates(setting("rates"))


def chosen_rates(chosen: Any) -> Rates:
    """The rates that a setting names.

    Raises
    ------
    ValueError
        If it names no rates.
    """
    if chosen == "measured":
        return measured_rates() or shipped_rates()
    if chosen == "shipped":
        return shipped_rates()
    if isinstance(chosen, Rates):
        return chosen
    if isinstance(chosen, Mapping):
        return rates_of(chosen)
    if not isinstance(chosen, str | Path):
        wanted = "rates must be 'measured', 'shipped', a file of rates, or a dictionary of them"
        raise ArgumentTypeError(f"{wanted}, not {chosen!r}")
    return rates_in(Path(chosen))


@checked_by("rates")
def _checked(_: str, given: Any) -> Rates:
    return chosen_rates(given)


def measured_rates() -> Rates | None:
    """The rates measured on this machine, now or in another process; None if there are none."""
    key = identity()
    if key not in _measured:
        _measured[key] = _read(key)
    return _measured[key]


def keep_rates(rates: Rates) -> Path | None:
    """Make `rates` those of this machine; return the file, or None where nothing can be kept."""
    key = identity()
    _measured[key] = rates
    file = _file(key)
    if file is None:
        return None
    try:
        handle, beside = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "w") as opened:
            json.dump(rates.as_dict(), opened, indent=2)
        os.replace(beside, file)  # processes that write at once do not meet
    except OSError:
        return None
    return file


@cache
def identity() -> str:
    """What rates depend on, as a digest: processor, threads, NumPy, and how operations count."""
    text = f"{processor()} {CPU_COUNT} {np.__version__} {FORMAT}"
    return blake2b(text.encode(), digest_size=10).hexdigest()


def processor() -> str:
    """Name of this machine's processor."""
    try:
        lines = CPUS.read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def _file(key: str) -> Path | None:
    folder = directory()
    return None if folder is None else folder / f"rates-{key}.json"


def _read(key: str) -> Rates | None:
    file = _file(key)
    try:
        return None if file is None else rates_of(parsed(file.read_text()))
    except (OSError, ValueError, TypeError, AttributeError):  # none, or torn, or of other fields
        return None
