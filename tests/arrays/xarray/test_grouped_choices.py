"""`fillna` and `where` of groups have xarray's values, by one choice for all cells."""

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")

import dask_tapestry as dt  # noqa: E402

RANDOM = np.random.default_rng(7)
CELLS = RANDOM.normal(size=(40, 3))
CELLS[RANDOM.random(CELLS.shape) < 0.3] = np.nan
DATA = xarray.Dataset(
    {"t": (("time", "x"), CELLS, {"units": "K"}), "n": ("x", [1, 2, 3])},
    {
        "time": np.datetime64("2001-01-01", "ns") + np.arange(40) * np.timedelta64(9, "D"),
        "phase": ("time", np.arange(40) % 3),
    },
    {"title": "a"},
)
WAYS = {
    "fillna": lambda g, m: g.fillna(m),
    "fillna with one": lambda g, m: g.fillna(1.5),
    "where": lambda g, m: g.where(m > 0),
    "where, else -1": lambda g, m: g.where(m > 0, -1),
    "where, else by group": lambda g, m: g.where(m > 0, m),
}


def lazily():
    return DATA.chunk(time=7).assign_coords(phase=DATA.phase)


def of(data, name):
    return data if name is None else data[name]


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["time.month", "phase", "x"])
@pytest.mark.parametrize("name", ["t", None])
def test_they_are_xarrays(way, key, name):
    memory = of(DATA, name).groupby(key)
    expected = WAYS[way](memory, memory.mean())
    with dt.xarray.use():
        lazy = of(lazily(), name).groupby(key)
        means = lazy.mean()
        coords = set(means.coords)
        made = WAYS[way](lazy, means)
        xarray.testing.assert_allclose(made, expected)
        assert made.attrs == expected.attrs
        assert set(means.coords) == coords


@pytest.mark.parametrize("key", ["time.month", "time.season", "time", "phase"])
@pytest.mark.parametrize("names", [["t"], ["n"], ["t", "n"]])
@pytest.mark.parametrize("cells", [slice(1), slice(3), slice(None)])
def test_datasets_of_some_groups_and_variables(cells, names, key):
    def filled(data):
        data = data.assign(s=3.0, turned=data.t.T).isel(time=cells)
        return data.groupby(key).fillna(data.groupby(key).mean()[names]).compute()

    expected = filled(DATA)
    with dt.xarray.use():
        made = filled(lazily())
    xarray.testing.assert_allclose(made, expected)
    for name, one in expected.variables.items():
        assert (made[name].dims, made[name].dtype) == (one.dims, one.dtype)
        assert made[name].attrs == one.attrs


@pytest.mark.parametrize("key", ["time.month", "phase", "x"])
def test_groups_that_a_value_lacks_are_left_to_xarray(key):
    def filled(data):
        grouped = data.groupby(key)
        some = grouped.mean().isel({grouped.groupers[0].name: [0, 1]})
        try:
            return grouped.fillna(some).compute()
        except ValueError as error:
            return str(error)

    expected = filled(DATA.t)
    with dt.xarray.use():
        made = filled(lazily().t)
    if isinstance(expected, str):
        assert made == expected
    else:
        xarray.testing.assert_allclose(made, expected)


def test_cells_in_no_group_are_left_to_xarray():
    expected = DATA.t.groupby_bins("phase", [-1, 0, 1])
    expected = expected.fillna(expected.mean())
    with dt.xarray.use():
        lazy = lazily().t.groupby_bins("phase", [-1, 0, 1])
        xarray.testing.assert_allclose(lazy.fillna(lazy.mean()), expected)


def test_the_graph_does_not_grow_with_the_groups():
    counts = []
    with dt.xarray.use():
        for groups in (3, 12):
            lazy = xarray.DataArray(dt.ones((120, 4)), dims=("time", "x"))
            grouped = lazy.assign_coords(k=("time", np.arange(120) % groups)).groupby("k")
            filled = grouped.fillna(grouped.mean())
            counts.append(len(grouped.where(filled.groupby("k").mean() > 0).data.teg.nodes))
    assert counts[0] == counts[1]
