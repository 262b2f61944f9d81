"""Floating-point errors of a formula: its steps by NumPy's own loops, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells import compiled_formulas
from dask_tapestry_kernels.cpu.cells.untold_errors import is_within_domain, steps_to_tell
from dask_tapestry_kernels.floating_point import (
    KINDS,
    FpErrorCheck,
    checking_fp_errors,
    kinds_of,
    telling,
    untold,
)
from dask_tapestry_kernels.formulas.function_table import (
    ANY,
    FAR,
    INTEGER_DIVISIONS,
    facts_of,
    is_quiet_step,
)
from dask_tapestry_kernels.unread_cells import in_memory, is_unread

Block = np.ndarray[Any, Any]
ALL_KINDS: Final = frozenset(KINDS)
POWERS: Final = frozenset({"power", "float_power"})


@lru_cache(maxsize=1024)
def is_quiet(expression: Any) -> bool:
    """Whether no cells of its parameters make a formula err."""
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    return all(
        is_quiet_step(step.function, [dtypes[i] for i in step.operands], step.dtype)
        for step in expression.steps
    )


def may_be_silent(expression: Any, blocks: Sequence[Block]) -> bool:
    """Whether something may have gone wrong that raises no flag of the processor.

    Integers divided by 0 raise none where they are compiled; nor need powers of 0.
    """
    return any(
        x >= len(blocks) or not in_memory(blocks[x]).all() for x in _silent_at_zero(expression)
    )


@lru_cache(maxsize=1024)
def _silent_at_zero(expression: Any) -> tuple[int, ...]:
    """Values that may be 0 where that raises no flag: divisors of integers, bases of powers."""
    silent_steps = []
    for step in expression.steps:
        if step.function in INTEGER_DIVISIONS and step.dtype.kind in "iu":
            value = step.operands[1]
        elif step.function in POWERS and step.dtype.kind in "fc":
            exponent = _constant(expression, step.operands[1])
            if step.dtype.kind == "f" and exponent is not None and exponent >= 0:
                continue
            value = step.operands[0]
        else:
            continue
        if not _constant(expression, value):
            silent_steps.append(value)
    return tuple(silent_steps)


def _constant(expression: Any, value: int) -> Any:
    """The number that a value is for all cells, or None."""
    place = value - len(expression.parameters)
    step = expression.steps[place] if place >= 0 else None
    if step is None or step.function != "constant":
        return None
    return expression.constant(step)


def is_valid(expression: Any, blocks: Sequence[Any]) -> bool:
    """Whether NumPy calls no value of a formula invalid, of which no other error is suspected.

    Where no cell is infinite, none becomes so without another flag. Blocks are looked at if they
    are read.
    """
    if not _may_be_invalid(expression):
        return True
    return _is_valid_if_finite(expression) and are_finite_or_nan(blocks)


def are_finite_or_nan(blocks: Sequence[Any]) -> bool:
    """Whether blocks are read and hold no infinite cell."""
    return not any(is_unread(x) or (x.dtype.kind in "fc" and np.isinf(x).any()) for x in blocks)


@lru_cache(maxsize=1024)
def _is_valid_if_finite(expression: Any) -> bool:
    """Whether only infinite cells may make a value invalid."""
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    if any(dtype.kind not in "biuf" for dtype in dtypes):
        return False
    first, invalid = len(expression.parameters), _may_be_invalid(expression)
    for number, step in enumerate(expression.steps, first):
        if step.function == "constant" and np.isinf(expression.constant(step)):
            return False
        if number in invalid and not _is_far(expression, step):
            return False
    return True


def _is_far(expression: Any, step: Any) -> bool:
    """Whether only infinite operands make a step invalid."""
    if step.function in ("remainder", "fmod", "floor_divide"):
        return bool(_constant(expression, step.operands[1]))
    return facts_of(step.function).errors == FAR


@lru_cache(maxsize=1024)
def _may_be_invalid(expression: Any) -> frozenset[int]:
    """The values of a formula that NumPy may call invalid."""
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    first = len(expression.parameters)
    return frozenset(
        first + number
        for number, step in enumerate(expression.steps)
        if not _is_valid(expression, step, [dtypes[i] for i in step.operands])
    )


def _is_valid(expression: Any, step: Any, operands: Sequence[np.dtype[Any]]) -> bool:
    if any(dtype.kind not in "biuf" for dtype in (*operands, step.dtype)):
        return False
    if step.function == "cast":
        return step.dtype.kind in "fb" or operands[0].kind in "biu"
    if step.function in ("add", "subtract", "multiply", "divide", "true_divide"):
        numbers = [_constant(expression, x) for x in step.operands]
        return any(x is not None and x != 0 and np.isfinite(x) for x in numbers)
    return facts_of(step.function).errors not in (FAR, ANY)


@lru_cache(maxsize=1024)
def _shows_invalid(expression: Any) -> bool:
    """Whether the formula's value is NaN wherever NumPy would call a value of it invalid."""
    first = len(expression.parameters)
    reaching, shown = {first + len(expression.steps) - 1}, set[int]()
    for number, step in reversed([*enumerate(expression.steps, first)]):
        keeps = facts_of(step.function).keeps_nan or step.function == "cast"
        if number in reaching and keeps and step.dtype.kind == "f":
            shown.add(number)
            reaching.update(step.operands)
    return _may_be_invalid(expression) <= shown


