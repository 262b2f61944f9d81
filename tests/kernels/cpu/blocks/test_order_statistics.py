import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.parameters import ranks as rank_rules
from tests.kernels.cpu.blocks.test_sort import zeros_and_nans

RANDOM = np.random.default_rng(17)


@pytest.fixture
def long_lanes(monkeypatch):
    monkeypatch.setattr(rank_rules, "LONG", 100)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_ranks_of_long_lanes(long_lanes, axis, dtype):
    x = (RANDOM.normal(size=(300, 200)) * 100).astype(dtype)
    for chosen in ((99, 100, 199), (0,), tuple(range(0, 200, 11))):
        told = {"ranks": chosen, "axis": axis, "part": slice(0, len(chosen))}
        expected = np.take(np.sort(x, axis), chosen, axis)
        assert np.array_equal(KERNELS["ranks"](None, x, **told), expected)


def test_signs_of_zeros(long_lanes):
    x = zeros_and_nans((3, 400), "f8")
    expected = KERNELS["sort"](None, x, axis=1, part=slice(0, 400), in_runs=False)
    chosen = (0, 100, 200, 300, 399)
    made = KERNELS["ranks"](None, x, ranks=chosen, axis=1, part=slice(0, 5))
    assert made.tobytes() == expected[:, chosen].tobytes()


@pytest.mark.parametrize("cut", [(0, 150), (150, 400), (0, 400)])
def test_parts_of_long_lanes(long_lanes, cut):
    x = zeros_and_nans((2, 3, 400), "f8")
    part = slice(*cut)
    whole = KERNELS["sort"](None, x, axis=2, part=slice(0, 400), in_runs=False)
    made = KERNELS["sort"](None, x, axis=2, part=part, in_runs=False)
    assert made.tobytes() == whole[..., part].tobytes()
    order = KERNELS["argsort"](None, x.swapaxes(1, 2), axis=1, part=part)
    expected = np.argsort(x, axis=2, kind="stable")[..., part].swapaxes(1, 2)
    assert np.array_equal(order, expected)


@pytest.mark.parametrize("wrong", [[0.0, 0.0], [1.0, np.inf], [1.0, -1.0]])
def test_weights_that_cannot_be(wrong):
    told = {"quantiles": (0.5,), "dtype": np.dtype("f8"), "skip_nan": False, "leaf": 9, "axis": 0}
    with pytest.raises(ValueError, match="Weights"):
        KERNELS["weightedranks"](None, np.arange(2.0), np.array(wrong), **told, part=slice(0, 2))
