"""``python -m tests.kernels.guarded_kernels GROUP``: compiled kernels between guards.

Inputs, results, scratch memory and what compiled code reserves on its stack lie flush with pages
that may not be touched, so a kernel that leaves them ends the process. What comes out is compared
with the interpreter, bit for bit. Kernels are compiled here, as the places of their rooms are in
their code, and are never kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import dask
import numpy as np
from llvmlite import ir

import dask_tapestry as dt
from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.jit.child import compiler
from dask_tapestry_kernels.cpu.reduction import leaf_states
from dask_tapestry_kernels.elementary import compiled_functions
from tests.comparisons import same_bits
from tests.kernels.cpu.reduction.formula_columns import formula
from tests.kernels.cpu.reduction.leaf_cells import cells_of, state_of
from tests.kernels.guarded_memory import Room, array, copied

ROOMS: list[Room] = []
KERNELS_HERE: dict[str, compile_service.Native] = {}
USED: set[str] = set()
EMPTY = np.empty
RANDOM = np.random.default_rng(11)
COLUMNS = (2, 3, 31, 33, 63, 64, 65, 95, 511, 513, 1100, 1537, 3001)
ROWS = (1, 2, 8, 9, 31, 33, 300, 1030)
LAYOUTS = (  # shapes, and the axes that are reduced
    ((5003,), (0,)), ((70, 200), (0, 1)), ((33, 7, 40), (1,)), ((300, 70), (1,)),
    ((1030, 65), (0,)), ((20, 30, 7), (0, 1)), ((64, 4096), (0, 1)),
)  # fmt: skip
SEVERAL = (  # formulas, and the shape of what they read
    (2, (33, 1100)), (5, (70, 3001)), (7, (300, 513)), (13, (9, 1537)), (37, (40, 300)),
)  # fmt: skip
FOLDS = ("argmin", "f8"), ("sum", "f8"), ("nanmean", "f4"), ("var", "f8")  # at night every one
PLACES = RANDOM.integers(0, 131, 211)
CALLS: tuple[tuple[np.ndarray, tuple[str, ...]], ...] = (
    (RANDOM.normal(size=20_011), (
        "x * x + 1", "x[:-1][::-2] * 2 - x[1::2][::-1]", "dt.cumsum(x)", "x[x > 0.3]",
        "dt.maximum.accumulate(x)", "dt.histogram(x, bins=37, range=(-3, 3))[0]",
        "dt.histogram(x, bins=[-2, -1.5, 0, 0.1, 2])[0]", "dt.digitize(x, [-2, -1, 0.5])",
        "dt.searchsorted(dt.linspace(-2, 2, 99), x)",
        "dt.random.default_rng(3).random(20_011) + x",
    )),
    (RANDOM.normal(size=200_003), ("dt.quantile(x, 0.99)",)),  # a median also folds, as above
    (RANDOM.normal(size=(131, 257)), (
        "dt.exp(x.T)", "x[:, ::3] + x[:, 1::3]", "dt.cumsum(x, 0)", "dt.cumsum(x, 1)",
        "x - x[:, :1]", "dt.take(x, places, 0)", "dt.nancumsum(x[:, 5:], 0)", "x - x[:1]",
        "(x[1:, 1:] + x[:-1, :-1]) * x[1:, :-1]",
    )),
    (RANDOM.integers(-50, 50, 20_011), (
        "dt.bincount(x + 50)", "dt.bincount(x + 50, weights=x * 0.5)", "dt.sort(x)",
    )),
)  # fmt: skip
AT_NIGHT = {  # calls whose kernels have the loops of others
    "x * x + 1", "dt.maximum.accumulate(x)", "dt.histogram(x, bins=37, range=(-3, 3))[0]",
    "dt.digitize(x, [-2, -1, 0.5])", "x[:, ::3] + x[:, 1::3]", "dt.cumsum(x, 0)", "dt.cumsum(x, 1)",
    "x - x[:, :1]", "x - x[:1]", "dt.bincount(x + 50)",
}  # fmt: skip


def reserve(builder: Any, length: int) -> Any:
    """In place of bytes on the stack, bytes between guards: no function calls itself."""
    ROOMS.append(Room(length))
    kind = ir.ArrayType(ir.IntType(8), length).as_pointer()
    return builder.inttoptr(ir.Constant(ir.IntType(64), ROOMS[-1].address), kind)


def compiled_here(source: str, arity: int, what: str, cells: int = 0) -> compile_service.Native:
    """In place of the service: a kernel that is compiled in this process."""
    if source not in KERNELS_HERE:
        with patch.object(np, "empty", EMPTY):
            code = compiler.compile_alone(source, f"guarded{len(KERNELS_HERE)}")
            KERNELS_HERE[source] = compile_service.Native(code, arity)
    USED.add(what)
    return KERNELS_HERE[source]


@contextmanager
def guarded(at_end: bool) -> Iterator[None]:
    """Have kernels compiled here, and memory that they ask NumPy for between guards."""

    def empty(shape: Any, dtype: Any = float, *others: Any, **options: Any) -> np.ndarray:
        if others or options or np.dtype(dtype).hasobject:
            return EMPTY(shape, dtype, *others, **options)
        return array(shape, dtype, at_end)

    service = compile_service._service
    with (
        patch.object(service, "get", compiled_here),
        patch.object(service, "require", compiled_here),
        patch.object(np, "empty", empty),
    ):
        yield
    assert all(room.is_whole() for room in ROOMS), "written before a room"


def check(asked: Callable[..., Callable[[], Any]], *blocks: np.ndarray) -> None:
    """Compare what is computed of blocks by compiled kernels, between guards, and by others.

    `asked` is given the blocks and returns what computes.
    """
    with compile_service.mode("off"):
        expected = np.asarray(asked(*blocks)())
    for at_end in (True, False):
        USED.clear()
        computed = asked(*[copied(block, at_end) for block in blocks])
        with guarded(at_end):
            found = np.asarray(computed())
        assert USED, f"nothing is compiled: {asked.__name__}"
        names = expected.dtype.names
        pairs = [(found[n], expected[n]) for n in names] if names else [(found, expected)]
        shapes = [block.shape for block in blocks]
        assert all(same_bits(a, b) for a, b in pairs), (asked.__name__, USED, shapes)


def part(monoid: str, shape: tuple[int, ...], axes: tuple[int, ...], dtype: str, made: Any) -> Any:
    """Arguments of the kernel of reductions: from cells to states of leaves."""
    tree = Tree(tuple(shape[axis] for axis in axes))
    told = {"monoid": monoid, "axes": axes, "tree": tree, "origin": (0,) * len(axes), "ddof": 0.0}
    told |= {"state": state_of(monoid, dtype), "dtype": np.dtype("f8"), "source": None}
    return told | {"target": 0, "expression": made}


def reduced(monoid: str, axes: tuple[int, ...], made: Any = None) -> Any:
    """States of the leaves of cells, or of those of a formula of some blocks."""

    def asked(*blocks: np.ndarray) -> Any:
        told = part(monoid, blocks[0].shape, axes, blocks[0].dtype.str[1:], made)
        return lambda: KERNELS["reduce"](None, *blocks, **told)

    return asked


def together(monoid: str, made: list[Any]) -> Any:
    """States of the leaves of several formulas, along columns."""

    def asked(*blocks: np.ndarray) -> Any:
        kind = blocks[0].dtype.str[1:]
        parts = [part(monoid, blocks[0].shape, (0,), kind, one) for one in made]
        return lambda: KERNELS["reductions"](None, *blocks, parts=parts)

    return asked


def folds(every: bool = False) -> None:
    """Leaves of columns, rows and bricks; of one formula and of several."""
    for monoid, dtype in FOLDS if every else FOLDS[2:3]:
        for number, kept in enumerate(COLUMNS):
            for n in (ROWS[number % len(ROWS)], ROWS[(3 * number + 1) % len(ROWS)]):
                check(reduced(monoid, (0,)), cells_of(RANDOM, dtype, (n, kept)))
        for shape, axes in LAYOUTS:
            check(reduced(monoid, axes), cells_of(RANDOM, dtype, shape))
        turned = cells_of(RANDOM, dtype, (9, 40, 1030)).transpose(1, 2, 0)
        check(reduced(monoid, (0, 1)), turned)
    for monoid, dtype in FOLDS[1:3] if every else FOLDS[1:2]:
        kinds = [("multiply", 0, 1), ("add", 1, 0), ("subtract", 0, 1), ("multiply", 0, 0)]
        made = [formula(*kinds[i % 4], dtypes=(dtype, dtype)) for i in range(37)]
        for count, shape in SEVERAL:
            blocks = [cells_of(RANDOM, dtype, shape) for _ in range(2)]
            check(together(monoid, made[:count]), *blocks)
        for shape, axes in LAYOUTS:
            blocks = [cells_of(RANDOM, dtype, shape) for _ in range(2)]
            check(reduced(monoid, axes, made[0]), *blocks)


def calls(every: bool = False) -> None:
    """Formulas in any layout, scans, and kernels that pick, place, count and order cells."""
    for cells, phrases in CALLS:
        for phrase in phrases:
            if every or phrase not in AT_NIGHT:
                check(public(phrase), cells)


def some() -> None:
    """A few of both; what calls also fold is left to the interpreter, as it is compiled before."""
    folds()
    with patch.object(leaf_states, "compiled", lambda *_: None):
        calls()


def public(phrase: str) -> Any:
    """What the library makes of x, in one block."""

    def asked(cells: np.ndarray) -> Any:
        made = eval(phrase, {"dt": dt, "x": dt.asarray(cells), "places": PLACES})
        return dt.plan(made, resources=dt.Resources(workers=1, threads=1)).compute

    asked.__name__ = phrase
    return asked


def overrun() -> None:
    """A kernel that writes one cell too many: this ends the process."""
    source = (
        "import numpy as np\nfrom numba import carray, njit\n"
        "from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer\n\n\n"
        "@njit('void(int64, int64, int64)', nogil=True)\ndef kernel(n, inputs, out):\n"
        "    carray(pointer(out), (n + 1,), np.float64)[n] = 1\n"
    )
    out = array(100)
    compiled_here(source, 3, "an overrun")(100, 0, out.ctypes.data)


GROUPS = {
    "some": some, "every fold": partial(folds, True), "every call": partial(calls, True),
    "overrun": overrun,
}  # fmt: skip


if __name__ == "__main__":
    compiled_functions.reserve = reserve  # before what calls it is imported
    compiler.set_options()
    with dask.config.set(scheduler="sync"):
        GROUPS[sys.argv[1]]()
    print(f"{len(KERNELS_HERE)} kernels, {len(ROOMS)} rooms")
