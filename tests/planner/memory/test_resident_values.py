"""What workers hold of each value at once."""

import dask_tapestry as dt
from dask_tapestry.planner.memory.memory import peak_worker_bytes
from dask_tapestry.planner.memory.resident_values import resident_bytes
from dask_tapestry.planner.search import relays
from tests.planner.graphs import FOUR

BANDS = (1000, 1000)


def held(*grids):
    """Parts of a value that are held of each layout that it has one after the other."""
    x = dt.placeholder((100_000, 1000), "f8", stored_chunks=(1000, 1000))
    made = [x * 2]
    for grid in grids:
        made.append(made[-1].rechunk(grid))
    plan = dt.plan(made[-1].rechunk((100_000, 5)).sum(axis=0), resources=FOUR).core
    found = resident_bytes(plan)
    return [found[one.node] / x.nbytes for one in made[1:] if one.node in found]


def test_columns_of_bands_are_made_of_all_bands(monkeypatch):
    """Bands are read in rounds by blocks between; these are read in others, so all are held."""
    monkeypatch.setattr(relays, "GAIN_OF_RELAY", 0.0)
    bands, between = held(BANDS, (10_000, 100))
    assert bands < 0.5
    assert between == 1


def test_what_is_read_in_the_rounds_in_which_it_is_made_is_held_in_parts():
    bands, columns = held((1000, 100), (10_000, 100))
    assert bands < 0.5
    assert columns < 0.5


def test_what_is_read_whole_is_held():
    assert held((10_000, 1000)) == [1]


def test_of_hundreds_of_steps_those_are_known_that_have_ended():
    """As of a matrix that is changed panel by panel: all its versions would not fit."""
    x = dt.placeholder((10_000, 1000), "f8", stored_chunks=(1000, 1000))
    for number in range(300):
        x = dt.sqrt(x + number).rechunk(((1000, 1000), (10_000, 100))[number % 2])
    plan = dt.plan(x.sum(), resources=FOUR, method="none").core
    assert len(plan.steps) >= 300
    assert peak_worker_bytes(plan) < 10 * x.nbytes
