"""Folds of cells that are read piece by piece, beside folds of the same cells in memory."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import any_order, unread_folds
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.unread_cells import UnreadCells
from tests.comparisons import same_bits

X = np.random.default_rng(5).normal(size=(150, 66, 70))
TREES = [
    ((0,), None),
    ((2,), None),
    ((0, 1), None),
    ((1, 2), None),
    ((0, 1, 2), None),
    ((0, 2), Lattice((40, 33), (-15, 0))),
    ((0, 1, 2), Lattice((75, 66, 35), (0, 0, 0))),
    ((1,), Lattice((33,), (-3,))),
]


@pytest.fixture(params=["off", "wait"], autouse=True)
def mode(request, monkeypatch):
    """Pieces of few cells, interpreted and compiled."""
    monkeypatch.setattr(unread_folds, "PIECE_BYTES", 2**14)
    monkeypatch.setattr(unread_folds, "RUN_BYTES", 2**8)
    monkeypatch.setattr(any_order, "FEW_CELLS", 2**10)
    with compile_service.mode(request.param):
        yield


class Stored:
    """An array that counts how often each of its cells is read."""

    def __init__(self, x):
        self.x, self.times, self.largest = x, np.zeros(x.shape, int), 0
        self.cells = UnreadCells.of(x.shape, x.dtype, self.read)

    def read(self, spans):
        cut = tuple(slice(*span) for span in spans)
        self.times[cut] += 1
        self.largest = max(self.largest, self.x[cut].nbytes)
        return self.x[cut].copy()


def part_of(monoid, axes, lattice, x=X, target=None, leaf=64, expression=None):
    dtype, state = MONOIDS[monoid].dtypes(x.dtype, None)
    tree = Tree(tuple(x.shape[a] for a in axes), leaf, lattice)
    given = {"ddof": 0.0, "source": None, "target": target, "expression": expression}
    return {"monoid": monoid, "axes": axes, "tree": tree, "origin": (0,) * len(axes),
            "dtype": dtype, "state": state, **given}  # fmt: skip


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize(("axes", "lattice"), TREES)
@pytest.mark.parametrize("monoid", ["sum", "max", "var", "mean", "fmax"])
@pytest.mark.parametrize("target", [None, 0])
def test_pieces_have_the_bits_of_the_whole(axes, lattice, monoid, target):
    stored, part = Stored(X), part_of(monoid, axes, lattice, target=target)
    assert same_bits(
        KERNELS["reduce"](None, stored.cells, **part), KERNELS["reduce"](None, X, **part)
    )
    assert (stored.times == 1).all()


@pytest.mark.parametrize(("axes", "lattice"), TREES)
def test_pieces_are_small(axes, lattice):
    stored = Stored(X)
    KERNELS["reduce"](None, stored.cells, **part_of("sum", axes, lattice))
    leaf = 64 * 8 * (X.shape[2] if axes == (0,) else 1)
    assert stored.largest <= max(2**14, 64 * leaf, X[0].nbytes)


def test_leaves_that_are_nearly_the_whole_are_read_with_it(monkeypatch):
    monkeypatch.setattr(unread_folds, "RUN_BYTES", X[0].nbytes)
    stored = Stored(X[:60])
    KERNELS["reduce"](None, stored.cells, **part_of("sum", (0,), None, X[:60], leaf=64))
    assert stored.largest == X[:60].nbytes


@pytest.mark.parametrize("monoid", ["argmax", "nanargmin"])
def test_places_are_those_of_the_whole(monoid):
    stored, part = Stored(X), part_of(monoid, (0, 1, 2), TREES[6][1])
    found = KERNELS["reduce"](None, stored.cells, **part)
    assert found == KERNELS["reduce"](None, X, **part)
    assert (stored.times == 1).all()


def test_integers_in_any_order():
    x = np.arange(X.size, dtype="i4").reshape(X.shape)
    stored, part = Stored(x), part_of("sum", (0, 1, 2), None, x)
    assert KERNELS["reduce"](None, stored.cells, **part) == x.sum()
    assert (stored.times == 1).all()


def squares():
    builder = CellBuilder([X.dtype, X.dtype])
    difference = builder.call("subtract", [0, 1], X.dtype)
    return builder.finish(builder.call("multiply", [difference, difference], X.dtype))


def test_formulas_of_what_is_read_and_what_is_not():
    means = np.broadcast_to(X.mean(0), X.shape)
    part, stored = part_of("sum", (0, 1, 2), None, expression=squares()), Stored(X)
    found = KERNELS["reduce"](None, stored.cells, means, **part)
    assert same_bits(found, KERNELS["reduce"](None, X, means, **part))
    assert (stored.times == 1).all()


def test_several_reductions_share_what_is_read():
    parts = [part_of(monoid, (0, 1, 2), TREES[6][1]) for monoid in ("sum", "max", "var")]
    stored = Stored(X)
    found = KERNELS["reductions"](None, stored.cells, parts=parts)
    assert same_bits(found, KERNELS["reductions"](None, X, parts=parts))
    assert (stored.times == 1).all()
    passes = [((0, 1), (0,)), ((2,), (0,))]
    again = Stored(X)
    found = KERNELS["reductions"](None, again.cells, parts=parts, passes=passes)
    assert same_bits(found, KERNELS["reductions"](None, X, parts=parts))
    assert (again.times == 1).all()


def test_errors_are_told_as_of_the_whole():
    x = X.copy()
    x[3, 4, 5], x[90, 1, 1] = np.inf, -np.inf
    part = part_of("sum", (0, 1, 2), None)
    with listening(frozenset({"invalid"})) as heard:
        assert np.isnan(KERNELS["reduce"](None, Stored(x).cells, **part))
    with listening(frozenset({"invalid"})) as expected:
        KERNELS["reduce"](None, x, **part)
    assert heard == expected
    assert heard
