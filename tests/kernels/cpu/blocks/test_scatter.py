import numpy as np
import pytest

from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import scatter
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.coordinate_steps import CoordinateStep

LINE = {"vector": 1, "window": ()}


def told(name, extent, origin, dtype="f8", **more):
    steps = ((None, 0, extent, extent, 0, origin),)
    expressions = (cell_update(name, np.dtype(dtype)),)
    return LINE | {"steps": steps, "expressions": expressions} | more


def test_places_in_other_blocks_are_left_out():
    block = np.zeros(3)
    given = np.array([1, 5, -5, 9]), np.array([1.0, 2, 3, 4])
    made = KERNELS["scatter"](None, block, *given, **told("update", 10, 4))
    assert made.tolist() == [0, 2, 0]
    made = KERNELS["scatter"](None, block, *given, **told("update", 10, 4, strict=True))
    assert made.tolist() == [0, 3, 0]
    assert not block.any()


def test_strict_places_are_within_the_whole():
    with pytest.raises(IndexError, match="index -11 is out of bounds for axis 0 with size 10"):
        KERNELS["scatter"](
            None, np.zeros(3), np.array([-11]), np.ones(1), **told("update", 10, 4, strict=True)
        )


def test_it_fills_the_buffer_it_is_given():
    out = np.empty(3)
    given = np.array([0, 0]), np.ones(2)
    assert KERNELS["scatter"](out, np.ones(3), *given, **told("add", 3, 0)) is out
    assert out.tolist() == [3, 1, 1]


@pytest.mark.parametrize("name", ["less", "min", "add", "mul", "update"])
@pytest.mark.parametrize("dtype", ["f2", "f8", "i1", "?", "c16", "m8[s]"])
def test_updates_follow_each_other(name, dtype):
    if (dtype == "c16" and name in ("less", "min")) or (dtype == "m8[s]" and name == "mul"):
        return
    generator = np.random.default_rng(0)
    x = generator.integers(-9, 9, 4).astype("i8").astype(dtype)
    places, updates = generator.integers(-1, 5, 50), generator.integers(-9, 9, 50)
    updates = updates.astype("i8").astype(dtype)
    with np.errstate(all="ignore"):
        made = KERNELS["scatter"](None, x, places, updates, **told(name, 4, 0, dtype))
        expected = x.copy()
        folds = {"less": lambda d, u: u if u < d else d, "update": lambda d, u: u}
        folds |= {"min": np.minimum, "add": np.add, "mul": np.multiply}
        for place, update in zip(places, updates, strict=True):
            if 0 <= place < 4:
                expected[place] = folds[name](expected[place], update)
    np.testing.assert_array_equal(made, expected)


def test_nan_neither_comes_in_nor_leaves():
    x, updates = np.array([np.nan, 1.0]), np.array([0.0, np.nan])
    made = KERNELS["scatter"](None, x, np.arange(2), updates, **told("less", 2, 0))
    np.testing.assert_array_equal(made, x)


def test_slabs_cover_all_updates_in_order(monkeypatch):
    monkeypatch.setattr(scatter, "SCATTERED", 6)
    steps = [CoordinateStep(1, 0, 5, 5, 0, 0), CoordinateStep(2, None, 0, 3, 0, 0)]
    found = list(scatter.slabs([np.array([0, 4, -1, 2]), None], steps, (1, 2), (4, 2, 3), (5, 3)))
    assert [(lo, hi) for _, lo, hi in found] == [(0, 3), (3, 4)]
    assert [p.tolist() for p, _, _ in found] == [[[0, 1], [4, -1], [-1, 0]], [[2, 3]]]


def test_many_updates_of_one_cell_wait_for_a_loop():
    updates = np.random.default_rng(0).normal(size=1000)
    with compile_service.mode("off"):
        made = KERNELS["scatter"](
            None, np.zeros(2), np.ones(1000, int), updates, **told("less", 2, 0)
        )
    assert made.tolist() == [0, updates.min()]
