"""Folds of cells that lie in a file, beside folds of the same cells in memory."""

import os
from contextlib import contextmanager

import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import file_folds
from dask_tapestry_kernels.cpu.reduction.file_folds import file_states
from dask_tapestry_kernels.cpu.reduction.leaf_states import leaf_states
from dask_tapestry_kernels.fold_part import FoldPart
from dask_tapestry_kernels.unread_cells import UnreadCells
from tests.kernels.cpu.reduction.leaf_cells import cells_of, same_states, state_of

pytestmark = pytest.mark.skipif(not hasattr(os, "pread"), reason="the system has no pread")
SHAPES = [((1000, 70), 2), ((1000, 70), 1), ((33, 40), 2), ((70, 9, 40), 2), ((3000,), 1),
          ((31, 5), 1), ((4096, 300), 1)]  # fmt: skip


@pytest.fixture(autouse=True)
def every_kernel_compiled(monkeypatch):
    monkeypatch.setattr(file_folds, "PIECE_BYTES", 2**15)
    with compile_service.mode("wait"):
        yield


def stored(path, x, before=24, lost=0):
    """Unread cells of a file that has `before` bytes more, and lacks the last `lost` ones."""
    path.write_bytes(bytes(before) + x.tobytes()[: x.nbytes - lost])

    @contextmanager
    def opening(spans):
        row = x[:1].nbytes
        number = os.open(path, os.O_RDONLY)
        yield number, before + spans[0][0] * row
        os.close(number)

    return UnreadCells.of(x.shape, x.dtype, lambda _: pytest.fail("read"), None, opening)


def fold_of(monoid, x, rank=1):
    tree, state = Tree(x.shape[:rank]), state_of(monoid, x.dtype.str)
    origin = (0,) * rank
    return FoldPart(monoid=monoid, axes=tuple(range(rank)), tree=tree, origin=origin,
                    dtype=x.dtype, state=state, ddof=0.0, source=None, target=None,
                    expression=None)  # fmt: skip


@pytest.mark.parametrize(("shape", "rank"), SHAPES)
@pytest.mark.parametrize(("monoid", "dtype"), [("sum", "f8"), ("var", "f4"), ("max", "i2")])
def test_states_are_those_of_cells_in_memory(tmp_path, monoid, dtype, shape, rank):
    x = cells_of(np.random.default_rng(3), dtype, shape)
    part = fold_of(monoid, x, rank)
    found = file_states(stored(tmp_path / "x", x), part)
    assert same_states(found, leaf_states([x], monoid, x.dtype, part.tree.sides(0), part.state))


def test_rows_of_the_middle_of_a_file(tmp_path):
    x = cells_of(np.random.default_rng(3), "f8", (1000, 70))
    some = stored(tmp_path / "x", x).part((slice(300, 900),))
    part = fold_of("sum", x[300:900])
    expected = leaf_states([x[300:900]], "sum", x.dtype, part.tree.sides(0), part.state)
    assert same_states(file_states(some, part), expected)


@pytest.mark.parametrize("lost", [1, 9000])
def test_a_file_that_ends_before_is_left_to_who_says_so(tmp_path, lost):
    x = np.ones((1000, 70))
    assert file_states(stored(tmp_path / "x", x, lost=lost), fold_of("sum", x)) is None


def test_what_does_not_lie_as_it_is_folded_is_read(tmp_path):
    x = np.ones((1000, 70))
    whole = stored(tmp_path / "x", x)
    assert file_states(whole, fold_of("sum", x)) is not None
    assert file_states(whole.transpose((1, 0)), fold_of("sum", x.T)) is None
    assert file_states(whole._replace(opening=None), fold_of("sum", x)) is None
    assert file_states(whole, fold_of("argmax", x)) is None
    with compile_service.mode("off"):
        assert file_states(whole, fold_of("sum", x)) is None


def test_rows_that_no_piece_holds_are_read(tmp_path, monkeypatch):
    x = np.ones((1000, 70))
    monkeypatch.setattr(file_folds, "MOST_PIECE", 2**12)
    assert file_states(stored(tmp_path / "x", x), fold_of("sum", x)) is None
