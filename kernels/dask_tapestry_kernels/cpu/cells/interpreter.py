"""The tile interpreter: a cell expression run step by step over tiles that stay in cache.

Over a whole block each step would write an array as large as the block; over a tile of 32 k cells
the intermediate values stay in the second-level cache. An expression of one parameter that has few
values (bool, int8, uint8) is tabulated once and looked up: uint8 -> float16 / 255 runs at
1.58 Gcell/s a thread against .06 by NumPy's own float16 steps, with the same bits by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.cells import compiled_formulas, formula_errors
from dask_tapestry_kernels.cpu.cells.reproducible_ufuncs import EXACT, is_exact
from dask_tapestry_kernels.floating_point import checking_fp_errors, suspect
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.function_table import INTEGER_DIVISIONS, facts_of
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]
Tile = tuple[Any, ...]  # slices, then an Ellipsis
Apply = Callable[..., None]
Call = tuple[Apply, tuple[int, ...], int, int, np.dtype[Any]]

TILE_CELLS: Final = 32_768
COMPILED_FROM: Final = 8_192  # cells; below, tiles take no longer than finding the compiled way
PAIRS: Final = {1: np.uint16, 2: np.uint32, 4: np.uint64, 8: np.complex128}  # twice as many bytes
PAIRS_FROM: Final = 1_048_576  # cells; below, a table of 65,536 pairs costs more than it saves
# Single functions that NumPy has no vector loop of: where(b, x, y) of 1 M float64 takes it 8.5 ms
# of a thread and 1.9 compiled, heaviside 3.1 times as long, gcd 4 times
SLOW: Final = frozenset("where heaviside gcd lcm".split())
TABLE_FROM: Final = 4_096  # cells; below, a table of 256 entries costs more than it saves


def evaluate(out: Block | None, *blocks: Block, expression: Any) -> Block:
    """Evaluate a cell expression on blocks of one shape, one for each of its parameters.

    The result has the shape of the blocks and the dtype of the expression. Whoever listens is told
    what goes wrong (`floating_point`).
    """
    result = np.empty(blocks[0].shape, expression.dtype) if out is None else out
    if not result.size:
        return result
    with checking_fp_errors(needless=formula_errors.is_quiet(expression)) as suspicion:
        _evaluate(result, blocks, expression)
    if suspicion is not None and (
        suspicion.raised or formula_errors.may_be_silent(expression, blocks)
    ):
        formula_errors.tell_errors(expression, blocks, tiles(result.shape), suspicion)
    return result


def _evaluate(result: Block, blocks: Sequence[Block], expression: Any) -> None:
    calls, constants = _calls(expression), _constants(expression)
    gains = result.size >= COMPILED_FROM and _gains(expression, result, blocks)
    if gains and compiled_formulas.run(expression, result, blocks):
        return
    has_table = _has_table(blocks) and not _is_cheap(expression)
    if has_table and (table := _table(expression)) is not None:
        suspect(table.flags)
        _table_lookup(result, blocks[0], expression)
    elif _is_one_tile(calls, result) and all(map(_runs_forward, blocks)):
        _run(calls, constants, blocks, result, {})
    else:
        buffers: dict[tuple[int, Any], Block] = {}
        for tile in tiles(result.shape):
            _run_tile(calls, constants, [b[tile] for b in blocks], result[tile], buffers)


def _is_one_tile(calls: Sequence[Call], result: Block) -> bool:
    """Whether a result is computed at once: it has few cells, or nothing else need be held."""
    return result.flags.c_contiguous and (len(calls) == 1 or result.size <= TILE_CELLS)


def _gains(expression: Any, result: Block, blocks: Sequence[Block]) -> bool:
    """Whether a compiled formula is faster than one NumPy loop through memory."""
    steps = _functions(expression)
    in_order = result.flags.c_contiguous and all(b.flags.c_contiguous for b in blocks)
    if len(steps) > 1 or not in_order or steps == ["cast"]:
        return True
    slow = steps[-1] in SLOW or _divides_integers(steps[-1], blocks[-1])
    return slow or _is_ours(steps[-1], blocks[-1])


def _functions(expression: Any) -> list[str]:
    """The functions of the steps that compute."""
    return [step.function for step in expression.steps if step.function != "constant"]


def _is_cheap(expression: Any) -> bool:
    """Whether one fast loop of NumPy's computes all: uint8 + 1 takes .1 ns a cell, a table 1.2."""
    function, *others = _functions(expression) or ["constant"]
    return not others and function != "cast" and facts_of(function).cost == 1


def _divides_integers(function: str, block: Block) -> bool:
    """Whether a function divides cells of a block that are integers: NumPy's loop is slow."""
    return function in INTEGER_DIVISIONS and block.dtype.kind in "iu"


