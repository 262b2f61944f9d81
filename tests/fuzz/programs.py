"""Running a random program with NumPy and with this library, under several shardings."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import dask
import numpy as np

import dask_tapestry as dt
from tests.fuzz.operations import OPERATIONS, Step
from tests.fuzz.values import DTYPES, ROUNDING, Value, cells, differs, is_whole, shape

LENGTH = 10  # operations of a program
MOST_DRAWS = 4  # for each, as some are not defined for the values at hand
MOST_CELLS = 2000
PRODUCTS = ("matmul", "outer", "dot", "tensordot", "vdot", "einsum")
FUSED = ("multiply", "square", "divide", "reciprocal")  # NumPy fuses those of complex numbers
COMPARED = ("isin", "searchsorted", "setdiff1d", "intersect1d", "union1d")
SHARDINGS = ((8, 1, 1), (60, 1, 2), (1000, 3, 1))
KINDS: tuple[type[Exception], ...] = (
    IndexError, ValueError, TypeError, OverflowError, ZeroDivisionError, MemoryError,
)  # fmt: skip


class Mismatch(AssertionError):
    """Ours and NumPy's differ."""


def kind_of(error: Exception) -> type[Exception]:
    """The builtin that a NumPy user would catch."""
    return next((kind for kind in KINDS if isinstance(error, kind)), type(error))


def quietly(call: Any, *args: Any) -> Any:
    """The value of a call, or its error; warnings stay silent."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*args)
        except Exception as error:
            return error


def cut(random: Random, x: Any) -> Any:
    """Fix the layout of an array, or leave it to the plan."""
    if random.random() < 0.6 or not x.ndim:
        return x
    return x.rechunk(tuple(random.randint(1, max(1, n)) for n in x.shape))


def trusted(step: Step, operands: list[Value], result: np.ndarray) -> bool:
    """Whether the result's bits must be NumPy's."""
    exact = all(v.exact for v in operands)
    if result.dtype.kind == "c" and step.text.startswith(FUSED):
        return exact and all(is_whole(x) for x in (result, *[v.theirs for v in operands]))
    if step.trust == "rounded":
        return result.dtype.kind not in "fc"
    if step.trust == "fold":
        return exact and all(is_whole(v.theirs) for v in operands) and is_whole(result)
    return exact


def rounding(step: Step, operands: list[Value], result: np.ndarray) -> float:
    """How far ours may be from NumPy's: as the coarsest value on the way to it."""
    if trusted(step, operands, result):
        return 0.0
    kinds = [result, *[v.theirs for v in operands]]
    own = [ROUNDING.get(x.dtype.str[1:], 1e-9) for x in kinds]
    return max(*own, *[v.rounding for v in operands])


def may_run(step: Step, operands: list[Value]) -> bool:
    """Whether the operands are known well enough for it, and NumPy defines what it does."""
    if any(v.theirs.dtype.kind in "mM" for v in operands) and step.text.startswith(PRODUCTS):
        return False  # NumPy's products of times disagree among themselves; ours refuse them all
    if step.text.startswith(PRODUCTS) and not all(_is_finite(v.theirs) for v in operands):
        return False  # BLAS takes zero times infinity for zero here and there
    if step.text.startswith(COMPARED) and not _are_comparable(*[v.theirs for v in operands]):
        return False
    kind = operands[0].theirs.dtype.kind
    if step.text.startswith(("histogram", "digitize", "interp")) and kind in "cmM":
        return False  # NumPy finds some order of these and numbers; ours refuses them
    if step.text.startswith(("median", "quantile")) and not operands[0].theirs.size:
        return kind not in "bmM"  # of two errors NumPy raises the other
    if step.trust == "assign" and not (operands[0].theirs.size and operands[1].theirs.size):
        return False  # NumPy lets some shapes pass where nothing is assigned
    if step.trust == "assign" and operands[0].theirs.dtype.kind in "iub":
        return operands[1].theirs.dtype.kind in "biu"  # floats out of range mean anything
    if step.trust == "cast":
        return all(
            v.exact and (v.theirs.dtype.kind not in "fc" or bool(np.all(np.abs(v.theirs) < 100)))
            for v in operands
        )
    if step.trust in ("jump", "rounded"):
        return all(v.exact for v in operands)
    return True


