"""Floating-point errors of a formula: its steps by NumPy's own loops, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells import compiled_formulas
from dask_tapestry_kernels.cpu.cells.untold_errors import (
    StepsToTell,
    Text,
    constant_of,
    is_within_domain,
    never_met,
    steps_to_tell,
)
from dask_tapestry_kernels.floating_point import (
    KINDS,
    FpErrorCheck,
    Untold,
    checking_fp_errors,
    kinds_of,
    telling,
    untold,
)
from dask_tapestry_kernels.formulas.function_table import (
    ANY,
    FAR,
    INTEGER_DIVISIONS,
    INVALID,
    facts_of,
    is_quiet_step,
)
from dask_tapestry_kernels.formulas.scalar_codegen import is_elementary
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
            exponent = constant_of(expression, step.operands[1])
            if step.dtype.kind == "f" and exponent is not None and exponent >= 0:
                continue
            value = step.operands[0]
        else:
            continue
        if not constant_of(expression, value):
            silent_steps.append(value)
    return tuple(silent_steps)


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
        if number in invalid and not _is_far(expression, step):
            return False
    return _stays_finite(expression)


def _is_far(expression: Any, step: Any) -> bool:
    """Whether only infinite operands make a step invalid."""
    if step.function in ("remainder", "fmod", "floor_divide"):
        return bool(constant_of(expression, step.operands[1]))
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
    if "invalid" in never_met(expression, step):
        return True
    return facts_of(step.function).errors not in (FAR, ANY)


def tell_errors(
    expression: Any, blocks: Sequence[Block], tiles: Iterable[Any], suspicion: FpErrorCheck
) -> None:
    """Compute the tiles of a formula's cells again, so that those that listen are told of errors.

    What they have been told is not computed again.
    """
    finite = False
    if suspicion.may_be_of_nans:
        if is_valid(expression, blocks):
            return  # to compare a NaN raises a flag and is no error
        finite = _stays_finite(expression) and are_finite_or_nan(blocks)
    exact = not suspicion.always and _shows_kinds(expression)
    kinds = kinds_of(suspicion.flags) if exact else ALL_KINDS
    for tile in tiles:
        steps = steps_to_tell(expression, untold(kinds), finite)
        if not any(steps.computed):
            return
        _tell_errors_of(expression, [block[tile] for block in blocks], steps, untold(kinds))


@lru_cache(maxsize=1024)
def _stays_finite(expression: Any) -> bool:
    """Whether values of finite cells are finite unless another flag than of invalid ones tells."""
    return not any(
        facts_of(step.function).poles == INVALID
        or (step.function == "constant" and _is_infinite(expression.constant(step)))
        for step in expression.steps
    )


def _is_infinite(number: Any) -> bool:
    return np.asarray(number).dtype.kind in "fc" and bool(np.isinf(number))


@lru_cache(maxsize=1024)
def _shows_kinds(expression: Any) -> bool:
    """Whether compiled code raises a flag of each kind of error that NumPy would tell."""
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    return all(dtype.kind in "biuf" for dtype in dtypes) and not _silent_at_zero(expression)


def _tell_errors_of(
    expression: Any, cells: Sequence[Block], steps: StepsToTell, wanted: Untold
) -> None:
    """Run the steps that may tell what nobody has told yet, by NumPy's loops.

    A function of our own comes first: NumPy's is called where that raises such a flag.
    """
    values: list[Any] = list(cells)
    with telling():
        for step, computed, read, told in zip(expression.steps, *steps, strict=True):
            operands = [values[i] for i in step.operands] if computed else []
            if not computed:
                values.append(None)
            elif step.function == "constant":
                values.append(expression.constant(step))
            elif not read and is_within_domain(step.function, operands, wanted):
                values.append(None)
            elif _is_ours(step, operands):
                values.append(_by_our_function(step, operands, told, wanted))
            else:
                values.append(_numpys(step.function, step.dtype)(*operands))


def _is_ours(step: Any, operands: Sequence[Any]) -> bool:
    """Whether a function of our own has these cells, and tells what it suspects."""
    return (
        all(x.dtype == step.dtype and x.ndim for x in operands)
        and step.dtype.kind == "f"
        and step.function not in POWERS
        and is_elementary(step.function, step.dtype)
    )


def _by_our_function(
    step: Any, operands: Sequence[Any], told: Sequence[Text], wanted: Untold
) -> Block:
    """The value of a step, of whose errors NumPy tells where they are suspected."""
    value = np.empty(operands[0].shape, step.dtype)
    with checking_fp_errors(always=True) as suspicion:
        compiled_formulas.apply(step.function, value, *operands)
    flags = ALL_KINDS if suspicion is None else kinds_of(suspicion.flags)
    suspected = "under" in wanted.kinds or any(text.shown in flags for text in told)
    if suspected and not is_within_domain(step.function, operands, wanted):
        with telling():
            _numpys(step.function, step.dtype)(*operands)
    return value


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
