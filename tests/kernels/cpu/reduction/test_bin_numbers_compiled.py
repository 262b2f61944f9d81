import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import bin_numbers, bin_numbers_compiled
from tests.examples import examples


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


RANDOM = np.random.default_rng(7)
EDGES = {
    "even": np.linspace(0, 1, 101),
    "few": np.linspace(-0.3, 0.7, 4),
    "single": np.linspace(0, 1, 11, dtype="f4"),
    "far": np.linspace(1e6, 1e6 + 1, 1001),
    "log": np.logspace(-5, 0, 50),
    "infinite": np.array([-np.inf, 0, 0.3, 0.31, np.inf]),
    "equal": np.array([0, 0.2, 0.2, 0.2, 0.5, 0.5]),
    "uneven": np.array([0, 1e-9, 0.5, 0.5 + 1e-12, 0.9]),
    "integers": np.arange(0, 50, 7),
    "large": np.array([0, 2**60, 2**62]),
}
EVEN = ("even", "few", "single", "far", "integers")


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "i8", "u8"])
@pytest.mark.parametrize("name", EDGES)
def test_numbers_are_those_of_a_search(name, dtype, monkeypatch):
    monkeypatch.setattr(bin_numbers_compiled, "SMALL", 0)
    edges = EDGES[name]
    finite = edges[np.isfinite(edges)].astype("f8")
    x = RANDOM.uniform(finite[0] - 0.2, finite[-1] + 0.2, 3000)
    x[:600] = RANDOM.choice(np.concatenate([finite, np.nextafter(finite, 9e99)]), 600)
    if np.dtype(dtype).kind == "f":
        x[600:610] = RANDOM.choice([np.nan, np.inf, -np.inf, -0.0], 10)
    with np.errstate(all="ignore"):
        x = (np.abs(x) if dtype == "u8" else x).astype(dtype)
    expected = bin_numbers.searched(x, edges)
    for even in {False, name in EVEN}:
        told = {"even": even, "dtype": np.min_scalar_type(len(edges))}
        for cells in (x, np.repeat(x, 2)[::2], x.reshape(30, 100).T):
            found = KERNELS["bin"](None, cells, edges, **told)
            wanted = expected if cells.ndim == 1 else expected.reshape(30, 100).T
            assert np.array_equal(found, wanted)
            room = np.zeros((*found.shape, 2), found.dtype)[..., 0]
            assert np.array_equal(KERNELS["bin"](room, cells, edges, **told), found)


def test_the_compiled_loops_serve(monkeypatch):
    monkeypatch.setattr(bin_numbers_compiled, "SMALL", 0)
    result, x = np.empty(5, "u1"), np.array([0.1, 0.5, np.nan, -1, 1])
    for even in (True, False):
        assert bin_numbers._natively(result, x, EDGES["few"], even)
        assert result.tolist() == [2, 3, 4, 0, 4]
    assert not bin_numbers._natively(result, x.astype("f2"), EDGES["few"], True)
    assert not bin_numbers._natively(result, x, EDGES["large"], False)


ENDS = st.floats(-1e300, 1e300) | st.floats(-10, 10) | st.floats(-1e-300, 1e-300)
COUNTS = st.integers(1, 40) | st.sampled_from([255, 256, 1000, 65_534, 65_535, 2**20])


@examples(100)
@given(ENDS, ENDS, COUNTS, st.sampled_from(["f8", "f4", "i4", "i8"]), st.integers(0, 2**32))
def test_cells_beside_edges_of_any_even_grid(low, high, count, dtype, seed):
    """Some units in the last place off an edge, far from it, or no numbers; of several strips."""
    with np.errstate(all="ignore"):
        edges = np.linspace(min(low, high), max(low, high), count + 1)
        random = np.random.default_rng(seed)
        x = random.choice(edges, 1100)
        x[:800] += random.integers(-40, 41, 800) * np.spacing(x[:800])
        x[:200] = random.uniform(edges[0], edges[-1], 200)
        x[200:300] += random.normal(0, edges[-1] - edges[0], 100)
        if dtype[0] == "f":
            x[-3:] = np.nan, np.inf, -np.inf
        x = np.nan_to_num(x) if dtype[0] == "i" else x
        x = x.astype(dtype)
    if not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        return
    expected = bin_numbers.searched(x, edges)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bin_numbers_compiled, "SMALL", 0)
        found = KERNELS["bin"](None, x, edges, even=True, dtype=np.min_scalar_type(count + 1))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("near", [0, 1, 15, 16, 17, 255, 256])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i8"])
def test_few_and_many_cells_of_a_strip_are_beside_edges(near, dtype, monkeypatch):
    """Of strips of 256, and of one that is shorter, so many cells lie on edges or beside them."""
    monkeypatch.setattr(bin_numbers_compiled, "SMALL", 0)
    edges = np.linspace(-7, 93, 11)
    x = RANDOM.integers(0, 10, 1000) * 10.0 - 5
    for lo in range(0, 1000, 256):
        x[lo : lo + near] = RANDOM.choice(edges, near)[: 1000 - lo]
        if dtype == "f8":
            x[lo : lo + near] += (RANDOM.integers(-1, 2, near) * 1e-14)[: 1000 - lo]
    x = x.astype(dtype)
    found = KERNELS["bin"](None, x, edges, even=True, dtype=np.dtype("u1"))
    assert np.array_equal(found % 11, bin_numbers.searched(x, edges) % 11)


@pytest.mark.parametrize("count", [1, 100, 256, 65_000, 2**20, 2**26])
def test_few_strips_are_looked_at_again(count):
    """The rest behind the point tells most cells apart from edges, where digits are left for it."""
    _, shift, whole, digits, unsure = bin_numbers_compiled._places(0.0, count, count, 1e-9)
    assert 2.0 ** (32 - digits) > count + 1.5
    assert (whole + count + 1.5) - whole == count + 1.5
    assert np.spacing(whole) == 2.0**-digits
    assert shift * 2**digits == 2**digits + unsure / 2
    assert unsure <= 4 + 2**digits * 2e-9
