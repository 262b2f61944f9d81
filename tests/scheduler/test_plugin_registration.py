"""Plugins are registered once."""

import asyncio

import pytest

import dask_tapestry as dt
from dask_tapestry.scheduler.plugin_registration import register


class Client:
    def __init__(self, error=None):
        self.calls, self.error = [], error

    async def _register_scheduler_plugin(self, plugin, name, idempotent):
        self.calls.append((name, idempotent))
        if self.error:
            raise self.error


class Plugin:
    name = "plugin"


def test_each_once_by_a_client():
    first, second = Client(), Client()
    for client in (first, first, second):
        asyncio.run(register(client, Plugin()))
    assert first.calls == second.calls == [("plugin", True)]


def test_a_scheduler_without_the_library():
    client = Client(ModuleNotFoundError("No module named 'dask_tapestry'"))
    with pytest.raises(dt.PlanError, match="the scheduler cannot import dask_tapestry"):
        asyncio.run(register(client, Plugin()))
