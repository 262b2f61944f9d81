"""What is lent is kept while somebody may need it, and told once when nobody can."""

import gc
from dataclasses import dataclass, field

import pytest

from dask_tapestry.lower.leases import Lease, Leases


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
    leases, thing, lease = Leases(), Thing("a"), Lease()
    leases.put(thing)
    leases.lend(lease, [thing], None if results is None else frozenset(results))
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
    leases, thing, lease = Leases(), Thing("a"), Lease()
    leases.put(thing)
    leases.lend(lease, [thing], None)
    del lease
    gc.collect()
    assert thing.ends == ["a"], "it is looked after where the lease ends"


def test_the_end_of_the_process_ends_all():
    leases = Leases()
    things = [leases.put(Thing(name)) for name in "ab"]
    leases.clear()
    assert [thing.ends for thing in things] == [["a"], ["b"]]
    assert not len(leases)
