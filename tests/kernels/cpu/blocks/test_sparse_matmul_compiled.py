import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import sparse_matmul_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(4)
GRID, TABLE = (30, 20), (15, 16)
COUNTS = RANDOM.integers(0, 6, 240)
STARTS = np.append(0, np.cumsum(COUNTS))
COLUMNS = np.concatenate([np.sort(RANDOM.permutation(600)[:n]) for n in COUNTS]).astype(np.int32)
LAYOUTS = {  # shape of the block, axes of the grid, and how the block lies in memory
    "apart": ((23, *GRID), (1, 2), (0, 1, 2)),
    "beside": ((*GRID, 300), (0, 1), (0, 1, 2)),
    "few beside": ((9, *GRID, 3), (1, 2), (0, 1, 2, 3)),
    "between": ((30, 21, 20), (0, 2), (0, 1, 2)),
    "turned": ((17, *GRID), (1, 2), (2, 0, 1)),
}


def multiplied(cells, values, axes, mode, **told):
    at = min(axes)
    kept = [n for axis, n in enumerate(cells.shape) if axis not in axes]
    how = {"axes": axes, "at": at, "grid": GRID, "corner": (0, 0), "table": TABLE}
    how |= {"rows": tuple(map(range, TABLE)), "first": (0, 0), "least": None}
    how |= {"shape": (*kept[:at], *TABLE, *kept[at:]), "dtype": values.dtype}
    with compile_service.mode(mode):
        return KERNELS["sparsematmul"](None, cells, values, COLUMNS, STARTS, **{**how, **told})


@pytest.mark.few(4)  # layouts are read by one loop
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("kind", "dtype", "least"),
    [
        ("?", "?", None),
        ("i1", "i4", None),
        ("u1", "u8", None),
        ("f2", "f4", None),
        ("f4", "f4", None),
        ("i4", "f8", None),
        ("f8", "f8", None),
        ("f4", "c8", None),
        ("c16", "c16", None),
        ("f4", "f4", 0.4),
        ("f4", "f8", 0.9),
        ("i2", "f8", 0.5),
        ("c8", "c8", 0.5),
    ],
)
def test_the_loop_has_numpys_bits(layout, kind, dtype, least, monkeypatch):
    shape, axes, order = LAYOUTS[layout]
    cells = RANDOM.normal(0, 5, shape).astype(kind)
    if cells.dtype.kind in "fc":
        cells[RANDOM.random(shape) < 0.1] = np.nan
    cells = np.ascontiguousarray(cells.transpose(order)).transpose(np.argsort(order))
    values = RANDOM.normal(0, 1, COLUMNS.size) * 4
    values = (abs(values) if least else values).astype(dtype)
    filled, made = sparse_matmul_compiled.product, []
    monkeypatch.setattr(
        sparse_matmul_compiled, "product", lambda *given: made.append(filled(*given)) or made[-1]
    )
    monkeypatch.setattr(sparse_matmul_compiled, "SMALL", 0)
    compiled = multiplied(cells, values, axes, "wait", least=least)
    plain = multiplied(cells, values, axes, "off", least=least)
    assert made == [True, False]
    assert same_bits(compiled, plain)


def test_calls_are_cut(monkeypatch):
    cells, values = RANDOM.normal(size=(23, *GRID)), RANDOM.normal(size=COLUMNS.size)
    monkeypatch.setattr(sparse_matmul_compiled, "SMALL", 0)
    whole = multiplied(cells, values, (1, 2), "wait")
    monkeypatch.setattr(sparse_matmul_compiled, "CALL", 1)
    assert same_bits(multiplied(cells, values, (1, 2), "wait"), whole)


@pytest.mark.parametrize(("kind", "dtype"), [("g", "g"), ("f8", "G"), ("M8[s]", "f8")])
def test_what_has_no_loop_is_left_to_numpy(kind, dtype):
    assert sparse_matmul_compiled.source(np.dtype(kind), np.dtype(dtype), False) is None
