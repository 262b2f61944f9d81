"""What is lent is kept while somebody may need it, and told once when nobody can."""

import gc
from dataclasses import dataclass, field

import pytest

from dask_tapestry.lower.leases import Leases


@dataclass(eq=False)
class Thing:
    name: str
    results: frozenset | None = frozenset()
    ends: list = field(default_factory=list)

    def ended(self):
        self.ends.append(self.name)


class FakeClient:
    def __init__(self, *keys):
        self.futures = dict.fromkeys(keys)
        self.loop = self

    def add_callback(self, callback):
        """Sweeps are called by the tests."""


@pytest.fixture
def clients(monkeypatch):
    found = [FakeClient("wanted")]
    monkeypatch.setattr("dask_tapestry.lower.leases.live_clients", lambda: found)
    return found


@pytest.mark.parametrize(
    ("results", "kept"),
    [({"wanted"}, True), ({"other"}, False), (None, True), (set(), False)],
)
def test_a_thing_is_kept_for_results_that_are_awaited(results, kept, clients):
    leases = Leases()
    lease = leases.lease()
    thing = leases.put(Thing("a", None if results is None else frozenset(results)), lease)
    assert leases.sweep() is False, "the lease is held"
    assert len(leases) == 1
    del lease
    gc.collect()
    assert leases.sweep() is kept
    assert len(leases) == kept
    clients[0].futures.clear()
    leases.sweep()
    leases.sweep()
    assert thing.ends == ["a"]


def test_without_clients_nothing_is_kept(clients):
    clients.clear()
    leases = Leases()
    lease = leases.lease()
    thing = leases.put(Thing("a", None), lease)
    del lease
    gc.collect()
    assert thing.ends == ["a"], "it is looked after where the lease ends"


def test_the_end_of_the_process_ends_all():
    leases = Leases()
    lease = leases.lease()
    things = [leases.put(Thing(name), lease) for name in "ab"]
    leases.clear()
    assert [thing.ends for thing in things] == [["a"], ["b"]]
    assert not len(leases)


def test_one_that_cannot_end_keeps_no_other(clients, caplog):
    class Stuck(Thing):
        def ended(self):
            raise OSError("the disk is gone")

    clients.clear()
    leases = Leases()
    lease = leases.lease()
    leases.put(Stuck("stuck"), lease)
    thing = leases.put(Thing("a"), lease)
    del lease
    gc.collect()
    assert thing.ends == ["a"]
    assert "stuck is left behind: the disk is gone" in caplog.text