def tell_errors(
    expression: Any,
    blocks: Sequence[Block],
    result: Block,
    tiles: Iterable[Any],
    suspicion: FpErrorCheck,
) -> None:
    """Compute the cells of `result` again by NumPy, which tells those that listen of errors.

    What they have been told is not computed again.
    """
    looks = not suspicion.may_be_of_nans
    if not looks and is_valid(expression, blocks):
        return  # to compare a NaN raises a flag and is no error
    exact = not suspicion.always and _shows_kinds(expression)
    kinds = kinds_of(suspicion.flags) if exact else ALL_KINDS
    for tile in tiles:
        if not any(steps_to_tell(expression, untold(kinds)).computed):
            return
        cells = [block[tile] for block in blocks]
        if looks:
            _by_numpy(expression, cells, kinds)
        else:
            _tell_nan_errors(expression, cells, np.ravel(result[tile]), kinds)


@lru_cache(maxsize=1024)
def _shows_kinds(expression: Any) -> bool:
    """Whether compiled code raises a flag of each kind of error that NumPy would tell."""
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    return all(dtype.kind in "biuf" for dtype in dtypes) and not _silent_at_zero(expression)


def _tell_nan_errors(
    expression: Any, cells: Sequence[Block], result: Block, kinds: frozenset[str]
) -> None:
    """Tell the errors of cells with NaNs apart from those of the others.

    Those of NaNs are computed by NumPy; the others only if they made a NaN, where a formula shows
    what is invalid by it, or if compiled code raises a flag for them too.
    """
    rows = [np.ravel(x) for x in cells]
    lost = _with_nan(rows)
    if lost.all() or not lost.any():
        _by_numpy(expression, cells, kinds)
        return
    _tell_errors_at(lost, expression, rows, kinds)
    if _shows_invalid(expression) and not (np.isnan(result) & ~lost).any():
        return
    others = _replaced(lost, rows)
    room = np.empty(lost.shape, expression.dtype)
    with checking_fp_errors() as suspicion:
        done = compiled_formulas.run(expression, room, others)
    if not done or suspicion is None or suspicion.raised:
        _by_numpy(expression, others, ALL_KINDS)


def tell_apart_from_nans(expression: Any, cells: Sequence[Block]) -> list[Block]:
    """Tell the errors of cells with NaNs; blocks with other cells, of their own, in their place."""
    lost = _with_nan(cells)
    if not lost.any():
        return list(cells)
    if expression is not None:
        _tell_errors_at(lost, expression, cells, ALL_KINDS)
    return _replaced(lost, cells)


def _tell_errors_at(
    lost: Block, expression: Any, cells: Sequence[Block], kinds: frozenset[str]
) -> None:
    """Tell the errors of some cells. Of one operand all NaNs are alike."""
    one = len(cells) == 1
    places = np.unravel_index(np.argmax(lost), lost.shape) if one else np.nonzero(lost)
    _by_numpy(expression, [np.atleast_1d(x[places]) for x in cells], kinds)


def _replaced(lost: Block, cells: Sequence[Block]) -> list[Block]:
    first = np.unravel_index(np.argmin(lost), lost.shape)
    numbers = [x.dtype.type(0.5 if x.dtype.kind in "fc" else 1) for x in cells]
    if not lost[first]:
        numbers = [x[first] for x in cells]
    return [np.where(lost, number, x) for number, x in zip(numbers, cells, strict=True)]


def _with_nan(cells: Sequence[Block]) -> Block:
    """Where one of these holds a NaN."""
    lost = np.zeros(cells[0].shape, np.bool_)
    for x in cells:
        if x.dtype.kind in "fc":
            lost |= np.isnan(x)
    return lost


def _by_numpy(expression: Any, cells: Sequence[Block], kinds: frozenset[str]) -> None:
    values: list[Any] = list(cells)
    wanted = untold(kinds)
    steps = steps_to_tell(expression, wanted)
    with telling():
        for step, computed, read in zip(expression.steps, *steps, strict=True):
            operands = [values[i] for i in step.operands] if computed else []
            if not computed:
                values.append(None)
            elif step.function == "constant":
                values.append(expression.constant(step))
            elif not read and is_within_domain(step.function, operands, wanted):
                values.append(None)
            else:
                values.append(_numpys(step.function, step.dtype)(*operands))


def _numpys(name: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
    """NumPy's function of that name; of ours that NumPy lacks nothing is known to fail."""
    if name == "cast":
        return lambda x: _cast(np.asarray(x), dtype)
    if name in ("real", "imag"):
        return lambda x: getattr(x, name)
    if name == "complex":
        return lambda real, imag: _complex(real, imag, dtype)
    base, _, output = name.partition(".")
    function = getattr(np, base, None)
    if function is None:
        return lambda x, *_: np.zeros(np.shape(x), dtype)
    return (lambda *xs: function(*xs)[int(output)]) if output else function


def _complex(real: Any, imag: Any, dtype: np.dtype[Any]) -> Block:
    made = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), dtype)
    made.real, made.imag = real, imag
    return made


def _cast(x: Block, dtype: np.dtype[Any]) -> Block:
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = x.real
    return x.astype(dtype)
