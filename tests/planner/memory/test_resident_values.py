"""What workers hold of each value at once."""

import dask_tapestry as dt
from dask_tapestry.planner.memory.memory import peak_worker_bytes
from dask_tapestry.planner.memory.resident_values import passed_on, resident_bytes
from dask_tapestry.planner.search import relays
from tests.planner.graphs import FOUR, stored

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


SMALL = dt.Resources(workers=2, threads=1, memory="500 MB")
COLUMNS = (64, 512, 512)  # 64 MiB


def doubled(block):
    return block * 2


def columns():
    """What a user's function makes of 16 blocks, each a fifth of what a worker may hold."""
    return stored((64, 2048, 2048), "f4", COLUMNS).map_blocks(doubled, dtype="f4")


def test_blocks_that_one_task_each_reads_are_held_one_at_a_time():
    plan = dt.plan(columns().mean(axis=0), resources=SMALL)
    plan.verify()
    (soon,) = passed_on(plan.core)
    assert soon.operator.name == "blockwise"
    assert resident_bytes(plan.core)[soon] == 2 * 2**26
    assert plan.cost["peak_worker_bytes"] < 4.5 * 2**26
    assert plan.simulate().peak_worker_bytes <= plan.cost["peak_worker_bytes"]


def test_blocks_that_others_read_too_or_that_wait_are_not():
    y = columns()
    roomy = dt.Resources(workers=2, threads=1, memory="8 GB")
    for jobs in (
        [y.mean(axis=0), y.sum(axis=(1, 2))],
        [y.sum()],  # in blocks of which several are joined
        [(y - y.mean()).max(axis=0)],
        [y],
    ):
        held = resident_bytes(plan := dt.plan(*jobs, resources=roomy).core)
        blocks = next(node for node in plan.steps if node.operator.name == "blockwise")
        assert blocks not in passed_on(plan) or held[blocks] <= 4 * 2**26
        if len(jobs) > 1 or jobs[0] is y:
            assert blocks not in passed_on(plan)


def test_two_wait_where_reading_takes_as_much_as_making():
    x = stored((64, 2048, 2048), "f4", (8, 512, 512)).rechunk((64, 512, 512))
    plan = dt.plan(dt.sort(x, axis=0).map_blocks(doubled, dtype="f4"), resources=FOUR).core
    for node in passed_on(plan):
        step = plan.steps[node]
        assert resident_bytes(plan)[node] in {8 * n * step.block_bytes for n in (1, 2)}
