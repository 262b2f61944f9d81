"""Folds of pieces in turn have the bits of each fold of the whole."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import folds_in_turn, reduce
from dask_tapestry_kernels.fold_part import FoldPart
from tests.comparisons import same_bits
from tests.kernels.cpu.reduction.leaf_cells import cells_of

LAID = {
    "rows": lambda x: x,
    "columns": np.asfortranarray,
    "turned": lambda x: np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1),
    "apart": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "backwards": lambda x: x[:, ::-1, ::-1].copy()[:, ::-1, ::-1],
    "repeated": lambda x: np.broadcast_to(x[:, :1], x.shape),
}
TOGETHER = [  # folds of integers are those that other tests compile, too: each takes seconds
    (("min", "max"), "f8"), (("mean", "std"), "f8"), (("argmin", "sum", "ptp"), "f8"),
    (("any", "nanmean"), "f8"), (("min", "max"), "i2"), (("argmin", "min", "prod"), "i8"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def many_pieces(monkeypatch):
    monkeypatch.setattr(folds_in_turn, "PIECE_BYTES", 2**14)
    with compile_service.mode("wait"):
        yield


def part_of(name, axes, shape, dtype, formula=None):
    value, state = MONOIDS[name].dtypes(dtype, None)
    tree = Tree(tuple(shape[axis] for axis in axes))
    told = {"axes": axes, "tree": tree, "origin": (0,) * len(axes), "dtype": value, "ddof": 0.0}
    return FoldPart(name, **told, state=state, source=None, target=None, expression=formula)


def check(blocks, parts):
    """The states of all parts are those of each alone, and were made in turn."""
    axes = parts[0].axes
    order = (*axes, *[axis for axis in range(blocks[0].ndim) if axis not in axes])
    turned = [block.transpose(order) for block in blocks]
    found = folds_in_turn.states_in_turn(turned, parts)
    assert found is not None
    for one, part in zip(found, parts, strict=True):
        alone = reduce._leaves_of(turned, part)
        for field in set(one.dtype.names or (...,)) - {"place"}:  # counted in the leaf as yet
            assert same_bits(np.ascontiguousarray(one[field]), np.ascontiguousarray(alone[field]))


@pytest.mark.parametrize("laid", LAID)
@pytest.mark.parametrize(("names", "dtype"), TOGETHER)
@pytest.mark.parametrize("axes", [(0,), (2,), (0, 2), (1, 2), (0, 1, 2)], ids=str)
def test_states_are_those_of_each_fold_alone(axes, names, dtype, laid):
    x = LAID[laid](cells_of(np.random.default_rng(3), dtype, (70, 9, 110)))
    check([x], [part_of(name, axes, x.shape, x.dtype) for name in names])


@pytest.mark.parametrize("axes", [(1,), (0, 1)], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_formulas_and_cells_take_turns(axes):
    f8 = np.dtype("f8")
    builder = CellBuilder([f8, f8])
    product = builder.finish(builder.call("multiply", (0, 1), f8))
    other = CellBuilder([f8, f8])
    far = other.finish(
        other.call("add", (other.call("absolute", (1,), f8), other.constant(np.float64(3.5))), f8)
    )
    x, y = (cells_of(np.random.default_rng(n), "f8", (150, 1100)) for n in (1, 2))
    formulas = [("mean", product), ("max", far), ("std", product), ("sum", far)]
    check([x, y], [part_of(name, axes, x.shape, f8, formula) for name, formula in formulas])


def test_places_are_those_in_the_whole_array():
    x = np.random.default_rng(0).integers(0, 9, (300, 200)).astype("f8")
    parts = [part_of(name, (0,), x.shape, x.dtype) for name in ("argmin", "argmax")]
    found = KERNELS["reductions"](None, x, parts=[part._asdict() for part in parts])
    assert np.array_equal(found["f0"], x.argmin(0))
    assert np.array_equal(found["f1"], x.argmax(0))


def test_what_is_not_compiled_is_folded_otherwise():
    x = np.arange(40.0)
    parts = [part_of(name, (0,), x.shape, x.dtype) for name in ("min", "max")]
    with compile_service.mode("off"):
        assert folds_in_turn.states_in_turn([x[:0]], parts) is None
    assert folds_in_turn.states_in_turn([x.astype(">f8")], parts) is None