def _is_ours(function: str, block: Block) -> bool:
    """Whether a function of the cells of a block is our own, not a loop of NumPy."""
    formula = EXACT.get(function)
    exact = formula is not None and is_exact(formula, block.dtype)
    return exact or scalar_codegen.is_elementary(function, block.dtype)


def _run_tile(
    calls: tuple[Call, ...],
    constants: Mapping[int, Any],
    blocks: Sequence[Block],
    result: Block,
    buffers: dict[tuple[int, Any], Block],
) -> None:
    """Run on cells that lie in order: bits must not depend on how cells lie.

    NumPy leaves its vector loops for operands that run backwards, and then gives other bits; and
    its `isfinite`, `isinf`, `isnan` and `signbit` miss cells of a strided result (2.4, AVX-512).
    """
    operands = [b if _runs_forward(b) else np.ascontiguousarray(b) for b in blocks]
    if result.flags.c_contiguous:
        _run(calls, constants, operands, result, buffers)
        return
    in_order = np.empty(result.shape, result.dtype)
    _run(calls, constants, operands, in_order, buffers)
    result[...] = in_order


def _runs_forward(block: Block) -> bool:
    return all(stride >= 0 for stride in block.strides)


def tiles(shape: tuple[int, ...], cells: int = TILE_CELLS) -> Iterator[Tile]:
    """Boxes of at most `cells` cells that tile `shape` in C order, trailing dimensions whole.

    They end in an Ellipsis, so that even of one cell they select an array that can be written to.
    """
    axis = len(shape)
    while axis and prod(shape[axis - 1 :]) <= cells:
        axis -= 1
    if axis == 0:
        yield (*(slice(None),) * len(shape), ...)
        return
    step = max(1, cells // prod(shape[axis:]))
    rest = (slice(None),) * (len(shape) - axis)
    for lead in np.ndindex(shape[: axis - 1]):
        head = tuple(slice(i, i + 1) for i in lead)
        for start in range(0, shape[axis - 1], step):
            yield (*head, slice(start, start + step), *rest, ...)


@lru_cache(maxsize=512)
def _calls(expression: Any) -> tuple[Call, ...]:
    """The steps that compute: function, operands, own value, buffer slot, dtype.

    Slots are reused as soon as the value in them is dead; -1 is the result itself.
    """
    count = len(expression.parameters)
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    steps, last = _computing(expression)
    last_use = {i: number for number, step in steps for i in step.operands}
    free: dict[Any, list[int]] = {}
    slots: dict[int, int] = {}
    calls: list[Call] = []
    for number, step in steps:
        if step.function == "constant":
            continue
        value, is_last = count + number, number == last
        reusable = free.setdefault(step.dtype, [])
        slot = -1 if is_last else reusable.pop() if reusable else len(calls)
        slots[value] = slot
        operand = dtypes[step.operands[-1]] if step.operands else step.dtype
        function = _function(step.function, operand)
        calls.append((function, step.operands, value, slot, step.dtype))
        for i in set(step.operands):
            if last_use[i] == number and i in slots:
                free[expression.steps[i - count].dtype].append(slots[i])
    return tuple(calls)


def _computing(expression: Any) -> tuple[list[tuple[int, Any]], int]:
    """The steps with their numbers, without casts of a step's value to its own dtype; the last one.

    Casts of parameters and constants stay, which may be the result.
    """
    count = len(expression.parameters)
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    same: dict[int, int] = {}
    computed: dict[int, Any] = {}
    for number, step in enumerate(expression.steps):
        operands = tuple(same.get(i, i) for i in step.operands)
        idle = step.function == "cast" and dtypes[operands[0]] == step.dtype
        before = computed.get(operands[0] - count) if idle else None
        if before is not None and before.function != "constant":
            same[count + number] = operands[0]
        else:
            computed[number] = step._replace(operands=operands)
    result = count + len(expression.steps) - 1
    return list(computed.items()), same.get(result, result) - count


def _constants(expression: Any) -> Mapping[int, Any]:
    """The scalars of an expression, by the number of the value; objects are made for each call."""
    if any(step.dtype.hasobject for step in expression.steps):
        return _made_constants(expression)
    return _known_constants(expression)


@lru_cache(maxsize=512)
def _known_constants(expression: Any) -> Mapping[int, Any]:
    return _made_constants(expression)


def _made_constants(expression: Any) -> Mapping[int, Any]:
    count = len(expression.parameters)
    return {
        count + number: expression.constant(step)
        for number, step in enumerate(expression.steps)
        if step.function == "constant"
    }


def _run(
    calls: Sequence[Call],
    constants: Mapping[int, Any],
    blocks: Sequence[Block],
    result: Block,
    buffers: dict[tuple[int, Any], Block],
) -> None:
    values: dict[int, Any] = {**dict(enumerate(blocks)), **constants}
    for apply, operands, value, slot, dtype in calls:
        if slot < 0:
            target = result
        else:
            if (slot, dtype) not in buffers:  # the first tile is the largest
                buffers[slot, dtype] = np.empty(result.size, dtype)
            target = buffers[slot, dtype][: result.size].reshape(result.shape)
        apply(target, *[values[i] for i in operands])
        values[value] = target


# Of objects they have two loops: one yields booleans, the other what the objects say.
COMPARED: Final = frozenset("equal not_equal less less_equal greater greater_equal".split())


@lru_cache(maxsize=256)
def _function(name: str, operand: np.dtype[Any]) -> Apply:
    """The function `name` of cells of a dtype as one that writes into its first argument."""
    if scalar_codegen.is_elementary(name, operand):
        return partial(compiled_formulas.apply, name)
    if name == "cast":
        return _cast
    if name == "where":
        return _where
    if name in ("real", "imag"):
        return lambda target, x: np.copyto(target, getattr(x, name))
    if name == "complex":
        return _complex
    base, _, output = name.partition(".")
    ufunc = EXACT.get(base) or getattr(np, base)
    if output:
        place = int(output)
        return lambda target, *xs: np.copyto(target, ufunc(*xs)[place])

    def apply(target: Block, *operands: Any) -> None:
        if target.dtype.kind == "O" and base in COMPARED:
            ufunc(*operands, out=target, dtype=target.dtype)
        else:
            ufunc(*operands, out=target)

    return apply


def _cast(target: Block, x: Any) -> None:
    """Convert; to uint32 by way of int64, as NumPy's vector loop and its scalar one disagree.

    That imaginary parts are lost is told where the array is built.
    """
    if x.dtype.kind == "c" and target.dtype.kind in "iuf":
        x = x.real
    if target.dtype == np.uint32 and x.dtype.kind == "f":
        x = x.astype(np.int64)
    np.copyto(target, x, casting="unsafe")


def _complex(target: Block, real: Any, imag: Any) -> None:
    target.real, target.imag = real, imag


def _where(target: Block, condition: Any, x: Any, y: Any) -> None:
    np.copyto(target, y)
    np.copyto(target, x, where=condition)


def _has_table(blocks: Sequence[Block]) -> bool:
    return (
        len(blocks) == 1
        and blocks[0].dtype.itemsize == 1
        and blocks[0].dtype.kind in "biu"
        and blocks[0].size >= TABLE_FROM
    )


class _ByteTable(NamedTuple):
    """Results for every value of a byte, and what flags to compute them has raised."""

    cells: Block
    flags: int


@lru_cache(maxsize=64)
def _table(expression: Any) -> _ByteTable | None:
    """Results for every value of the only parameter, by the value's byte.

    None if some value has no result, such as an integer to a negative power.
    """
    every = np.arange(256, dtype=np.uint8)
    if expression.parameters[0].kind == "b":
        every = (every != 0).view(np.uint8)
    table = np.empty(256, expression.dtype)
    cells = every.view(expression.parameters[0])
    try:
        with checking_fp_errors(always=True) as suspicion:
            _run(_calls(expression), _constants(expression), [cells], table, {})
    except ValueError:
        return None
    return _ByteTable(table, 0 if suspicion is None else suspicion.flags)


@lru_cache(maxsize=16)
def _pair_table(expression: Any) -> Block | None:
    """Results for every two neighbouring bytes, a pair as one cell; None if there is no such cell.

    Two cells at a time are looked up at 1.58 instead of .78 Gcell/s (uint8 to float16, a thread).
    """
    table = _table(expression)
    double = None if table is None else PAIRS.get(table.cells.dtype.itemsize)
    if table is None or double is None:
        return None
    codes = np.arange(65_536, dtype=np.uint16).view(np.uint8)
    return table.cells[codes].view(double)


def _table_lookup(result: Block, block: Block, expression: Any) -> None:
    codes = block.view(np.uint8)
    found = _table(expression)
    assert found is not None
    table = found.cells
    pairs = _pair_table(expression) if block.size >= PAIRS_FROM else None
    for tile in tiles(block.shape):
        source, target = codes[tile], result[tile]
        if not target.flags.c_contiguous:
            target[...] = table[source]
        elif pairs is not None and source.flags.c_contiguous and source.size % 2 == 0:
            two, four = source.reshape(-1).view(np.uint16), target.reshape(-1).view(pairs.dtype)
            np.take(pairs, two, out=four, mode="clip")
        else:
            np.take(table, source, out=target, mode="clip")


KERNELS: Final[dict[str, Kernel]] = {
    "map": evaluate,
}
