import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import Tree
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import bin_tables, bincount_compiled
from dask_tapestry_kernels.cpu.reduction import binned_counts_compiled as binned
from dask_tapestry_kernels.cpu.reduction.bin_numbers import searched
from tests.comparisons import same_bits
from tests.examples import examples

EDGES = {
    "even": (np.linspace(-3, 3, 38), True),
    "few": (np.linspace(-0.3, 0.7, 4), True),
    "one bin": (np.array([-1.0, 1.0]), True),
    "single": (np.linspace(-2, 2, 11, dtype="f4"), True),
    "integers": (np.arange(-50, 50, 7), True),
    "many": (np.linspace(-3, 3, 20_000), True),
    "uneven": (np.array([-2, -1.9999, 0, 0.5, 0.5 + 1e-12, 2]), False),
    "equal": (np.array([-1, 0.2, 0.2, 0.2, 2]), False),
    "infinite": (np.array([-np.inf, 0, 0.3, np.inf]), False),
}
DTYPES = ("f8", "f4", "f2", "i1", "u1", "i4", "u8", "?", ">f8", ">i4", "c16")


@pytest.fixture(autouse=True)
def small_strips_and_pieces():
    """Few cells are worth compiled code and pieces."""
    with pytest.MonkeyPatch.context() as patch, compile_service.mode("wait"):
        patch.setattr(bin_tables, "PIECE", 700)
        patch.setattr(binned, "SMALL", 100)
        patch.setattr(bincount_compiled, "SMALL", 100)
        yield


def cells_near(edges, dtype, shape, seed):
    """Cells beside edges and on them, far from all, and no numbers where the dtype has these."""
    random = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        finite = edges[np.isfinite(edges)].astype("f8")
        x = random.normal(0, finite.max() - finite.min(), shape)
        on_edges = random.random(shape) < random.choice([0.0, 0.01, 0.5, 1.0])
        x[on_edges] = random.choice(np.concatenate([finite, np.nextafter(finite, 9)]))
        places = random.random(shape) < 0.3
        x[places] = random.choice(finite, shape)[places]
        if np.dtype(dtype).kind in "fc":
            x[random.random(shape) < 0.01] = random.choice([np.nan, np.inf, -np.inf])
        x = np.abs(x) if np.dtype(dtype).kind == "u" else x
        return x.astype(dtype)


def laid_out(x, data):
    """The same cells in any order of axes, apart, backwards or as they are."""
    order = data.draw(st.permutations(range(x.ndim)))
    steps = data.draw(st.lists(st.sampled_from([1, 1, 2, -1]), min_size=x.ndim, max_size=x.ndim))
    room = np.empty([x.shape[a] * abs(steps[a]) for a in order], x.dtype)
    view = room.transpose(np.argsort(order))[tuple([slice(None, None, step) for step in steps])]
    view[...] = x
    return view


def apart(x, edges, even, weights, told):
    """Tables of numbers that a search has found."""
    numbers = searched(x, edges)
    with compile_service.mode("off"):
        return KERNELS["tabulate"](None, numbers, *weights, **told)


SHAPES = st.sampled_from(
    [(0,), (1,), (257,), (1100,), (5000,), (7, 900), (900, 7), (3, 40, 20), (2, 3, 700), (4, 0)]
)


