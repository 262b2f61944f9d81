"""Running a random program with NumPy and with this library, under several shardings."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

import dask
import numpy as np

import dask_tapestry as dt
from dask_tapestry.array.core.dynamic_shape import Deferred
from dask_tapestry.array.core.layout_arguments import with_chunks
from tests.fuzz.operations import OPERATIONS
from tests.fuzz.sources import source
from tests.fuzz.steps import Step, Write
from tests.fuzz.values import DTYPES, ROUNDING, Value, cells, differs, is_whole, shape

LENGTH = 10  # operations of a program
MOST_DRAWS = 4  # for each, as some are not defined for the values at hand
MOST_CELLS = 2000
PRODUCTS = tuple("matmul outer dot tensordot vdot einsum inner vecdot kron cross".split())
FUSED = tuple(  # those of complex numbers have bits in NumPy that depend on machine and layout
    "multiply square divide reciprocal absolute abs true_divide mul truediv cross sign".split()
)
FACTORS = ("prod", "nanprod", "cumprod", "nancumprod", "cumulative_prod", "multiply.")
POWERS, LARGE = ("pow", "float_power", "power"), re.compile(r"\d{3}")
TO_WHOLE = re.compile(r"sum\(.*, [iu]\d\)")
COMPARED = ("isin(", "searchsorted", "setdiff1d", "intersect1d", "union1d", "setxor1d")
KINDS: tuple[type[Exception], ...] = (
    IndexError, ValueError, TypeError, OverflowError, ZeroDivisionError, MemoryError,
)  # fmt: skip


class Sharding(NamedTuple):
    """How a program is cut: aims and machines that a plan is made for, and what runs it."""

    block: int
    workers: int
    threads: int
    method: str = "auto"
    scheduler: str = "sync"

    def compute(self, wanted: Sequence[Any]) -> Any:
        """Results of arrays and writes; or the error."""
        machines = dt.Resources(workers=self.workers, threads=self.threads, memory="1 GiB")
        settings = dt.config(block_bytes=self.block, max_tasks=10**7, resources=machines)
        with settings, dask.config.set(scheduler=self.scheduler):
            if self.method == "auto":
                return quietly(lambda: dt.compute(*wanted))
            return quietly(lambda: dask.compute(*dt.plan(*wanted, method=self.method)._planned()))


WHOLE = Sharding(10**9, 1, 1)
SHARDINGS = (
    WHOLE,
    Sharding(1, 1, 1),
    Sharding(8, 1, 1),
    Sharding(60, 1, 2),
    Sharding(200, 4, 2),
    Sharding(1000, 3, 1),
    Sharding(40, 2, 2, scheduler="threads"),
    Sharding(10**9, 2, 1, "none"),
)


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
    """Fix the layout of an array, or say its chunks, or leave them to the plan."""
    if random.random() < 0.5 or not x.ndim:
        return x
    chunks = tuple(random.randint(1, max(1, n)) for n in x.shape)
    return x.rechunk(chunks) if random.random() < 0.7 else with_chunks(x, chunks)


def trusted(step: Step, operands: list[Value], result: np.ndarray) -> bool:
    """Whether the result's bits must be NumPy's."""
    exact = all(v.exact for v in operands)
    cells = [result, *[v.theirs for v in operands]]
    if any(x.dtype.kind == "c" for x in cells) and step.text.startswith(FUSED):
        return exact and all(map(is_whole, cells))
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
    return max([*own, *[v.rounding for v in operands]])


def may_run(step: Step, operands: list[Value]) -> bool:
    """Whether the operands are known well enough for it, and NumPy defines what it does."""
    if not operands:
        return True
    if any(v.theirs.dtype.kind in "mM" for v in operands) and step.text.startswith(PRODUCTS):
        return False  # NumPy's products of times disagree among themselves; ours refuse them all
    if step.text.startswith(PRODUCTS) and not all(_is_finite(v.theirs) for v in operands):
        return False  # BLAS takes zero times infinity for zero here and there
    if step.text.startswith(FACTORS) and not all(_is_finite(v.theirs) for v in operands):
        return all(v.theirs.dtype.kind != "c" for v in operands)  # depends on the order
    if step.text.startswith(POWERS) and LARGE.search(step.text):
        return all(v.theirs.dtype.kind != "c" for v in operands)  # of rounding nothing else is left
    if step.text.startswith(COMPARED) and not _are_comparable(*[v.theirs for v in operands]):
        return False
    if step.text.startswith("bincount") and _largest(operands[0].theirs) > MOST_CELLS:
        return False  # whether so many counts fit, and which error says so, depends on the machine
    kind = operands[0].theirs.dtype.kind
    if step.text.startswith(("linalg", "gradient", "average")) and kind in "bmM":
        return False  # NumPy takes times for numbers there, or halves them; ours refuses them
    if step.text.startswith(("copysign", "signbit")) and any(map(_has_nan, operands)):
        return False  # the sign of what is no number depends on the machine
    if step.text.startswith(("average", "partition", "cov")) and not operands[0].theirs.size:
        return False  # weights that sum to zero give NaN; NumPy takes any place, forgets the dtype
    if step.text.startswith(("histogram", "digitize", "interp")) and kind in "mM":
        return False  # NumPy finds some order of these and numbers; ours refuses them
    if step.text.startswith("histogram") and kind == "c":
        return False  # NumPy discards imaginary parts on the way
    if step.text.startswith(("median", "quantile")) and not operands[0].theirs.size:
        return kind not in "bmM"  # of two errors NumPy raises the other
    if step.trust == "assign" and not (operands[0].theirs.size and operands[1].theirs.size):
        return False  # NumPy lets some shapes pass where nothing is assigned
    if step.trust == "assign" and operands[0].theirs.dtype.kind in "iub":
        return operands[1].theirs.dtype.kind in "biu"  # floats out of range mean anything
    if kind in "fc" and TO_WHOLE.match(step.text):
        return False  # as are floats that are taken for whole numbers first
    if step.trust == "cast":
        return all(
            v.exact and (v.theirs.dtype.kind not in "fc" or bool(np.all(np.abs(v.theirs) < 100)))
            for v in operands
        )
    if step.trust in ("jump", "rounded"):
        return all(v.exact for v in operands)
    return True


class Due(NamedTuple):
    """A write, the number of the value that follows it, and how far its cells may be apart."""

    write: Write
    value: int
    rounding: float


@dataclass
class Program:
    """A program as it is drawn.

    Attributes
    ----------
    text
        A line for each value and step.
    pool
        Its values, NumPy's and ours.
    writes
        Its writes.
    counts
        What was computed already: shapes that were counted, and errors that were looked for.
    """

    text: list[str] = field(default_factory=list)
    pool: list[Value] = field(default_factory=list)
    writes: list[Due] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)

    def add(self, random: Random, made: np.ndarray) -> Value:
        """An array from outside."""
        kind, ours = source(random, made)
        self.text.append(f"v{len(self.pool)} = {made!r}  from {kind}")
        self.pool.append(Value(made, cut(random, ours)))
        return self.pool[-1]

    def fail(self, how: str) -> None:
        """Report how the results differ."""
        raise Mismatch("\n".join([*self.text, how]))


def run(random: Random, length: int = LENGTH) -> list[str]:
    """Draw a program, run it and compare; return its text.

    Raises
    ------
    Mismatch
        With the program and how the results differ.
    """
    program = Program()
    with _counting(program.counts), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of stores: not every reader knows all dtypes
        _draw(random, program, length)
        _compare(random, program)
    return program.text


def drawn_arrays(random: Random, length: int = LENGTH) -> list[dt.Array]:
    """Our arrays of a random program, without running it."""
    program = Program()
    with _counting(program.counts), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _draw(random, program, length)
    return [value.ours for value in program.pool]


def _draw(random: Random, program: Program, length: int) -> None:
    for _ in range(2):
        program.add(random, cells(random, shape(random), random.choice(DTYPES)))
    done = 0
    for _ in range(MOST_DRAWS * length):
        done += _drawn(random, program)
        if done == length:
            break


@contextmanager
def _counting(counts: list[str]) -> Iterator[None]:
    """Note when the count of a shape runs."""
    resolve = Deferred.resolve

    def noted(deferred: Deferred, *args: Any) -> Any:
        counts.append(repr(deferred))
        return resolve(deferred, *args)

    with patch.object(Deferred, "resolve", noted):
        yield


def _drawn(random: Random, program: Program) -> bool:
    """Draw a step and make it, unless it is not defined for the values at hand."""
    pool, text = program.pool, program.text
    operands = [random.choice(pool[-3:]), random.choice(pool)]
    (draw,) = random.choices(list(OPERATIONS), list(OPERATIONS.values()))
    step = draw(random, [v.theirs for v in operands])
    if step.inputs is not None:
        operands = [Value(x, None) for x in step.inputs]
    if not may_run(step, operands):
        return False
    if step.inputs is not None:
        operands = [program.add(random, x) for x in step.inputs]
    theirs = quietly(step.call, np, *[v.theirs for v in operands])
    names = ", ".join(_name(pool, v) for v in operands)
    text.append(f"v{len(pool)} = {step.text}" + f"  with x, y = {names}" * bool(operands))
    ours = quietly(step.call, dt, *[v.ours for v in operands])
    if isinstance(theirs, Exception):
        _same_error(program, ours, theirs)
        return True
    result = np.asarray(theirs)
    if result.dtype.hasobject:
        return True  # Python objects are no cells here
    if isinstance(ours, Exception):
        program.fail(f"{type(ours).__name__}: {ours}; NumPy has {result!r}")
    if result.size > MOST_CELLS or result.ndim > 6:
        return True
    _same_type(program, ours, result)
    if step.trust in ("fold", "rounded") and _overflows(step, operands, result):
        return True  # where on the way depends on the order
    pool.append(Value(result, cut(random, ours), rounding(step, operands, result)))
    inexact = max((v.rounding for v in operands), default=0.0)
    program.writes.extend(Due(write, len(pool) - 1, inexact) for write in step.writes)
    return True


def _are_comparable(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether NumPy compares cells of both: times depend on sizes, large integers lose digits."""
    if x.dtype.kind in "mM" or y.dtype.kind in "mM":
        return x.dtype.kind == y.dtype.kind
    wide = [v for v in (x, y) if v.dtype.kind in "iu" and v.size]
    exact = all(np.abs(v.astype(float)).max() < 2**53 for v in wide)
    return exact or np.result_type(x, y).kind not in "fc"


