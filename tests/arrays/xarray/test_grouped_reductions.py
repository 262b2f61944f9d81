"""Reductions of groups have xarray's values and its dimensions, coordinates and attributes.

`SERVED` says of each reduction, for each grouping, of arrays and of datasets, whether one fold
serves all groups: what is not in it is made group by group.
"""

import dask
import numpy as np
import pytest

xarray = pytest.importorskip("xarray")
pandas = pytest.importorskip("pandas")

from xarray.core import groupby  # noqa: E402
from xarray.groupers import (  # noqa: E402
    BinGrouper,
    SeasonGrouper,
    SeasonResampler,
    TimeResampler,
    UniqueGrouper,
)

import dask_tapestry as dt  # noqa: E402
from dask_tapestry.io.sources.zarr_source import ZarrSource  # noqa: E402

RANDOM = np.random.default_rng(0)
DAYS = 48
CELLS = RANDOM.normal(size=(DAYS, 3, 4))
CELLS[RANDOM.random(CELLS.shape) < 0.1] = np.nan
TIME = pandas.date_range("2000-01-01", periods=DAYS, freq="8D")
COUNTY = RANDOM.integers(0, 3, (3, 4))
MEMORY = xarray.Dataset(
    {
        "t": (("time", "y", "x"), CELLS, {"units": "K"}),
        "n": (("y", "time"), RANDOM.integers(0, 9, (3, DAYS)).astype("i2")),
        "s": (("y",), np.arange(3)),
        "f": (("time",), CELLS[:, 0, 0].astype("f4")),
    },
    {
        "time": TIME,
        "y": np.arange(3) * 2,
        "place": (("time",), RANDOM.choice(list("abc"), DAYS)),
        "year": (("time",), np.arange(DAYS) // 3),
        "kind": (("time",), RANDOM.integers(0, 2, DAYS)),
        "height": (("y", "x"), RANDOM.normal(size=(3, 4))),
        "county": (("y", "x"), COUNTY),
    },
    {"title": "weather"},
)
COORDS = ("place", "year", "kind", "height", "county")
STACKED = ("county", "county and kind")  # of two dimensions, which xarray stacks
GROUPINGS = {
    "month": lambda data: data.groupby("time.month"),
    "place": lambda data: data.groupby("place"),
    "time": lambda data: data.groupby("time"),
    "no coordinate": lambda data: data.groupby("x") if "x" in data.dims else data.groupby("time"),
    "resample": lambda data: data.resample(time="20D"),
    "seasons": lambda data: data.resample(time=SeasonResampler(["DJF", "MAM", "JJAS", "ON"])),
    "season": lambda data: data.groupby(time=SeasonGrouper(["DJFM", "AMJ", "JASON"])),
    "bins": lambda data: data.groupby_bins("time.dayofyear", [0, 30, 200, 390, 500]),
    "bin grouper": lambda data: data.groupby(y=BinGrouper([-1, 1, 5])),
    "time resampler": lambda data: data.groupby(time=TimeResampler("MS")),
    "labels": lambda data: data.groupby(place=UniqueGrouper(labels=["c", "a"])),
    "some": lambda data: data.groupby(data.time.dt.day.where(data.time.dt.month < 5)),
    "two": lambda data: data.groupby(["place", "kind"]),
    "two groupers": lambda data: data.groupby(
        place=UniqueGrouper(), y=BinGrouper(bins=[-1, 3, 9])
    ),
    "county": lambda data: data.groupby("county"),
    "county and kind": lambda data: data.groupby(["county", "kind"]),
}  # fmt: skip
REDUCTIONS = {
    **{
        name: lambda groups, name=name: getattr(groups, name)()
        for name in "sum prod mean var std min max count any all median first last".split()
    },
    "cumsum": lambda groups: groups.cumsum(),
    "cumprod": lambda groups: groups.cumprod(),
    "quantile": lambda groups: groups.quantile(0.3),
    "quantiles": lambda groups: groups.quantile([0.3, 0.5]),
    "sum of few": lambda groups: groups.sum(min_count=9),
    "sum with NaN": lambda groups: groups.sum(skipna=False),
    "std of samples": lambda groups: groups.std(ddof=1),
    "mean of all": lambda groups: groups.mean(...),
    "median of all": lambda groups: groups.median(...),
    "median of x": lambda groups: groups.median(["x", groups._group_dim]),
    "max of x": lambda groups: groups.max(["x", groups._group_dim]),
    "mean along x": lambda groups: groups.mean("x"),
    "cumsum along x": lambda groups: groups.cumsum(["x", groups._group_dim]),
    "reduce": lambda groups: groups.reduce(np.nanmean),
    "reduce by max": lambda groups: groups.reduce(np.max, keep_attrs=True),
    "without attributes": lambda groups: groups.mean(keep_attrs=False),
}  # fmt: skip
BY_GROUP = {"reduce by range": lambda groups: groups.reduce(np.ptp)}  # that no fold serves
WHAT = {
    "array": lambda data: data.t,
    "dataset": lambda data: data,
    "alike": lambda data: data[["t"]],
}


@pytest.fixture(autouse=True)
def using():
    with dt.xarray.use():
        yield


def chunked():
    lazy = MEMORY.chunk(time=20)
    return lazy.assign_coords({name: MEMORY[name] for name in COORDS})


def assert_same(found, expected):
    found = found.compute()
    xarray.testing.assert_allclose(found, expected)
    assert found.sizes == expected.sizes
    assert set(found.coords) == set(expected.coords)
    pairs = [(found, expected)]
    if isinstance(expected, xarray.Dataset):
        assert found.attrs == expected.attrs
        assert [*found.data_vars] == [*expected.data_vars]
        pairs = [(found[name], expected[name]) for name in expected]
    for one, other in pairs:
        assert (one.dims, one.dtype, one.attrs) == (other.dims, other.dtype, other.attrs)


def result(function, data):
    try:
        return function(data)
    except (TypeError, ValueError, KeyError) as error:
        return error


@pytest.fixture
def by_group(monkeypatch):
    """How often xarray has joined results of groups."""
    joined = []

    def counting(owner, name):
        before = getattr(owner, name)

        def join(*args, **options):
            joined.append(name)
            return before(*args, **options)

        monkeypatch.setattr(owner, name, join)

    counting(groupby, "concat")
    counting(groupby.DataArrayGroupByBase, "_concat_shortcut")
    return joined


SHARE = 8  # of which one is done on every run, another for each grouping


@pytest.mark.few(9)  # one fold serves all
@pytest.mark.parametrize(
    "share", [1, pytest.param(None, marks=pytest.mark.exhaustive, id="exhaustive")]
)
@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("grouping", GROUPINGS)
def test_all_groups_are_reduced_in_one_and_to_xarrays_values(grouping, what, share, by_group):
    number = [*GROUPINGS].index(grouping) + 3 * [*WHAT].index(what)
    names = [*REDUCTIONS][number % SHARE :: SHARE] if share else REDUCTIONS
    pairs = {}
    for name in names:
        expected = result(REDUCTIONS[name], GROUPINGS[grouping](WHAT[what](MEMORY)))
        if isinstance(expected, Exception):
            continue  # which xarray does not do in memory
        by_group.clear()
        found = REDUCTIONS[name](GROUPINGS[grouping](WHAT[what](chunked())))
        assert not by_group, name
        pairs[name] = found, expected
    computed = dask.compute(*[found for found, _ in pairs.values()])
    for name, made in zip(pairs, computed, strict=True):
        try:
            assert_same(made, pairs[name][1])
        except AssertionError as error:
            error.add_note(name)
            raise
    assert pairs


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("name", BY_GROUP)
def test_what_no_fold_serves_is_made_group_by_group(name, what, by_group):
    expected = BY_GROUP[name](WHAT[what](MEMORY[["t", "f"]]).groupby("time.season"))
    by_group.clear()
    found = BY_GROUP[name](WHAT[what](chunked()[["t", "f"]]).groupby("time.season"))
    assert by_group
    assert_same(found, expected)


def test_variables_that_no_fold_serves_do_not_keep_others_from_it():
    times = MEMORY.time.astype("M8[s]")
    memory = MEMORY[["t", "s"]].assign(when=times.where(MEMORY.kind > 0), span=times - times[0])
    memory = memory.assign(held=MEMORY.f * 2)[["span", "t", "when", "held", "s"]]
    lazy = memory.chunk(time=20).assign(held=memory.held)
    for reduction in (REDUCTIONS["mean"], REDUCTIONS["max"], REDUCTIONS["count"]):
        found = reduction(lazy.groupby("time.month"))
        assert_same(found, reduction(memory.groupby("time.month")))
        assert isinstance(found.held.data, np.ndarray)
        few = reduction(lazy.groupby("time.season"))
        assert len(few.t.data.teg.nodes) == len(found.t.data.teg.nodes)


LABELS = {
    "county": (["county"], UniqueGrouper(labels=[2, 0, 1])),
    "bins": (["county"], BinGrouper([-1, 0, 5])),
    "county and height": (["county", "height"], UniqueGrouper(labels=[0, 1, 2])),
}  # fmt: skip


@pytest.mark.covering
@pytest.mark.parametrize("name", ["sum", "mean", "max", "count", "first", "median", "std"])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("what", ["array", "alike"])
def test_labels_that_are_lazy(labels, name, what):
    names, grouper = LABELS[labels]
    groupers = dict.fromkeys(names, BinGrouper([-3, 0, 3])) | {names[0]: grouper}
    memory = WHAT[what](MEMORY)
    lazy = WHAT[what](MEMORY.chunk(time=20, x=3))
    expected = REDUCTIONS[name](memory.groupby(groupers)).compute()
    found = REDUCTIONS[name](lazy.groupby(groupers))
    part = found if what == "array" else found["t"]
    assert isinstance(part.data, dt.Array)
    if name == "count":  # there might be no cells, which are NaN
        expected = expected.astype(float)
    assert_same(found, expected)


def test_groups_without_cells_of_lazy_labels_are_nan():
    labels = UniqueGrouper(labels=[0, 7])
    found = MEMORY.chunk().t.groupby(county=labels).sum()
    assert np.isnan(found.sel(county=7)).all()
    own = MEMORY.t.where(MEMORY.county == 0)
    np.testing.assert_allclose(found.sel(county=0), own.sum(["y", "x"]))
    more = MEMORY.chunk().groupby(county=labels).max(["x", "y", "time"])
    np.testing.assert_allclose(more.t[0], own.max())
    assert more.f.dims == ("county",)
    with pytest.raises(ValueError, match="not reduced"):
        MEMORY.chunk().t.groupby(county=labels).sum("time")
    with pytest.raises(ValueError, match="chunked"):
        MEMORY.chunk().t.groupby(county=labels).cumsum()


@pytest.mark.parametrize("by", ["time.month", "time.dayofyear"])
def test_anomalies(by):
    def anomalies(data):
        return data.groupby(by) - data.groupby(by).mean()

    assert_same(anomalies(chunked().t), anomalies(MEMORY.t))
    assert_same(anomalies(chunked()[["t", "f"]]), anomalies(MEMORY[["t", "f"]]))


GROWS = ("sum", "var", "max", "count", "first", "median", "quantiles", "cumsum", "mean of all")


@pytest.mark.parametrize("name", [*GROWS, "mean along x"])
def test_the_graph_does_not_grow_with_the_groups(name):
    def sizes(by):
        data = chunked()[["t", "n"]]
        if name == "mean along x":
            data = data[["t"]]
        grouped = [data.t.groupby(by), data.groupby(by)]
        single, several = (REDUCTIONS[name](group) for group in grouped)
        return [len(x.data.teg.nodes) for x in (single, *several.data_vars.values())]

    few, many = sizes("kind"), sizes("year")
    assert all(abs(a - b) < 5 for a, b in zip(few, many, strict=True))
    assert max(many) < (100 if name in ("median", "quantiles") else 30)


@pytest.mark.parametrize("name", ["mean", "max of x", "sum", "cumsum"])
def test_a_dataset_is_read_once(name, tmp_path, monkeypatch):
    data = MEMORY[["t", "n", "f"]] if name != "max of x" else MEMORY[["t"]]
    data = data.drop_vars(COORDS)
    data.chunk(time=20).to_zarr(tmp_path / "data", consolidated=False)
    stored, cells = xarray.open_zarr(tmp_path / "data", consolidated=False), []
    read = ZarrSource.read_some

    def counted(self, box, *args):
        cells.append(box.size)
        return read(self, box, *args)

    monkeypatch.setattr(ZarrSource, "read_some", counted)
    groups = stored.assign(double=stored.t * 2).groupby("time.month")
    REDUCTIONS[name](groups).compute()
    assert sum(cells) == sum(one.size for one in data.data_vars.values())


@pytest.mark.parametrize("name", ["count", "mean", "first", "quantiles", "cumsum"])
def test_results_have_the_chunks_of_what_is_reduced(name):
    lazy = MEMORY[["t", "n"]].chunk(time=20, y=2, x=3).assign_coords(kind=MEMORY.kind)
    found = REDUCTIONS[name](lazy.groupby("kind"))
    assert (found.chunksizes["y"], found.chunksizes["x"]) == ((2, 1), (3, 1))
    assert found.chunksizes.get("kind", (2,)) == (2,)
    assert found.chunksizes.get("time", (20, 20, 8)) == (20, 20, 8)


def test_arrays_in_memory_stay_there():
    for found in (MEMORY.t.groupby("time.month").mean(), MEMORY.groupby("county").median().t):
        assert isinstance(found.data, np.ndarray)
