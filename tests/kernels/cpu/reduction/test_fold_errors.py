"""Compiled folds tell the errors that folds by NumPy tell, and look at NaNs no second time."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, CellExpression, Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import reduce, unread_folds
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.unread_cells import UnreadCells
from tests.comparisons import same_bits

F8, B1 = np.dtype(float), np.dtype(bool)
ALL = frozenset({"divide", "over", "invalid"})
SHAPE = (4096, 24)
SPECIAL = (np.inf, -np.inf, 1e308, -1e308, 0.0, -3.0)


def _formula(*steps: tuple[str, tuple[int, ...], np.dtype]) -> CellExpression:
    builder, last = CellBuilder((F8, F8)), 0
    for function, operands, dtype in steps:
        last = builder.call(function, operands, dtype)
    return builder.finish(last)


POSITIVE = (("greater", (0, 1), B1), ("where", (2, 0, 1), F8))
FOLDS: dict[str, tuple[tuple[str, CellExpression], ...]] = {
    "compared": (("fmax", _formula(*POSITIVE)),),
    "a compared sum": (("sum", _formula(*POSITIVE)),),
    "a difference": (("max", _formula(("subtract", (0, 1), F8), ("absolute", (2,), F8))),),
    "a difference that is far": (
        ("fmax", _formula(("subtract", (0, 1), F8), ("sin", (2,), F8), ("exp", (3,), F8))),
    ),
    "a logarithm": (("nanmean", _formula(("log", (0,), F8), ("multiply", (1, 2), F8))),),
    "a quotient": (("fmax", _formula(("divide", (0, 1), F8))),),
    "together": (
        ("max", _formula(("maximum", (0, 1), F8), ("minimum", (2, 0), F8))),
        ("sum", _formula(("add", (0, 1), F8))),
        ("nanstd", _formula(("multiply", (0, 1), F8))),
    ),
}  # fmt: skip


def _parts(name: str, axis: int) -> list[dict[str, object]]:
    tree = Tree((SHAPE[axis],), 1024)
    parts = []
    for monoid, expression in FOLDS[name]:
        dtype, state = MONOIDS[monoid].dtypes(F8, None)
        about = {"ddof": 0.0, "source": None, "target": None, "expression": expression}
        parts.append({"monoid": monoid, "axes": (axis,), "tree": tree, "origin": (0,),
                      "dtype": dtype, "state": state, **about})  # fmt: skip
    return parts


def _heard(parts: Sequence[dict], *blocks: object) -> tuple[set[str], list[np.ndarray]]:
    with listening(ALL) as heard:
        if len(parts) == 1:
            values = [KERNELS["reduce"](None, *blocks, **parts[0])]
        else:
            made = KERNELS["reductions"](None, *blocks, parts=parts)
            values = [made[field] for field in made.dtype.names]
    return heard, values


def _cells(*placed: tuple[int, float]) -> list[np.ndarray]:
    """Two operands, a sixth of NaNs, and other cells in one column."""
    random = np.random.default_rng(3)
    x, y = (random.uniform(0.5, 2, SHAPE) for _ in range(2))
    x[random.random(SHAPE) < 1 / 12] = np.nan
    y[random.random(SHAPE) < 1 / 12] = np.nan
    for row, (operand, value) in enumerate(placed, 100):
        (x, y)[operand][row, 5] = value
        (y, x)[operand][row, 5] = 1.0
    return [x, y]


@pytest.mark.few(4)  # one text holds any formula
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", FOLDS)
def test_compiled_folds_tell_what_numpy_tells(name: str, axis: int) -> None:
    parts = _parts(name, axis)
    for pair in [(), *product(SPECIAL, SPECIAL)]:
        for places in ((0, 0), (0, 1)):
            blocks = _cells(*zip(places, pair, strict=False))
            with compile_service.mode("off"):
                theirs, wanted = _heard(parts, *blocks)
            with compile_service.mode("wait"):
                ours, made = _heard(parts, *blocks)
            assert ours == theirs, (pair, places)
            assert all(same_bits(a, b) for a, b in zip(made, wanted, strict=True))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", FOLDS)
def test_nans_alone_are_not_folded_again_without_compiled_code(
    name: str, axis: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def numpys(*_: object) -> list[np.ndarray]:
        pytest.fail("folded again")

    parts = _parts(name, axis)
    with compile_service.mode("wait"):
        monkeypatch.setattr(reduce, "_interpreted", numpys)
        for blocks in (_cells(), [np.full(SHAPE, np.nan)] * 2):
            assert not any("encountered in" in text for text in _heard(parts, *blocks)[0])


def test_cells_that_are_not_read_yet_are_looked_at_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unread_folds, "PIECE_BYTES", 2**18)
    x, y = _cells()
    sizes: list[int] = []

    def read(spans: Sequence[tuple[int, int]]) -> np.ndarray:
        piece = x[tuple(slice(*span) for span in spans)].copy()
        sizes.append(piece.nbytes)
        return piece

    parts = _parts("a logarithm", 0)
    with compile_service.mode("wait"):
        heard, (made,) = _heard(parts, UnreadCells.of(SHAPE, F8, read), y)
        theirs, (wanted,) = _heard(parts, x, y)
    assert heard == theirs == set()
    assert same_bits(made, wanted)
    assert max(sizes) < x.nbytes
