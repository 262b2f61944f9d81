"""Of plans that take about as long, one change away, the one that takes less of the rest."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.exact_grids import recut
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.polish import polished
from tests.planner.graphs import stored
from tests.planner.spaces import COSTS, space_of

WORKERS = dt.Resources(workers=50, threads=4, memory="16 GiB")


def taken(space, state):
    tasks = sum(priced.cost.tasks for priced in state.placed.values())
    return state.seconds, state.carried, space.fullest_at_worst(state).bytes, tasks


def months():
    x = stored((14_610, 721, 1440), "f4", (24, 721, 1440))
    mean = x.mean(axis=0)
    return ((x > mean + 2 * x.std(axis=0)).sum(axis=0),)


def spectra():
    x = stored((14_610, 721, 1440), "f4", (24, 721, 1440))
    return (dt.abs(dt.fft.rfft(x, axis=0)).mean(0),)


def qr():
    return (dt.linalg.qr(stored((10**8, 64), "f8", (500_000, 64)))[1],)


@pytest.mark.few(2)  # one question each
@pytest.mark.parametrize("roots", [months, spectra, qr])
def test_a_polished_plan_takes_hardly_more_of_anything(roots):
    space = space_of(*roots(), resources=WORKERS)
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    state = recut(space, improve(space, state, 300), 300)
    if not space.fits_at_worst(state):
        pytest.skip("nothing that fits is polished")
    other = polished(space, state, COSTS)
    assert polished(space, state, COSTS) is other  # whenever it is asked
    for now, before, room in zip(
        taken(space, other), taken(space, state), (0, 50 * 2**27, 2**27, 8 * 200), strict=True
    ):
        assert now <= 1.05 * max(before, room) + room * 0.05
    assert other is state or taken(space, other) != taken(space, state)


def test_what_is_much_too_fine_has_fewer_tasks():
    x = stored((200_000, 20_000), "f8", (100, 20_000))
    space = space_of(dt.sqrt(x) * 2, resources=WORKERS)
    state = space.state(Choices())
    (node,) = state.placed
    fine = tuple(
        type(cuts).regular(n, side)
        for cuts, n, side in zip(state.placed[node].grid, x.shape, (20, 20_000), strict=True)
    )
    many = space.state(Choices(grids={node: fine}))
    fewer = polished(space, many, COSTS)
    assert taken(space, fewer)[3] <= 0.6 * taken(space, many)[3]


def test_without_costs_a_plan_stays():
    space = space_of(*months(), resources=WORKERS)
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    assert polished(space, state, 0) is state


def test_memory_is_counted_of_plans_that_take_no_more_of_the_rest(monkeypatch):
    counted = []

    def counting(space, state):
        counted.append(state)
        return original(space, state)

    space = space_of(*months(), resources=WORKERS)
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    state = recut(space, improve(space, state, 300), 300)
    original = type(space).peak_at_worst
    monkeypatch.setattr(type(space), "peak_at_worst", counting)
    polished(space, state, COSTS)
    tasks = [sum(p.cost.tasks for p in one.placed.values()) for one in counted]
    assert tasks
    assert max(tasks) <= 1.03 * tasks[0]