def _has_nan(value: Value) -> bool:
    return value.theirs.dtype.kind == "f" and bool(np.isnan(value.theirs).any())


def _largest(x: np.ndarray) -> int:
    return int(x.max()) if x.size and x.dtype.kind in "biu" else 0


def _is_finite(x: np.ndarray) -> bool:
    return x.dtype.kind not in "fc" or bool(np.isfinite(x).all())


def _overflows(step: Step, operands: list[Value], result: np.ndarray) -> bool:
    if result.dtype.kind not in "fc":
        return False
    if step.text.startswith(FACTORS):  # too much times nothing is no number
        return not np.isfinite(result).all()
    inputs = [v.theirs for v in operands if v.theirs.dtype.kind in "biufc"]
    return not np.isfinite(result).all() and all(np.isfinite(x).all() for x in inputs)


def _name(pool: list[Value], value: Value) -> str:
    return next(f"v{n}" for n, v in enumerate(pool) if v is value)


def _same_error(program: Program, ours: Any, theirs: Exception) -> None:
    """What NumPy refuses is refused, when it is written or when it is computed, in the same way."""
    if isinstance(theirs, NotImplementedError | AttributeError):
        return
    if isinstance(ours, dt.Array):
        if not ours.bound.type.size:
            return  # no cell is computed
        ours = quietly(ours.compute)
        program.counts.append(program.text[-1])  # what it follows is done now
    program.text[-1] += f"  # NumPy: {type(theirs).__name__}: {theirs}"
    if not isinstance(ours, Exception) or kind_of(ours) is not kind_of(theirs):
        shown = f"{type(ours).__name__}: {ours}" if isinstance(ours, Exception) else repr(ours)
        program.fail(f"{shown}; NumPy raises {type(theirs).__name__}: {theirs}")


