"""Searches in parts that meet."""

import pickle

import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.planner.search import islands
from dask_tapestry.planner.search import one_space as search_module
from dask_tapestry.planner.search.budget import SearchBudget
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.evolve import Evolution
from dask_tapestry.planner.search.islands import epoch_of, evolve_on_islands
from dask_tapestry.planner.search.search import search
from dask_tapestry.planner.search.tuning import EPOCHS, ISLANDS
from dask_tapestry.teg import Graph
from tests.planner.graphs import FOUR
from tests.planner.spaces import gram, space_of

Y = gram()


def evolved(run=None, effort=None):
    space = space_of(Y, resources=FOUR)
    evolution = Evolution(space, 0)
    evolution.begin([space.state(Choices())])
    evolve_on_islands(evolution, effort or SearchBudget(1600), 0, run)
    return evolution


def costs(evolution):
    return [dict(point.cost) for point in evolution.frontier]


def elsewhere(parts):
    """As another process would: each island pickled, and what it found."""
    return [pickle.loads(pickle.dumps(epoch_of(pickle.loads(pickle.dumps(p))))) for p in parts]


def test_islands_find_the_same_wherever_they_are():
    here = evolved()
    assert here.best.choices.forms
    assert costs(here) == costs(evolved(elsewhere))


def test_they_meet_after_each_epoch_and_know_what_others_found():
    met = []

    def run(parts):
        met.append(parts)
        return [epoch_of(part) for part in parts]

    evolved(run, SearchBudget(1600, to_the_end=True))
    assert [len(parts) for parts in met] == [ISLANDS] * EPOCHS
    assert len({part.seed for parts in met for part in parts}) == ISLANDS * EPOCHS
    first, second, *_ = met
    assert len(first[0].seeds) < len(second[0].seeds)
    assert all(part.seeds == second[0].seeds for part in second)


def test_they_end_when_an_epoch_finds_nothing_better():
    met = []

    def run(parts):
        met.append(parts)
        return [part.seeds for part in parts]

    evolved(run)
    assert len(met) == 1


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_long_searches_run_on_the_workers_of_the_client(monkeypatch):
    monkeypatch.setattr(search_module, "LONG_SEARCH_COSTS", 100)
    graph = Graph([Y.node])
    here = search(graph, FOUR, budget=0.3).state
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        there = search(graph, FOUR, budget=0.3).state
        ran = client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.task_prefixes))
    assert "epoch_of" in ran
    assert there.choices == here.choices


def test_data_stays_where_it_is(monkeypatch):
    """An array in memory would be sent to each island, each epoch."""
    monkeypatch.setattr(islands, "live_client", lambda: "which has no method to send it with")
    x = dt.asarray(dt.ones((50, 40)).compute())
    space = space_of(x @ x.T, resources=FOUR)
    evolution = Evolution(space, 0)
    evolution.begin([space.state(Choices())])
    evolve_on_islands(evolution, SearchBudget(200), 0)
    assert evolution.best.rank <= space.state(Choices()).rank
    with pytest.raises(AttributeError, match=r"gather|map"):
        evolved(effort=SearchBudget(200))
