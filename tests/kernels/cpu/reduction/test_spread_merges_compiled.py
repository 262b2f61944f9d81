import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import monoids, spread_merges_compiled
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.spread_merges_compiled import merged_spreads, source
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(4)


def spread(real):
    return np.dtype([("count", "i8"), ("mean", real), ("m2", real)])


def drawn(real, shape):
    states = np.empty(shape, spread(real))
    states["count"] = RANDOM.integers(0, 4, shape)
    states["mean"] = RANDOM.normal(size=shape) * 10.0 ** RANDOM.integers(-6, 6, shape)
    states["mean"][RANDOM.random(shape) < 0.02] = np.nan
    states["m2"] = RANDOM.random(shape)
    states["m2"][RANDOM.random(shape) < 0.02] = np.inf
    return states


@pytest.mark.parametrize("real", ["f4", "f8"])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(6, 8, 10), (7, 1, 30), (9, 40, 3), (2, 2, 2)])
@pytest.mark.parametrize("monoid", ["nanvar", "nanstd"])
def test_merges_have_the_bits_of_the_way_through_numpy(monoid, shape, axis, real, monkeypatch):
    states = np.moveaxis(drawn(real, (2 * shape[0], *shape[1:])), 0, axis)
    if axis == 1:
        states = states.copy()
    pair = [np.moveaxis(np.moveaxis(states, axis, 0)[side::2], 0, axis) for side in (0, 1)]
    combine, counts = ARITHMETIC[monoid].combine, np.ones(1)
    monkeypatch.setattr(spread_merges_compiled, "SMALL", 0)
    with compile_service.mode("wait"), np.errstate(all="ignore"):
        assert merged_spreads(*pair) is not None
        compiled = combine(*pair, counts, counts)
        monkeypatch.setattr(monoids, "merged_spreads", lambda *_: None)
        assert same_bits(compiled, combine(*pair, counts, counts))


def test_a_state_without_cells_changes_nothing():
    states = np.zeros((2, 2000), spread("f8"))
    states["count"][0, ::2] = states["mean"][0, ::2] = 3
    states["count"][1, 1::2] = states["mean"][1, 1::2] = 5
    with compile_service.mode("wait"):
        merged = merged_spreads(states[0], states[1])
        assert merged is not None
        assert same_bits(merged[::2], states[0, ::2])
        assert same_bits(merged[1::2], states[1, 1::2])


@pytest.mark.parametrize(
    "state",
    [
        np.dtype("f8"),
        np.dtype([("mean", "f8"), ("m2", "f8")]),
        np.dtype([("count", "i8"), ("mean", "c16"), ("m2", "f8")]),
        np.dtype([("count", "i8"), ("mean", "f2"), ("m2", "f2")]),
        np.dtype([("count", "i8"), ("mean", ">f8"), ("m2", ">f8")]),
    ],
)
def test_other_states_are_left_to_numpy(state):
    assert source(state) is None
    assert merged_spreads(np.zeros(5000, state), np.zeros(5000, state)) is None


def test_blocks_that_lie_otherwise_are_left_to_numpy():
    states = np.zeros(8000, spread("f8"))
    assert merged_spreads(states[:2000], states[::4]) is None
