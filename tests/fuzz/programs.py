"""Running a random program with NumPy and with this library, under several shardings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

import dask
import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.core.dynamic_shape import Deferred
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from tests.comparisons.table import same_bits
from tests.fuzz.operations import OPERATIONS
from tests.fuzz.sources import source
from tests.fuzz.steps import Write
from tests.fuzz.surface import onward
from tests.fuzz.trust import MOST_CELLS, is_loose, may_run, overflows, rounding
from tests.fuzz.values import DTYPES, Value, cells, differs, ends, shape

LENGTH = 10  # operations of a program
LONG = ((130,), (40, 3), (2, 61))
WIDE = (  # with as many rows, columns and cells as it takes for kernels to go other ways
    (300, 200), (70, 130), (1100, 70), (3, 2100), (40, 1030), (2500, 3), (65, 3, 70), (20_000,),
    (17_000, 2), (5000,), (1, 3000), (33, 70), (100, 1), (7, 9, 11, 13),
)  # fmt: skip
COMPUTING = ("persist(", "is_masked(")  # steps that compute what they are given
MOST_DRAWS = 4  # for each, as some are not defined for the values at hand
KINDS: tuple[type[Exception], ...] = (
    np.ma.MaskError, IndexError, ValueError, TypeError, OverflowError, ZeroDivisionError,
    MemoryError,
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
            if self.method == "blocks":  # as Dask's arrays hold them, of any dtype a kernel gives
                return quietly(lambda: _as_scalars(dask.compute(*map(_of_dask, wanted))))
            return quietly(lambda: dask.compute(*dt.plan(*wanted, method=self.method)._planned()))


def _of_dask(one: Any) -> Any:
    """An array as one of Dask's; what is no array as it is."""
    return one.to_dask_array() if isinstance(one, dt.Array) else one


def _as_scalars(results: Sequence[Any]) -> list[Any]:
    """Arrays without dimensions as their cells, which `dt.compute` gives."""
    return [one[()] if isinstance(one, np.ndarray) else one for one in results]


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
    Sharding(60, 1, 2, "blocks"),
)
WIDE_SHARDINGS = (
    WHOLE,
    Sharding(2**13, 1, 2),
    Sharding(2**14, 4, 2),
    Sharding(2**16, 3, 1),
    Sharding(2**15, 2, 2, scheduler="threads"),
    Sharding(10**9, 2, 1, "none"),
)


class Mismatch(AssertionError):
    """Ours and NumPy's differ."""


def kind_of(error: Exception) -> type[Exception]:
    """The builtin that a NumPy user would catch."""
    if isinstance(error, ZeroDivisionError):  # of no sections: NumPy divides before it looks
        return ValueError
    return next((kind for kind in KINDS if isinstance(error, kind)), type(error))


