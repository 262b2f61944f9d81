"""Unlike operators that read one stored source jointly yield what each of them does alone."""

from math import inf

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.planner.equivalence import require_computes
from dask_tapestry.planner.rewriting.joint_reads import ONE_READ
from dask_tapestry.planner.rewriting.rule_choices import forms_of
from dask_tapestry.planner.search import one_space as searching
from dask_tapestry.planner.search.choices import Choices, FormChoice
from dask_tapestry.planner.search.joint_windows import read_jointly, taken_apart
from dask_tapestry.planner.search.moves import stored_grid
from dask_tapestry.teg import Source
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(7)
CELLS = RANDOM.normal(size=(130, 40)) * 10.0 ** RANDOM.integers(-3, 4, (130, 40))


def nearest(lib, x):
    """Sums and counts of the rows that are nearest to each of three."""
    rows = np.linspace(-2, 2, 3 * x.shape[1]).reshape(3, -1)
    distances = ((x[:, None, :] - rows[None]) ** 2).sum(axis=2)
    nearest_rows = distances.argmin(axis=1)
    one_hot = (nearest_rows[:, None] == np.arange(3)).astype("f8")
    return one_hot.T @ x, one_hot.sum(axis=0), distances.min(axis=1).sum()


PROGRAMS = {
    "sort": lambda lib, x: (lib.sort(x, axis=1)[:, ::5], x.mean(axis=0)),
    "histogram": lambda lib, x: (lib.histogram(x, bins=9, range=(-4, 4))[0], x.max(axis=1)),
    "gram": lambda lib, x: (x[:, :9].T @ x[:, :9], x.mean(axis=1), x.max(axis=0)),
    "formula": lambda lib, x: (lib.sqrt(abs(x)) + 1, x.mean(axis=0), x.var(axis=1)),
    "diff": lambda lib, x: (abs(lib.diff(x, axis=0)).max(axis=1), x.mean(axis=0)),
    "cumsum": lambda lib, x: (lib.cumsum(x, axis=1), x.std(axis=0), (x > 0).sum(axis=0)),
    "argmax": lambda lib, x: (x.argmax(axis=1), lib.where(x > 1, x, 0).sum(axis=0)),
    "fft": lambda lib, x: (abs(lib.fft.rfft(x, axis=1)) ** 2, x.mean(axis=0)),
    "shifted": lambda lib, x: (x[7:].mean(axis=0), x[:, ::-1] * 2, x.min(axis=1)),
    "nearest": nearest,
}


@pytest.fixture(autouse=True)
def joint(monkeypatch, small_lattices):
    """Plans are taken in which sources are read jointly, whatever that costs; how many were."""
    found = []

    def forced(space, state, _costs):
        (source,) = filter(is_stored, space.graph.nodes)
        forms = {
            node: (FormChoice(forms[0].name, min(forms[0].sizes)),)
            for node in space.graph.nodes
            if (forms := forms_of(node))
        }
        held = Choices(forms, frozenset([source]), grids={source: stored_grid(source, 0)})
        choices = read_jointly(space, space.state(held), source, 1, widest=inf)
        if choices is None:
            return state
        assert any(form.name == ONE_READ for taken in choices.forms.values() for form in taken)
        found.append(space.state(choices))
        return space.state(taken_apart(found[-1], source)) if len(found) % 2 else found[-1]

    monkeypatch.setattr(searching, "with_reads_handed_on", forced)
    monkeypatch.setattr(searching, "saves_less_than_planning", lambda *_: False)
    for name in ("with_relays", "with_frugal_reads", "with_room", "with_less_held", "polished"):
        monkeypatch.setattr(searching, name, lambda _space, state, *_: state)
    return found


def is_stored(node):
    return isinstance(node.operator, Source) and not node.operator.external


def stored(path, chunks):
    dt.to_zarr(dt.asarray(CELLS), path, chunks=chunks)
    return dt.from_zarr(path)


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("chunks", [(10, 40), (16, 13)], ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_each_alone(tmp_path, joint, name, chunks):
    x = stored(tmp_path / "x", chunks)
    with dask.config.set(scheduler="synchronous"):
        alone = [y.compute() for y in PROGRAMS[name](dt, x)]
        joint.clear()
        plan = dt.plan(*PROGRAMS[name](dt, x), budget=0.2)
        together = plan.compute()
    plan.verify()
    require_computes(plan.core, plan.core.written)
    assert name in ("histogram", "nearest") or joint
    for have, want, numpys in zip(together, alone, PROGRAMS[name](np, CELLS), strict=True):
        assert name in ("gram", "nearest") or same_bits(have, want)
        np.testing.assert_allclose(have, numpys, rtol=1e-9, atol=1e-9 * abs(numpys).max())


def test_on_workers(tmp_path, joint):
    x = stored(tmp_path / "x", (10, 40))
    with dask.config.set(scheduler="synchronous"):
        alone = [y.compute() for y in PROGRAMS["sort"](dt, x)]
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster):
        joint.clear()
        plan = dt.plan(*PROGRAMS["sort"](dt, x), budget=0.2)
        together = plan.compute()
    assert joint
    assert all(map(same_bits, together, alone))


def test_what_is_written_and_folded_is_read_once(tmp_path, joint):
    x = stored(tmp_path / "x", (10, 40))
    write = dt.to_zarr(dt.sqrt(abs(x)) + 1, tmp_path / "y", chunks=(20, 40), compute=False)
    with dask.config.set(scheduler="synchronous"):
        plan = dt.plan(write, x.mean(axis=0), budget=0.2)
        _, mean = plan.compute()
        assert joint
        assert same_bits(mean, x.mean(axis=0).compute())
        assert same_bits(dt.from_zarr(tmp_path / "y").compute(), np.sqrt(abs(CELLS)) + 1)
