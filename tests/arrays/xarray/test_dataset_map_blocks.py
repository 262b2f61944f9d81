"""`xarray.map_blocks` gives arrays of the library back."""

import dask.array as da
import numpy as np
import pytest
import xarray as xr
from distributed import Client, LocalCluster

import dask_tapestry as dt

DATA = xr.DataArray(
    np.arange(12.0).reshape(4, 3), {"x": [1, 2, 3, 4], "y": ("x", np.arange(4))}, ("x", "z")
)


@pytest.fixture(autouse=True)
def with_our_manager():
    with dt.xarray.use():
        yield


def test_a_data_array():
    mapped = DATA.chunk(x=2).map_blocks(lambda block: block + block.y)
    assert isinstance(mapped.data, dt.Array)
    assert mapped.chunks == ((2, 2), (3,))
    xr.testing.assert_identical(mapped.compute(), DATA + DATA.y)


def test_a_dataset():
    data = DATA.to_dataset(name="a").assign(b=DATA * 2).chunk(x=2)
    mapped = xr.map_blocks(lambda block: block.mean("z"), data)
    assert {type(v.data) for v in mapped.data_vars.values()} == {dt.Array}
    xr.testing.assert_identical(mapped.compute(), data.compute().mean("z"))


def test_others_are_left_to_xarray():
    theirs = DATA.copy(data=da.from_array(DATA.data, 2)).drop_vars("y")
    assert isinstance(xr.map_blocks(lambda block: block, theirs).data, da.Array)
    assert xr.map_blocks(lambda block: block, DATA) is DATA


T, Y, X = 12, 6, 5
WEATHER = xr.Dataset(
    {
        "a": (("t", "y", "x"), np.random.default_rng(0).random((T, Y, X)), {"units": "K"}),
        "b": (("t", "y"), np.random.default_rng(1).random((T, Y))),
    },
    {"t": np.arange(T), "y": np.arange(Y) / 2, "m": ("t", np.arange(T) % 3)},
    {"title": "weather"},
)
LEVELS = xr.DataArray(np.arange(9.0), {"level": np.arange(9)}, ("level",))


def halves(block):
    return block.isel(t=np.flatnonzero(block.t % 4 < 2))


def by_level(block):
    return block * LEVELS


def plus(block, other, number=0):
    return block + other + number


def summary(block):
    return xr.Dataset({"p": block.a, "q": block.a.mean("x"), "r": block.b * 2})


def plane(block):
    return block.b.expand_dims(k=8).transpose("t", "k", "y")


TEMPLATES = {
    "the same": lambda c: c.map_blocks(lambda block: block * 2, template=c),
    "none": lambda c: c.map_blocks(lambda block: block.mean("x")),
    "a new dimension": lambda c: c.map_blocks(by_level, template=c * LEVELS),
    "a new dimension in chunks": lambda c: c.map_blocks(
        by_level, template=(c * LEVELS).chunk(level=4)
    ),
    "by place": lambda c: xr.map_blocks(by_level, c, (), None, c * LEVELS),
    "a dimension without numbers": lambda c: c.map_blocks(
        lambda block: block.expand_dims(k=7), template=c.expand_dims(k=7)
    ),
    "between others": lambda c: c.map_blocks(
        plane, template=xr.zeros_like(c.b).expand_dims(k=8).transpose("t", "k", "y")
    ),
    "a dimension less": lambda c: c.chunk(y=-1).map_blocks(
        lambda block: block.mean("y"), template=c.chunk(y=-1).mean("y")
    ),
    "shorter blocks": lambda c: c.map_blocks(
        halves, template=c.isel(t=[0, 1, 4, 5, 8, 9]).chunk(t=2)
    ),
    "an array": lambda c: c.map_blocks(lambda block: block.a + block.b, template=c.a + c.b),
    "several variables": lambda c: c.map_blocks(summary, template=summary(c)),
    "of an array": lambda c: c.a.map_blocks(by_level, template=c.a * LEVELS),
    "arguments": lambda c: c.a.map_blocks(
        plus, args=[c.b], kwargs={"number": 3}, template=c.a + c.b
    ),
    "coordinates in chunks": lambda c: c.assign_coords(m=c.m.chunk(t=4)).a.map_blocks(
        lambda block: block + block.m, template=(c.a + c.m).chunk(t=4)
    ),
}


@pytest.mark.few(7)  # as unlike as so many can be
@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("block_bytes", [1, 200, 10**8])
def test_with_a_template(name, block_bytes):
    """However short canonical chunks are: dimensions that blocks make are one chunk."""
    make = TEMPLATES[name]
    with dt.config(block_bytes=block_bytes):
        mapped = make(WEATHER.chunk(t=4, y=3))
        for scheduler in ("sync", "threads"):
            xr.testing.assert_identical(mapped.compute(scheduler=scheduler), make(WEATHER))
        held = mapped.variables.values() if isinstance(mapped, xr.Dataset) else [mapped.variable]
        assert all(isinstance(v.data, dt.Array) for v in held if v.chunks is not None)


def test_with_a_template_on_a_cluster():
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster), dt.config(block_bytes=200):
        for make in [*TEMPLATES.values()][::3]:  # all are computed above
            xr.testing.assert_identical(make(WEATHER.chunk(t=4, y=3)).compute(), make(WEATHER))


def test_a_template_is_left_as_it_is():
    with dt.config(block_bytes=1):
        template = WEATHER.chunk(t=4) * LEVELS
        chunks = template.a.chunks
        assert len(chunks[-1]) > 1
        WEATHER.chunk(t=4).map_blocks(by_level, template=template)
        assert template.a.chunks == chunks


def test_a_template_of_other_chunks_is_refused_as_by_xarray():
    data = WEATHER.chunk(t=4)
    with pytest.raises(ValueError, match="one block of the input maps to one block of output"):
        data.map_blocks(lambda block: block, template=data.chunk(t=3))
