import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import bincount_compiled
from tests.comparisons import same_bits


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


RANDOM = np.random.default_rng(8)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.covering(together=1)  # dtypes have kernels of their own
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "u8"])
@pytest.mark.parametrize("weight", [None, "?", "i4", "f4", "f8", "f2", "c8", "c16"])
@pytest.mark.parametrize("shape", [(5000,), (70, 90), (7, 40, 30)])
def test_tables_are_those_of_the_way_through_numpy(dtype, weight, shape, monkeypatch):
    numbers = RANDOM.integers(-2, 9, shape).astype(dtype)
    weights = []
    if weight is not None:
        loads = RANDOM.normal(size=shape) * 10.0 ** RANDOM.integers(-3, 3, shape)
        loads[RANDOM.random(shape) < 0.01] = np.inf
        with np.errstate(all="ignore"):
            weights = [loads.astype(weight)]
    state = np.dtype("i8" if weight is None else "c16" if weight[0] == "c" else "f8")
    told = {"tree": Tree(shape, 256), "origin": (0,) * len(shape), "state": state, "limit": None}
    for bins in (range(7), range(2, 5), range(100)):
        for target in (None, 0, 2):
            made = []
            for small in (10**9, 0):
                monkeypatch.setattr(bincount_compiled, "SMALL", small)
                call = told | {"bins": bins, "target": target}
                with np.errstate(all="ignore"):
                    made.append(KERNELS["tabulate"](None, numbers, *weights, **call))
            assert same_bits(made[1], made[0])


@pytest.mark.parametrize("wrong", [-1, 7])
def test_numbers_beyond_the_limit_raise(wrong, monkeypatch):
    monkeypatch.setattr(bincount_compiled, "SMALL", 0)
    numbers = np.zeros(100, int)
    numbers[50] = wrong
    told = {"tree": Tree((100,), 256), "origin": (0,), "state": np.dtype("i8"), "target": None}
    with pytest.raises(ValueError, match="negative" if wrong < 0 else "7 bins"):
        KERNELS["tabulate"](None, numbers, bins=range(7), limit=7, **told)


@pytest.mark.parametrize("bins", [range(7), range(2, 5), range(3, 7), range(200), range(256)])
@pytest.mark.parametrize("most", [1, 4, 9, 300])
def test_bins_of_a_table_that_has_room_for_more(bins, most, monkeypatch):
    """Some strips lie within the bins, others in the room beyond them, or neither."""
    numbers = RANDOM.integers(bins.start, bins.start + most, 20_000)
    numbers[7_000:7_500] = RANDOM.integers(-1, 2 * bins.stop, 500)
    told = {"tree": Tree((20_000,), 8192), "origin": (0,), "state": np.dtype("i8"), "limit": None}
    made = []
    for small in (10**9, 0):
        monkeypatch.setattr(bincount_compiled, "SMALL", small)
        made.append(KERNELS["tabulate"](None, numbers, bins=bins, target=None, **told))
    assert same_bits(made[1], made[0])


@pytest.mark.parametrize("wrong", [-1, 6, 7, 8, 9, 1000])
@pytest.mark.parametrize("bins", [range(6), range(3, 6), range(2, 4)])
def test_one_of_many_numbers_beyond_the_limit(wrong, bins, monkeypatch):
    monkeypatch.setattr(bincount_compiled, "SMALL", 0)
    numbers = RANDOM.integers(0, 6, 20_000)
    told = {"tree": Tree((20_000,), 8192), "origin": (0,), "state": np.dtype("i8"), "target": None}
    call = {"bins": bins, "limit": 6, **told}
    assert KERNELS["tabulate"](None, numbers, **call).sum() == np.isin(numbers, bins).sum()
    numbers[15_000] = wrong
    with pytest.raises(ValueError, match="negative" if wrong < 0 else "6 bins"):
        KERNELS["tabulate"](None, numbers, **call)
