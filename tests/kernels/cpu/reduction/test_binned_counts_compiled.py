import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import binned_counts_compiled as binned
from dask_tapestry_kernels.cpu.reduction.bin_numbers import places_of, searched

RANDOM = np.random.default_rng(4)


@pytest.fixture(autouse=True)
def every_kernel_compiled(monkeypatch):
    monkeypatch.setattr(binned, "SMALL", 0)
    with compile_service.mode("wait"):
        yield


@pytest.mark.covering
@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("rows", [1, 2, 7])
@pytest.mark.parametrize("columns", [1, 255, 256, 257, 1500])
def test_rows_that_lie_apart_are_one_leaf(columns, rows, even):
    x = RANDOM.normal(size=(rows, columns + 13))[:, 5 : 5 + columns]
    edges = np.linspace(-1, 1, 9)
    table = np.zeros((1, 9), np.int64)
    told = {"leaf": columns, "bins": range(1, 10), "places": places_of(x, edges, even)}
    assert binned.fill(table, x, None, **told)
    expected = np.bincount(searched(x.ravel(), edges) % 9, minlength=9)
    assert table[0, :8].tolist() == expected[1:].tolist()


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("leaf", [100, 256, 1000, 5000])
def test_leaves_have_tables_of_their_own(leaf):
    x, w = RANDOM.normal(size=(2, 3000))
    edges = np.array([-1, -0.5, 0, 2])
    tables, sums = np.zeros((-(-3000 // leaf), 3), np.int64), np.zeros((-(-3000 // leaf), 3))
    told = {"leaf": leaf, "bins": range(1, 4), "places": places_of(x, edges, False)}
    assert binned.fill(tables, x, None, **told)
    assert binned.fill(sums, x, w, **told)
    for number, (table, added) in enumerate(zip(tables, sums, strict=True)):
        part = slice(number * leaf, (number + 1) * leaf)
        assert table.tolist() == np.histogram(x[part], edges)[0].tolist()
        wanted = np.zeros(3)
        held = (x[part] >= -1) & (x[part] < 2)
        np.add.at(wanted, searched(x[part][held], edges) - 1, w[part][held])
        assert added.tolist() == wanted.tolist()


@pytest.mark.parametrize("cell", ["f2", "c16", ">f8", "M8[s]"])
def test_what_is_left_to_numpy(cell):
    assert binned.source(True, np.dtype(cell), None, np.dtype("i8")) is None
    assert binned.source(True, np.dtype("f8"), np.dtype("f8"), np.dtype("f8")) is not None
    assert binned.source(True, np.dtype("f8"), np.dtype("g"), np.dtype("f8")) is None
