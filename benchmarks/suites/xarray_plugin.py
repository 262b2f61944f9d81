"""A plugin of pytest: xarray calls our chunk manager before any test of its own is imported."""

from __future__ import annotations

import importlib.util
import sys
import zoneinfo
from types import ModuleType
from typing import Any

import pandas  # noqa: F401  (it looks for pytz, whose stand-in it must not find)
import pytest

import dask_tapestry as dt


def _stood_in(name: str, **members: object) -> None:
    """A module for a package that only few tests of a file need, where it is not installed."""
    if importlib.util.find_spec(name.partition(".")[0]) is None or name.startswith("dask."):
        module = ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module


_stood_in("pytz", timezone=zoneinfo.ZoneInfo, UTC=zoneinfo.ZoneInfo("UTC"))
if importlib.util.find_spec("pyarrow") is None:
    _stood_in("dask.dataframe")
dt.xarray.use()


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Coroutines need a plugin, without which pytest counts them as failures."""
    if not config.pluginmanager.hasplugin("asyncio"):
        for item in items:
            if item.get_closest_marker("asyncio"):
                item.add_marker(pytest.mark.skip(reason="needs pytest-asyncio"))
