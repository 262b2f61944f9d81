"""Folds of lines that numbers name, beside folds of copies of these lines."""

import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import gathered_leaves, unread_folds
from dask_tapestry_kernels.unread_cells import Lines, UnreadCells
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(8)
NUMBERS = RANDOM.integers(-40, 40, 300)


@pytest.fixture(params=["off", "wait"], autouse=True)
def mode(request, monkeypatch):
    """Interpreted and compiled, of so few cells that all are worth pieces."""
    monkeypatch.setattr(unread_folds, "PIECE_BYTES", 2**12)
    monkeypatch.setattr(unread_folds, "RUN_BYTES", 2**6)
    with compile_service.mode(request.param):
        yield request.param


class Gathered:
    """Lines of a block, and what they are; it counts how often they are copied."""

    def __init__(self, block, numbers, axis=0, origin=0, extent=None):
        self.block, self.numbers, self.axis, self.origin = block, numbers, axis, origin
        self.extent = extent or block.shape[axis]
        self.copied = 0
        shape = (*block.shape[:axis], len(numbers), *block.shape[axis + 1 :])
        lines = Lines(block, numbers, axis, self.extent, origin)
        self.cells = UnreadCells.of(shape, block.dtype, self.read, lines)

    @property
    def copies(self):
        whole = np.where(self.numbers < 0, self.numbers + self.extent, self.numbers)
        return np.take(self.block, whole - self.origin, self.axis)

    def read(self, spans):
        self.copied += 1
        return self.copies[tuple(slice(*span) for span in spans)]


def part_of(monoid, block, axis=1, leaf=1024, shape=None):
    dtype, state = MONOIDS[monoid].dtypes(block.dtype, None)
    tree = Tree(((shape or block.shape)[axis],), leaf, None)
    return {"monoid": monoid, "axes": (axis,), "tree": tree, "origin": (0,), "dtype": dtype,
            "state": state, "ddof": 0.0, "source": None, "target": None}  # fmt: skip


def agree(given, part, mode, copied):
    found = KERNELS["reduce"](None, given.cells, **part)
    assert same_bits(found, KERNELS["reduce"](None, given.copies, **part))
    if mode == "wait":
        assert (given.copied > 0) == copied


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize("length", [32, 64, 70, 200, 1500])
@pytest.mark.parametrize("monoid", ["sum", "max", "var", "mean", "fmin", "prod"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_lines_have_the_bits_of_their_copies(monoid, length, dtype, mode, monkeypatch):
    if dtype == "c16" and monoid in ("max", "fmin"):
        pytest.skip("complex numbers have no order here")
    monkeypatch.setattr(gathered_leaves, "TURN", 7 * length)
    block = RANDOM.normal(size=(40, length)).astype(dtype)
    agree(Gathered(block, NUMBERS), part_of(monoid, block, leaf=64), mode, copied=False)


@pytest.mark.parametrize("origin", [0, 60])
def test_a_block_may_begin_anywhere_and_its_lines_may_be_columns(origin, mode):
    block = np.asfortranarray(RANDOM.normal(size=(70, 40)))
    numbers = NUMBERS % 40 + origin
    given = Gathered(block, numbers, 1, origin, 100)
    agree(given, part_of("sum", block, 0), mode, copied=False)
    below_zero = Gathered(block, numbers - 100, 1, origin, 100)
    agree(below_zero, part_of("sum", block, 0), mode, copied=False)


@pytest.mark.parametrize(
    ("block", "axis"),
    [
        (RANDOM.normal(size=(40, 31)), 1),  # short lines
        (RANDOM.normal(size=(40, 128))[:, ::2], 1),  # whose cells lie apart
        (RANDOM.normal(size=(40, 64)), 0),  # a fold over the lines
    ],
)
def test_other_lines_are_copied(block, axis, mode):
    given = Gathered(block, NUMBERS)
    agree(given, part_of("sum", block, axis, shape=given.copies.shape), mode, copied=True)


def test_the_place_of_a_cell_is_looked_for_in_copies(mode):
    block = RANDOM.normal(size=(40, 64))
    given = Gathered(block, NUMBERS)
    found = KERNELS["reduce"](None, given.cells, **part_of("argmax", block))
    np.testing.assert_array_equal(found, given.copies.argmax(1))


@pytest.mark.parametrize("wrong", [40, -41])
def test_a_number_out_of_bounds_is_an_error(wrong):
    block = RANDOM.normal(size=(40, 64))
    lines = Lines(block, np.append(NUMBERS, wrong), 0, 40, 0)
    cells = UnreadCells.of((301, 64), block.dtype, lambda spans: block[:0], lines)
    part = gathered_leaves.FoldPart(**part_of("sum", block))
    turned = cells.transpose((1, 0))
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 0 with size 40"):
        gathered_leaves.gathered_states(turned, part)
