"""Versions of published datasets on a scheduler; what clients do: tests/arrays/datasets."""

import asyncio

from dask_tapestry.scheduler.dataset_versions import DatasetVersions
from dask_tapestry.scheduler.replicas import ReplicaKeeper


class Published:
    def __init__(self):
        self.datasets = {}

    async def put(self, names, keys, data, override, client, uid):
        for name, own, value in zip(names, keys, data, strict=True):
            self.datasets[name] = {"keys": own, "data": value}

    async def _sync_batched_send(self, client, uid):
        pass


class Loop:
    def __init__(self):
        self.later = []

    def call_later(self, seconds, function, *args):
        self.later.append((function, args))


class Scheduler:
    def __init__(self):
        self.extensions, self.handlers = {"publish": Published()}, {}
        self.plugins, self.clients, self.loop, self.desired = {}, {}, Loop(), {}

    def client_desires_keys(self, keys, client):
        self.desired[client] = list(keys)

    def client_releases_keys(self, keys, client):
        assert self.desired.pop(client) == list(keys)


def replace(plugin, keys, read=None):
    return asyncio.run(plugin.replace("x", read, keys, "data", "client", "uid"))


def made():
    scheduler, plugin = Scheduler(), DatasetVersions()
    asyncio.run(plugin.start(scheduler))
    return scheduler, plugin


def test_versions_are_counted():
    scheduler, plugin = made()
    assert [replace(plugin, [n]) for n in range(3)] == [1, 2, 3]
    assert plugin.versions()["versions"] == {"x": 3}
    scheduler.extensions["publish"].datasets.clear()
    assert plugin.versions()["versions"] == {}
    assert replace(plugin, [0]) == 1


def test_one_that_was_replaced_is_not_replaced_again():
    scheduler, plugin = made()
    assert replace(plugin, ["a"], read=["z"]) is None
    replace(plugin, ["a", "b"])
    assert replace(plugin, ["c"], read=["a"]) is None
    assert scheduler.extensions["publish"].datasets["x"]["keys"] == ["a", "b"]
    assert replace(plugin, ["c"], read=["b", "a"]) == 2


def test_what_was_replaced_stays_for_a_while():
    scheduler, plugin = made()
    replace(plugin, ["a"])
    assert not scheduler.desired
    replace(plugin, ["b"])
    assert list(scheduler.desired.values()) == [["a"]]
    for function, args in scheduler.loop.later:
        function(*args)
    assert not scheduler.desired


def test_replicas_are_those_of_the_key_with_fewest():
    scheduler, plugin = made()
    keeper = scheduler.plugins[ReplicaKeeper.name] = ReplicaKeeper()
    replace(plugin, ["a", "b"])
    assert plugin.versions()["replicas"] == {"x": 1}
    keeper.keep(["a", "b"], 3)
    keeper.keep(["b"], 2)
    assert plugin.versions()["replicas"] == {"x": 3}