@examples(100)
@given(st.data())
def test_tables_are_those_of_numbers_that_were_searched(data):
    """Of every dtype, layout, level of the tree and part of the bins, with weights and without."""
    name = data.draw(st.sampled_from(sorted(EDGES)))
    edges, even = EDGES[name]
    dtype, shape = data.draw(st.sampled_from(DTYPES)), data.draw(SHAPES)
    x = cells_near(edges, dtype, shape, data.draw(st.integers(0, 2**32)))
    weight = data.draw(st.sampled_from([None, "f8", "f4", "f2", "i4", "?", "c16", ">f8"]))
    weights = []
    if weight is not None:
        random = np.random.default_rng(1)
        loads = random.normal(size=shape) * 10.0 ** random.integers(-9, 9, shape)
        with np.errstate(all="ignore"):
            weights = [laid_out(loads.astype(weight), data)]
    state = np.dtype("i8" if weight is None else "c16" if weight == "c16" else "f8")
    lattice = None
    if data.draw(st.booleans()) and 0 not in shape:
        lattice = Lattice(tuple([max(1, n // 2) for n in shape]), (0,) * len(shape))
    tree = Tree(shape, data.draw(st.sampled_from([256, 4096])), lattice)
    target = data.draw(st.sampled_from([None, *range(tree.depth + 1)]))
    count = len(edges) + 1
    first = data.draw(st.integers(0, count))
    bins = range(first, data.draw(st.integers(first, count)))
    told = {"tree": tree, "origin": (0,) * len(shape), "bins": bins, "state": state}
    told |= {"target": target, "limit": None}
    with np.errstate(all="ignore"):
        found = KERNELS["tabulate"](None, laid_out(x, data), edges, *weights, **told, even=even)
        expected = apart(x, edges, even, weights, told)
    inside = [b - bins.start for b in bins if 0 < b < count - 1]  # others hold what has no bin
    assert found.shape == expected.shape
    assert same_bits(found[..., inside], expected[..., inside])
    ends = [b - bins.start for b in bins if not 0 < b < count - 1]
    if weight is None and len(bins) == count:
        assert np.array_equal(found[..., ends].sum(-1), expected[..., ends].sum(-1))


@pytest.mark.few(4)  # each kind of edges and dtype of weights
@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1"])
@pytest.mark.parametrize("weight", [None, "f8", "i4"])
@pytest.mark.parametrize("name", ["even", "many", "uneven"])
def test_compiled_loops_serve(name, weight, dtype, monkeypatch):
    """No cell is numbered by itself: its bin is nowhere written."""
    edges, even = EDGES[name]
    x = cells_near(edges, dtype, (20_000,), 5)
    weights = [] if weight is None else [np.ones(20_000, weight)]
    told = {"tree": Tree(x.shape, 4096), "origin": (0,), "bins": range(1, len(edges))}
    told |= {"state": np.dtype("i8" if weight is None else "f8"), "target": None, "limit": None}
    expected = apart(x, edges, even, weights, told)
    if dtype == "u1" and weight is not None:
        return  # numbered first, by a table of all bytes
    calls = []
    number = bin_tables.bin_number
    monkeypatch.setattr(
        bin_tables, "bin_number", lambda *a, **k: calls.append(a[1].size) or number(*a, **k)
    )
    found = KERNELS["tabulate"](None, x, edges, *weights, **told, even=even)
    assert same_bits(found, expected)
    assert sum(calls) <= 256


def test_rows_are_read_where_they_lie():
    x = np.arange(6000.0).reshape(2, 3, 1000)
    for cells, shapes, in_place in (
        (x, [(1, 6000)], True),
        (x.transpose(1, 0, 2), [(1, 6000)], True),
        (x[:, ::-1, ::-1], [(1, 6000)], True),
        (x[:, :, :500], [(6, 500)], True),
        (x[:, :2, :500], [(2, 500)] * 2, True),
        (x[:, :, :10], [(1, 60)], False),
        (x[:, :, ::2], [(1, 700)] * 4 + [(1, 200)], True),
        (x[:1, :1, :1], [(1, 1)], True),
        (np.broadcast_to(x[:1], x.shape), [(1, 700)] * 8 + [(1, 400)], False),
    ):
        rows = list(bin_tables.in_rows(cells, 700))
        assert [row.shape for row in rows] == shapes
        together = np.concatenate([row.ravel() for row in rows])
        assert np.array_equal(np.sort(together), np.sort(cells.ravel()))
        assert np.shares_memory(rows[0], x) == in_place


def test_edges_that_cannot_be_bins_are_refused_of_no_cells_too():
    told = {"tree": Tree((0,), 256), "origin": (0,), "bins": range(3), "state": np.dtype("i8")}
    with pytest.raises(ValueError, match="not finite"):
        KERNELS["tabulate"](
            None, np.zeros(0), np.array([0, np.inf]), **told, target=None, limit=None, even=True
        )
