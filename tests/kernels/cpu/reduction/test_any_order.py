from zlib import crc32

import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import any_order, reduce
from dask_tapestry_kernels.fold_part import FoldPart
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(7)
CELLS = RANDOM.integers(1, 200, (60, 70, 44))
FREE = "any all min max argmin argmax".split()
LAYOUTS = {
    "C": lambda x: x,
    "transposed": lambda x: np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1),
    "reversed": lambda x: np.ascontiguousarray(x[::-1, :, ::-1])[::-1, :, ::-1],
    "strided": lambda x: np.repeat(x, 2, 2)[:, :, ::2],
}
AXES = [(0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (2,)]


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


COMPILED = 4  # of so many folds the leaves of one are compiled, as each takes more than a second


def leaves_of(name, dtype):
    """How leaves are folded, compiled or not: that both have the same bits is tested elsewhere."""
    turn = crc32(f"{name} {np.dtype(dtype)}".encode()) % COMPILED
    return compile_service.mode("off" if turn else "wait")


def part_of(x, name, axes, tree=None, **ways):
    extents = tuple(x.shape[axis] for axis in axes)
    result, state = MONOIDS[name].dtypes(x.dtype, None)
    told = {"monoid": name, "axes": axes, "tree": tree or Tree(extents), "ddof": 0.0}
    told |= {"origin": (0,) * len(axes), "dtype": result, "state": state}
    return {**told, "source": None, "target": None, **ways}


def by_leaves(x, part, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(reduce, "nodes_in_any_order", lambda *_: None)
        return KERNELS["reduce"](None, x, **part)


def nodes_of(x, part):
    axes = part["axes"]
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    return any_order.nodes_in_any_order([x.transpose(*axes, *kept)], FoldPart(**part))


@pytest.mark.few(5)  # each dtype, layout and axes
@pytest.mark.covering
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "i2", "?"])
def test_nodes_have_the_bits_of_leaves(dtype, layout, axes, monkeypatch):
    x = LAYOUTS[layout]((CELLS % 2 == 0) if dtype == "?" else CELLS.astype(dtype))
    names = [*FREE, *([] if dtype[0] == "f" else ["sum", "prod"])]
    for name in names:
        part = part_of(x, name, axes)
        with leaves_of(name, dtype):
            assert same_bits(KERNELS["reduce"](None, x, **part), by_leaves(x, part, monkeypatch))


@pytest.mark.few(4)  # one text serves all
@pytest.mark.parametrize("name", [*FREE, "sum"])
def test_nodes_of_a_shard_have_the_bits_of_leaves(name, monkeypatch):
    x = RANDOM.integers(0, 3, (64, 4096)).astype("i8")
    tree = Tree((64, 3 * 4096))
    ways = {"tree": tree, "origin": (0, 4096), "target": tree.depth - 3}
    part = part_of(x, name, (0, 1), **ways)
    assert nodes_of(x, part) is not None
    with leaves_of(name, x.dtype):
        assert same_bits(KERNELS["reduce"](None, x, **part), by_leaves(x, part, monkeypatch))


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("several", [(0.0, -0.0), (np.nan, -np.nan)])
def test_where_several_cells_may_be_the_value_leaves_are_folded(name, several, monkeypatch):
    x = np.where(CELLS % 2 == 0, *several)
    for axes in AXES:
        part = part_of(x, name, axes)
        with leaves_of(name, x.dtype):
            assert same_bits(KERNELS["reduce"](None, x, **part), by_leaves(x, part, monkeypatch))
    assert nodes_of(x, part_of(x, name, (0, 1, 2))) is None


def test_integers_and_places_are_folded_as_they_lie():
    x = CELLS.astype("i4")
    for name in ("sum", "max", "argmin"):
        assert nodes_of(x, part_of(x, name, (0, 1, 2))) is not None
    assert nodes_of(x.transpose(2, 0, 1), part_of(x.T, "sum", (0, 1, 2))) is not None


def test_sums_of_floats_have_an_order():
    x = CELLS.astype("f8")
    assert nodes_of(x, part_of(x, "sum", (0, 1, 2))) is None
    assert nodes_of(x.transpose(2, 0, 1), part_of(x, "argmax", (0, 1, 2))) is None


@pytest.mark.parametrize("value", [0, 1])
def test_the_first_of_equal_places_is_found(value):
    x = np.full((300, 300), value, "u1")
    assert KERNELS["reduce"](None, x, **part_of(x, "argmax", (0, 1))) == 0
    x[200, 7] = x[200, 9] = 2
    assert KERNELS["reduce"](None, x, **part_of(x, "argmax", (0, 1))) == 200 * 300 + 7


def test_a_nan_is_the_first_place():
    x = CELLS.astype("f8")
    x[3, 4, 5] = x[50, 0, 0] = np.nan
    assert KERNELS["reduce"](None, x, **part_of(x, "argmin", (0, 1, 2))) == x.argmin()


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 1, 2)])
def test_places_in_long_lines_that_lie_apart(name, axes, monkeypatch):
    x = RANDOM.integers(0, 50, (3, 40, 1200)).astype("f8")
    x[1, 7, 900:902] = x[1, 30, 3] = np.nan
    x = x if axes[0] else np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1)
    x = x if axes != (0, 1, 2) else np.ascontiguousarray(x)
    tree = Tree(tuple(x.shape[axis] for axis in axes))
    for target in (None, tree.depth - 1):
        part = part_of(x, name, axes, tree=tree, target=target)
        assert same_bits(KERNELS["reduce"](None, x, **part), by_leaves(x, part, monkeypatch))
    monkeypatch.setattr(any_order, "COPIED_CELLS", 2_000)
    assert same_bits(KERNELS["reduce"](None, x, **part), by_leaves(x, part, monkeypatch))
