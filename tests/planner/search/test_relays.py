"""Steps that would cut very many slices read a value from blocks between; nothing is computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.plan_json import dumps, loads
from dask_tapestry.planner.search import relays
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts
from tests.planner.enumerated import in_slices
from tests.planner.spaces import space_of

MACHINE = dt.Resources(workers=128, threads=4, memory="16 GiB", bandwidth="1 GB/s")


def autocorrelation(shape=(14610, 721, 1440), chunks=(24, 721, 1440)):
    x = dt.placeholder(shape, "f4", chunks)
    return dt.fft.irfft(abs(dt.fft.rfft(x, axis=0)) ** 2, axis=0)[:100]


@pytest.fixture(autouse=True)
def sliced():
    """Nothing is exchanged in bulk."""
    with in_slices():
        yield


def relay_steps(plan):
    return [node for node in plan.core.steps if node.operator.name == "rename"]


def test_a_relay_saves_seconds(monkeypatch):
    x = autocorrelation()
    plan = dt.plan(x, resources=MACHINE)
    plan.verify()
    assert relay_steps(plan)
    assert loads(dumps(plan.core), [x.node]).cost == plan.core.cost
    monkeypatch.setattr(relays, "GAIN_OF_RELAY", 0.0)
    direct = dt.plan(autocorrelation((14611, 721, 1440)), resources=MACHINE)
    assert not relay_steps(direct)
    assert plan.cost["seconds"] < 0.9 * direct.cost["seconds"]


def relays_of_files(lengths):
    """Relays of files that are held in blocks of rows, and joined and read by columns."""
    files = [dt.placeholder((n, 64), "f4", (4, 64)) for n in lengths]
    space = space_of(dt.median(dt.concatenate(files), axis=0))
    read = [n for n in space.graph.nodes if isinstance(n.operator, Source)]
    rows = {
        n: tuple(Cuts.regular(*sides) for sides in ((n.type.shape[0], 4), (64, 64))) for n in read
    }
    return list(relays.relays(space, space.state(Choices(held=frozenset(read), grids=rows))))


def test_files_that_are_alike_are_relayed_once(monkeypatch):
    monkeypatch.setattr(relays, "MANY_SLICES", 0)
    one = relays_of_files([40, 40])
    assert one
    assert len(relays_of_files([40] * 9)) == len(one)
    assert len(relays_of_files([40, 80, 160])) > len(one)


def test_few_slices_are_cut_directly():
    plan = dt.plan(autocorrelation((1461, 72, 144), (24, 72, 144)), resources=MACHINE)
    assert not relay_steps(plan)


@given(data=st.data())
def test_blocks_between_are_whole_ones_of_the_smaller(data):
    extent = data.draw(st.integers(1, 200))
    made, read = (Cuts.regular(extent, data.draw(st.integers(1, extent))) for _ in range(2))
    (cuts,) = relays.between((made,), (read,))
    finer = max(made, read, key=lambda one: one.count)
    assert cuts.extent == extent
    assert {cuts.block(n)[0] for n in range(cuts.count)} <= {
        finer.block(n)[0] for n in range(finer.count)
    }
    assert min(made.count, read.count) <= cuts.count <= finer.count


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_what_is_relayed_has_the_same_bits(scheduler, monkeypatch):
    monkeypatch.setattr(relays, "GAIN_OF_RELAY", np.inf)
    monkeypatch.setattr(relays, "MANY_SLICES", 8)
    cells = np.random.default_rng(1).normal(size=(600, 400))
    rows = dt.sort(dt.asarray(cells), axis=1).rechunk((10, 400))
    columns = dt.sort(rows, axis=0).rechunk((600, 7))
    plan = dt.plan(columns, resources=dt.Resources(4, 2, "256 MiB"))
    assert relay_steps(plan)
    plan.verify()
    wanted = np.sort(np.sort(cells, axis=1), axis=0)
    np.testing.assert_array_equal(plan.compute(scheduler=scheduler), wanted)