def quietly(call: Any, *args: Any) -> Any:
    """The value of a call, or its error; warnings stay silent."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*args)
        except Exception as error:
            return error


class Scale(NamedTuple):
    """How large the arrays of a program are, and how they are cut.

    Attributes
    ----------
    given
        Draws the shape of an array that a program begins with.
    most_cells
        Values of more cells are not gone on with.
    most_pieces
        Along a dimension, of arrays whose chunks are given.
    whole
        The sharding that the others are compared with.
    """

    given: Callable[[Random], tuple[int, ...]]
    most_cells: int
    most_pieces: int
    whole: Sharding
    shardings: Sequence[Sharding]

    def pieces(self, random: Random, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Chunks of an array."""
        return tuple(random.randint(max(1, n // self.most_pieces), max(1, n)) for n in shape)


def _small(random: Random) -> tuple[int, ...]:
    return random.choice(LONG) if random.random() < 0.1 else shape(random)


def _wide(random: Random) -> tuple[int, ...]:
    return random.choice(WIDE) if random.random() < 0.8 else shape(random)


SMALL_SCALE = Scale(_small, MOST_CELLS, MOST_CELLS, WHOLE, SHARDINGS)
WIDE_SCALE = Scale(_wide, 200_000, 6, WHOLE, WIDE_SHARDINGS)


def cut(random: Random, x: Any, scale: Scale) -> Any:
    """Fix the layout of an array, or say its chunks, or leave them to the plan."""
    if random.random() < 0.5 or not x.ndim:
        return x
    chunks = scale.pieces(random, x.shape)
    return x.rechunk(chunks) if random.random() < 0.7 else with_chunks(x, chunks)


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
    scale
        How large its arrays are.
    text
        A line for each value and step.
    pool
        Its values, NumPy's and ours.
    writes
        Its writes.
    counts
        What was computed already: shapes that were counted, errors that were looked for, and what
        is kept.
    """

    scale: Scale = SMALL_SCALE
    text: list[str] = field(default_factory=list)
    pool: list[Value] = field(default_factory=list)
    writes: list[Due] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)

    def add(self, random: Random, made: np.ndarray) -> Value:
        """An array from outside."""
        kind, ours = source(random, made, self.scale.pieces(random, made.shape))
        self.text.append(f"v{len(self.pool)} = {made!r}  from {kind}")
        self.pool.append(Value(made, cut(random, ours, self.scale)))
        return self.pool[-1]

    def fail(self, how: str) -> None:
        """Report how the results differ."""
        raise Mismatch("\n".join([*self.text, how]))


def run(random: Random, length: int = LENGTH, scale: Scale = SMALL_SCALE) -> list[str]:
    """Draw a program, run it and compare; return its text.

    Raises
    ------
    Mismatch
        With the program and how the results differ.
    """
    program = Program(scale)
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
    sides = program.scale.given(random)
    program.add(random, _given(random, sides))
    if random.random() < 0.5:
        sides = program.scale.given(random)
    program.add(random, _given(random, sides))
    done = 0
    for _ in range(MOST_DRAWS * length):
        done += _drawn(random, program)
        if done == length:
            break


def _given(random: Random, sides: tuple[int, ...]) -> np.ndarray:
    """An array that a program begins with; now and then the ends of a range."""
    kind = random.choice(DTYPES)
    if np.dtype(kind).kind in "iumM" and random.random() < 0.3:
        return ends(random, sides, kind)
    return cells(random, sides, kind)


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
    usable = [v for v in pool if v.theirs.dtype.kind not in "VSU"]
    operands = [random.choice(usable[-3:]), random.choice(usable)]
    (draw,) = random.choices(list(OPERATIONS), list(OPERATIONS.values()))
    others = [v for v in pool if v.theirs.dtype.kind in "VSU"]
    if others and random.random() < 0.3:  # which have few operations
        operands, draw = [random.choice(others[-3:])] * 2, onward
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
    if any(word in step.text for word in COMPUTING):
        program.counts.append(step.text)
    if isinstance(theirs, Exception):
        _same_error(program, ours, theirs)
        return True
    result = np.asarray(theirs)
    if isinstance(theirs, np.character) and isinstance(ours, dt.Array):
        result = _as_wide(result, ours.dtype)
    if result.dtype.hasobject:
        return True  # of which the programs have no operations
    if isinstance(ours, Exception):
        program.fail(f"{type(ours).__name__}: {ours}; NumPy has {result!r}")
    if result.size > program.scale.most_cells or result.ndim > 6:
        return True
    _same_type(program, ours, result)
    if step.trust in ("fold", "rounded") and overflows(step, operands, result):
        return True  # where on the way depends on the order
    loose = is_loose(step) or any(v.loose for v in operands)
    pool.append(
        Value(result, cut(random, ours, program.scale), rounding(step, operands, result), loose)
    )
    inexact = max((v.rounding for v in operands), default=0.0)
    program.writes.extend(Due(write, len(pool) - 1, inexact) for write in step.writes)
    return True


def _name(pool: list[Value], value: Value) -> str:
    return next(f"v{n}" for n, v in enumerate(pool) if v is value)


def _as_wide(text: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A scalar's text in cells of an array's dtype: NumPy's scalars are as wide as their text."""
    wide = np.promote_types(text.dtype, dtype) if dtype.kind == text.dtype.kind else text.dtype
    return text.astype(wide)


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
    if not isinstance(ours, kind_of(theirs)):
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
    whole, shardings = _compute(program, program.scale.whole, numbers), program.scale.shardings
    _same_bits(program, whole, _compute(program, random.choice(shardings), numbers))
    some = {numbers[-1]} | set(random.sample(numbers, random.randint(0, 2)))
    _same_bits(program, whole, _compute(program, random.choice(shardings), sorted(some)))


def _same_bits(program: Program, whole: dict[int, Any], parts: dict[int, Any]) -> None:
    """Every sharding gives the same bits, matrices apart: BLAS looks at shapes."""
    for number, part in parts.items():
        between = program.pool[number].theirs.dtype.kind == "V"  # bytes between fields say nothing
        same = not differs(part, whole[number], 0) if between else same_bits(part, whole[number])
        if not program.pool[number].loose and not same:
            program.fail(f"v{number} depends on the sharding: {part!r}, whole {whole[number]!r}")


def _compute(program: Program, sharding: Sharding, numbers: Sequence[int]) -> dict[int, Any]:
    """Compute some values, and what is written with them, and compare; the values."""
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
    return dict(zip(numbers, results, strict=False))
