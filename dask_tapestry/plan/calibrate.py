"""Calibration: which rates are in force."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dask_tapestry.config import setting
from dask_tapestry.plan.rates import Rates, rates_in, rates_of, shipped_rates


def rates_in_force() -> Rates:
    """The rates that plans are made with now, as the setting ``rates`` says."""
    return chosen_rates(setting("rates"))


def chosen_rates(chosen: Rates | Mapping[str, Any] | str | Path) -> Rates:
    """The rates that a setting names.

    Raises
    ------
    ValueError
        If it names no rates.
    """
    if chosen == "shipped":
        return shipped_rates()
    if isinstance(chosen, Rates):
        return chosen
    if isinstance(chosen, Mapping):
        return rates_of(chosen)
    return rates_in(Path(chosen))