def _same_type(program: Program, ours: Any, result: np.ndarray) -> None:
    if not isinstance(ours, dt.Array):
        program.fail(f"{type(ours).__name__} is no Array")
    made = quietly(lambda: (ours.dtype, ours.shape))
    if isinstance(made, Exception):
        program.fail(f"{type(made).__name__}: {made}; NumPy has {result!r}")
    if made != (result.dtype, result.shape):
        program.fail(f"type {made}, NumPy has {(result.dtype, result.shape)}")
    if tuple(map(sum, ours.chunks)) != result.shape:
        program.fail(f"chunks {ours.chunks} of shape {result.shape}")


def _compare(random: Random, program: Program) -> None:
    """All values and writes of the program under two shardings, then some of them alone."""
    for due in program.writes:
        if not program.counts and not due.write.target.untouched():
            program.fail(f"written before it is computed: {due.write.target.text}")
    numbers = range(len(program.pool))
    _compute(program, WHOLE, numbers)
    _compute(program, random.choice(SHARDINGS), numbers)
    some = {numbers[-1]} | set(random.sample(numbers, random.randint(0, 2)))
    _compute(program, random.choice(SHARDINGS), sorted(some))


def _compute(program: Program, sharding: Sharding, numbers: Sequence[int]) -> None:
    """Compute some values, and what is written with them, and compare."""
    dues = [due for due in program.writes if due.value in numbers]
    wanted = [program.pool[n].ours for n in numbers]
    sinks = [due.write.sink for due in dues if due.write.sink is not None]
    where = f"{sharding}, of {', '.join(f'v{n}' for n in numbers)}"
    results = sharding.compute([*wanted, *sinks])
    if isinstance(results, Exception):
        program.fail(f"{where}: {type(results).__name__}: {results}")
    for number, result in zip(numbers, results, strict=False):
        value = program.pool[number]
        how = differs(result, value.theirs, value.rounding)
        if how:
            program.fail(f"{where}: v{number}: {how}")
    for due in dues:
        target, expected = due.write.target, due.write.expected
        how = differs(target.read(), expected, due.rounding)
        if how and target.untouched():
            how = f"nothing is there, {expected!r} is missing"
        if how:
            program.fail(f"{where}: written to {target.text}: {how}")
    if not program.counts:  # else what was counted is not written again
        for due in program.writes:
            due.write.target.clear()
