"""Reductions that share a pass over tiles have the bits of each alone."""

from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.search import rule_selection
from tests.comparisons import same_bits
from tests.examples import examples
from tests.pieces import pieces_of

FOLDS = (
    "sum", "mean", "std", "var", "min", "max", "any", "all", "prod", "nansum", "nanmean", "nanmax",
)  # fmt: skip
PLACES = ("argmin", "argmax")
KINDS = ("f8", "f4", "f2", "i4", "u1", "c8", "?")
OPERANDS = {
    "x": lambda x, y: x,
    "y": lambda x, y: y,
    "sum": lambda x, y: x + y,
    "product": lambda x, y: x * y,
    "beside its first row": lambda x, y: x + x[:1],
}


@pytest.fixture(autouse=True)
def _each_that_may_share(monkeypatch, small_lattices):
    """Plans are taken in which reductions share passes, whatever that costs."""
    monkeypatch.setattr(rule_selection, "WORTH_SHARED_PASSES", -1.0)
    monkeypatch.setattr(rule_selection, "CHOICE_GAIN", np.inf)


def numbers(shape, kind, seed):
    """Numbers whose sum depends on the order of additions; of floats some are NaN."""
    random = np.random.default_rng(seed)
    x = random.normal(size=shape) * 10.0 ** random.integers(-3, 4, shape)
    if kind in ("f8", "f4") and seed % 2:
        x.flat[:: max(1, x.size // 5)] = np.nan
    return (x * 20).astype(kind) if np.dtype(kind).kind in "iu" else x.astype(kind)


@st.composite
def arrays_and_reductions(draw):
    """Shapes, stored chunks, what is cut off, and which reductions are asked for."""
    shape = tuple(draw(st.lists(st.integers(1, 40), min_size=1, max_size=3)))
    chunks = [tuple([draw(st.integers(1, n + 2)) for n in shape]) for _ in "xy"]
    cut = tuple([slice(draw(st.integers(0, (n - 1) // 2)), None, None) for n in shape])
    kind = draw(st.sampled_from(KINDS))
    axes = st.lists(st.integers(0, len(shape) - 1), min_size=1, max_size=len(shape), unique=True)
    asked = []
    for _ in range(draw(st.integers(2, 5))):
        name = draw(st.sampled_from(FOLDS if kind == "c8" else FOLDS + PLACES))
        over = draw(axes)
        axis = over[0] if name in PLACES else tuple(sorted(over))
        asked.append((draw(st.sampled_from(sorted(OPERANDS))), name, axis))
    return shape, chunks, cut, kind, asked


def stored(folder, shape, chunks, kind):
    """Two stored arrays."""
    for seed, (name, sides) in enumerate(zip("xy", chunks, strict=True)):
        dt.to_zarr(dt.asarray(numbers(shape, kind, seed)), folder / name, chunks=sides)
    return [dt.from_zarr(folder / name) for name in "xy"]


def reductions(x, y, asked):
    return [partial(getattr(dt, n), OPERANDS[of](x, y), axis=axis) for of, n, axis in asked]


def passes(plan):
    return [n.operator.name for n in plan.teg.nodes].count("tiledreductions")


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@examples(16, suppress_health_check=list(HealthCheck))
@given(
    arrays_and_reductions(),
    st.sampled_from([4000, 10**5, 10**7]),
    st.sampled_from([64, 1000, 10**6]),
    st.sampled_from([1, 3]),
)
def test_bits_are_those_of_each_alone(drawn, block_bytes, piece_bytes, workers):
    shape, chunks, cut, kind, asked = drawn
    machine = dt.Resources(workers=workers, threads=1, memory="1 GiB")
    with (
        TemporaryDirectory() as folder,
        dt.config(block_bytes=block_bytes, resources=machine),
        dask.config.set(scheduler="sync"),
    ):
        x, y = [z[cut] for z in stored(Path(folder), shape, chunks, kind)]
        several = [make() for make in reductions(x, y, asked)]
        with pieces_of(piece_bytes):
            plan = dt.plan(*several)
            dt.verify(plan, *several)
            together = dt.compute(*several)
        for value, one in zip(together, several, strict=True):
            assert same_bits(value, one.compute())


SHAPE, CHUNKS = (300, 45), ((16, 9), (16, 18))
ASKED = [
    ("x", "mean", 0), ("x", "argmin", 1), ("sum", "std", None), ("y", "max", 1),
    ("product", "var", 0), ("beside its first row", "nanmean", 1),
]  # fmt: skip


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What each of the six is by itself, of arrays whose first rows are cut off: computed once."""

    @cache
    def values(begun):
        x, y = [z[begun:] for z in stored(tmp_path_factory.mktemp("alone"), SHAPE, CHUNKS, "f8")]
        machine = dt.Resources(workers=2, threads=2, memory="1 GiB")
        with dt.config(block_bytes=30_000, resources=machine), dask.config.set(scheduler="sync"):
            return [make().compute() for make in reductions(x, y, ASKED)]

    return values


@pytest.mark.few(3)  # each scheduler and number of workers once
@pytest.mark.covering
@pytest.mark.parametrize("begun", [0, 3])
@pytest.mark.parametrize("workers", [1, 2, 64])
@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_one_pass_for_six(tmp_path, begun, workers, scheduler, alone):
    x, y = [z[begun:] for z in stored(tmp_path, SHAPE, CHUNKS, "f8")]
    several = [make() for make in reductions(x, y, ASKED)]
    machine = dt.Resources(workers=workers, threads=2, memory="1 GiB")
    options = dask.config.set(scheduler=scheduler)
    with dt.config(block_bytes=30_000, resources=machine), options, pieces_of(2000):
        plan = dt.plan(*several)
        assert passes(plan) == 1
        plan.verify()
        for value, one in zip(plan.compute(), alone(begun), strict=True):
            assert same_bits(value, one)


def test_passes_one_after_the_other(tmp_path):
    x, y = stored(tmp_path, SHAPE, CHUNKS, "f8")
    centred = (x - y) / (x - y).std(0)
    several = [(x - y).std(0), (x - y).sum(), centred.max(1), centred.mean(0)]
    with dt.config(block_bytes=30_000), dask.config.set(scheduler="sync"):
        plan = dt.plan(*several)
        assert passes(plan) == 2
        dt.verify(plan, *several)
        for value, one in zip(dt.compute(*several), several, strict=True):
            assert same_bits(value, one.compute())


def test_a_plan_that_is_saved_has_its_passes(tmp_path):
    several = [make() for make in reductions(*stored(tmp_path, SHAPE, CHUNKS, "f8"), ASKED)]
    plan = dt.plan(*several, resources=dt.Resources(workers=4, threads=1, memory="1 GiB"))
    plan.save(tmp_path / "plan.json")
    again = dt.load_plan(tmp_path / "plan.json", *several)
    assert passes(again) == passes(plan) == 1
    assert again.cost == plan.cost
    assert dt.load_plan(tmp_path / "plan.json").explain() == plan.explain()


@pytest.mark.cluster
def test_on_workers(tmp_path, alone):
    several = [make() for make in reductions(*stored(tmp_path, SHAPE, CHUNKS, "f8"), ASKED)]
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as made, Client(made), dt.config(block_bytes=30_000):
        assert passes(dt.plan(*several)) == 1
        for value, one in zip(dt.compute(*several), alone(0), strict=True):
            assert same_bits(value, one)