def run(random: Random, length: int = LENGTH) -> list[str]:
    """Draw a program, run it and compare; return its text.

    Raises
    ------
    Mismatch
        With the program and how the results differ.
    """
    text: list[str] = []
    pool = [_input(random, text) for _ in range(2)]
    draws, weights = list(OPERATIONS), list(OPERATIONS.values())
    done = 0
    for _ in range(MOST_DRAWS * length):
        if done == length:
            break
        operands = [random.choice(pool[-3:]), random.choice(pool)]
        (draw,) = random.choices(draws, weights)
        step = draw(random, [v.theirs for v in operands])
        if not may_run(step, operands):
            continue
        done += 1
        theirs = quietly(step.call, np, *[v.theirs for v in operands])
        names = [_name(pool, v) for v in operands]
        text.append(f"v{len(pool)} = {step.text}  with x, y = {', '.join(names)}")
        ours = quietly(step.call, dt, *[v.ours for v in operands])
        if isinstance(theirs, Exception):
            _same_error(random, ours, theirs, text)
            continue
        result = np.asarray(theirs)
        if isinstance(ours, Exception):
            _report(text, f"{type(ours).__name__}: {ours}; NumPy has {result!r}")
        if result.size > MOST_CELLS or result.ndim > 6 or result.dtype.hasobject:
            continue
        _same_type(ours, result, text)
        if step.trust == "fold" and _overflows(operands, result):
            continue  # where on the way depends on the order
        pool.append(Value(result, cut(random, ours), rounding(step, operands, result)))
    _compare(random, pool, text)
    return text


def _are_comparable(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether NumPy compares cells of both: times depend on sizes, large integers lose digits."""
    if x.dtype.kind in "mM" or y.dtype.kind in "mM":
        return x.dtype.kind == y.dtype.kind
    wide = [v for v in (x, y) if v.dtype.kind in "iu" and v.size]
    exact = all(np.abs(v.astype(float)).max() < 2**53 for v in wide)
    return exact or np.result_type(x, y).kind not in "fc"


def _is_finite(x: np.ndarray) -> bool:
    return x.dtype.kind not in "fc" or bool(np.isfinite(x).all())


def _overflows(operands: list[Value], result: np.ndarray) -> bool:
    if result.dtype.kind not in "fc":
        return False
    inputs = [v.theirs for v in operands if v.theirs.dtype.kind in "biufc"]
    return not np.isfinite(result).all() and all(np.isfinite(x).all() for x in inputs)


def _name(pool: list[Value], value: Value) -> str:
    return next(f"v{n}" for n, v in enumerate(pool) if v is value)


def _input(random: Random, text: list[str]) -> Value:
    made = cells(random, shape(random), random.choice(DTYPES))
    text.append(f"v{len(text)} = {made!r}")
    return Value(made, cut(random, dt.asarray(made)))


def _same_error(random: Random, ours: Any, theirs: Exception, text: list[str]) -> None:
    """What NumPy refuses is refused, when it is written or when it is computed, in the same way."""
    if isinstance(theirs, NotImplementedError | AttributeError):
        return
    if isinstance(ours, dt.Array):
        if not ours.bound.type.size:
            return  # no cell is computed
        ours = quietly(ours.compute)
    text[-1] += f"  # NumPy: {type(theirs).__name__}: {theirs}"
    if not isinstance(ours, Exception) or kind_of(ours) is not kind_of(theirs):
        shown = f"{type(ours).__name__}: {ours}" if isinstance(ours, Exception) else repr(ours)
        _report(text, f"{shown}; NumPy raises {type(theirs).__name__}: {theirs}")


def _same_type(ours: Any, result: np.ndarray, text: list[str]) -> None:
    if not isinstance(ours, dt.Array):
        _report(text, f"{type(ours).__name__} is no Array")
    made = quietly(lambda: (ours.dtype, ours.shape))
    if isinstance(made, Exception):
        _report(text, f"{type(made).__name__}: {made}; NumPy has {result!r}")
    if made != (result.dtype, result.shape):
        _report(text, f"type {made}, NumPy has {(result.dtype, result.shape)}")


def _compare(random: Random, pool: list[Value], text: list[str]) -> None:
    """All values of the program, under two shardings of two kinds."""
    for block, workers, threads in [(10**9, 1, 1), random.choice(SHARDINGS)]:
        machines = dt.Resources(workers=workers, threads=threads, memory="1 GiB")
        settings = dt.config(block_bytes=block, max_tasks=10**7, resources=machines)
        with settings, dask.config.set(scheduler="sync"):
            results = quietly(lambda: dt.compute(*[v.ours for v in pool]))
        sharding = f"blocks of {block} bytes for {workers} x {threads}"
        if isinstance(results, Exception):
            _report(text, f"{sharding}: {type(results).__name__}: {results}")
        for number, (value, result) in enumerate(zip(pool, results, strict=True)):
            how = differs(result, value.theirs, value.rounding)
            if how:
                _report(text, f"{sharding}: v{number}: {how}")


def _report(text: list[str], how: str) -> None:
    raise Mismatch("\n".join([*text, how]))
