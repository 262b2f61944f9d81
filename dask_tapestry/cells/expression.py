"""The typed cell expression: what one output cell is made of, as a flat list of typed steps.

The one formula that planner, rules and kernel generators all read. It is flat (static single
assignment) rather than a tree, so that an expression of any length prints, hashes and pickles
without recursion and a value used twice is written once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.references import Cell, packed, unpacked
from dask_tapestry.cells.ufuncs import flops
from dask_tapestry.late_dataclass import dataclass

DType = np.dtype[np.generic]


class CellStep(NamedTuple):
    """One typed value: a function of earlier values.

    ``constant`` keeps its bytes in `value`; ``name.k`` is output k of a ufunc with several.
    """

    function: str
    operands: tuple[int, ...]
    dtype: DType
    value: bytes | None = None

    def on(self, operands: tuple[int, ...]) -> CellStep:
        """The same step of other operands."""
        if operands == self.operands:
            return self
        return CellStep(self.function, operands, self.dtype, self.value)

    def with_value(self, value: bytes) -> CellStep:
        """The same constant of another value."""
        return CellStep(self.function, self.operands, self.dtype, value)


@dataclass(frozen=True)
class CellExpression:
    """A typed function of cells; value i is parameter i, the following values are the steps.

    Examples
    --------
    >>> f8 = np.dtype("f8")
    >>> b = CellBuilder((f8, f8))
    >>> two = b.constant(np.float64(2.0))
    >>> str(b.finish(b.call("add", (b.call("multiply", (0, two), f8), 1), f8)))
    'add(multiply($0, 2.0), $1)'
    """

    parameters: tuple[DType, ...]
    steps: tuple[CellStep, ...]

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return CellExpression, (self.parameters, self.steps)  # a hash is of its process

    @cached_property
    def _hash(self) -> int:
        """It is asked for by each function that remembers what it found of an expression."""
        return hash((self.parameters, self.steps))

    @property
    def dtype(self) -> DType:
        """Dtype of the result."""
        return self.steps[-1].dtype if self.steps else self.parameters[-1]

    @property
    def chosen(self) -> int | None:
        """Number of the parameter that the result is; None if it is computed."""
        match self.steps:
            case ():
                return len(self.parameters) - 1
            case (CellStep("cast", (number,), dtype),) if number < len(self.parameters):
                return number if self.parameters[number] == dtype else None
        return None

    @cached_property
    def used(self) -> frozenset[int]:
        """Numbers of the parameters that it uses.

        Examples
        --------
        >>> b = CellBuilder((np.dtype("f8"),) * 3)
        >>> sorted(b.finish(b.call("add", (2, 1), np.dtype("f8"))).used)
        [1, 2]
        """
        count = len(self.parameters)
        if not self.steps:
            return frozenset({count - 1})
        return frozenset(n for step in self.steps for n in step.operands if n < count)

    def of_some(self, numbers: Sequence[int]) -> CellExpression:
        """The expression with only the parameters `numbers`, renumbered; it uses no others.

        Examples
        --------
        >>> f8 = np.dtype("f8")
        >>> b = CellBuilder((f8, f8, f8))
        >>> str(b.finish(b.call("add", (2, 1), f8)).of_some((1, 2)))
        'add($1, $0)'
        """
        places = {number: place for place, number in enumerate(numbers)}
        builder = CellBuilder([self.parameters[number] for number in numbers])
        operands = [places.get(number, 0) for number in range(len(self.parameters))]
        return builder.finish(builder.inline(self, operands))

    @cached_property
    def flops(self) -> int:
        """Operations a cell, as the cost model counts them."""
        counted = [s for s in self.steps if s.function != "constant"]
        return sum(flops(step.function, step.dtype) for step in counted)

    @cached_property
    def constants(self) -> tuple[CellStep, ...]:
        """The steps that are constants, in order."""
        return tuple([step for step in self.steps if step.function == "constant"])

    @property
    def without_constants(self) -> CellExpression:
        """What expressions have in common that differ in the values of constants alone.

        Examples
        --------
        >>> f8 = np.dtype("f8")
        >>> def plus(n):
        ...     b = CellBuilder((f8,))
        ...     return b.finish(b.call("add", (0, b.constant(np.float64(n))), f8))
        >>> plus(1) == plus(2), plus(1).without_constants == plus(2).without_constants
        (False, True)
        """
        return self._bare or self  # one that held itself would be garbage

    @cached_property
    def _bare(self) -> CellExpression | None:
        if all(step.value is None for step in self.steps):
            return None
        plain = [s if s.value is None else s.with_value(b"") for s in self.steps]
        return CellExpression(self.parameters, tuple(plain))

    def with_constants(self, values: Mapping[bytes, bytes]) -> CellExpression:
        """The expression with the values of constants in place of those that it has.

        Examples
        --------
        >>> f8 = np.dtype("f8")
        >>> b = CellBuilder((f8,))
        >>> e = b.finish(b.call("add", (0, b.step(CellStep("constant", (), f8, b"?"))), f8))
        >>> str(e.with_constants({b"?": np.float64(2.5).tobytes()}))
        'add($0, 2.5)'
        """
        steps = [s if s.value is None else s.with_value(values[s.value]) for s in self.steps]
        made = CellExpression(self.parameters, tuple(steps))
        made.__dict__["without_constants"] = self.without_constants
        return made

    def constant(self, step: CellStep) -> Cell:
        """Return the scalar that a ``constant`` step holds."""
        return unpacked(step.value or b"", step.dtype)

    def __str__(self) -> str:
        return self.format([f"${i}" for i in range(len(self.parameters))])

    def format(self, names: Sequence[str], limit: int = 400) -> str:
        """Write the expression as text over `names`; past `limit` characters a value is `…`."""
        texts = list(names)
        for step in self.steps:
            if step.function == "constant":
                texts.append(str(self.constant(step)))
                continue
            inner = ", ".join(texts[i] for i in step.operands)
            head = f"{dtype_name(step.dtype)}" if step.function == "cast" else step.function
            texts.append(f"{head}({inner if len(inner) <= limit else '…'})")
        return texts[-1]


def identity(dtype: DType) -> CellExpression:
    """The expression of one parameter that is its result."""
    return CellExpression((dtype,), ())


def constant_step(value: Cell) -> CellStep:
    """The step that holds a constant."""
    dtype, cells = value.dtype, packed(value)
    if not dtype.itemsize:  # NumPy's dtype of an empty text, which no array has
        dtype = np.dtype(f"{dtype.kind}1")
        cells = bytes(dtype.itemsize)
    return CellStep("constant", (), dtype, cells)


class CellBuilder:
    """Builds an expression step by step; equal steps are written once."""

    def __init__(self, parameters: Sequence[DType]) -> None:
        self.parameters = tuple(parameters)
        self.steps: list[CellStep] = []
        self._known: dict[CellStep, int] = {}

    def dtype(self, value: int) -> DType:
        """Dtype of value number `value`."""
        count = len(self.parameters)
        return self.parameters[value] if value < count else self.steps[value - count].dtype

    def step(self, step: CellStep) -> int:
        """Add a step, or find the equal one; return its value's number."""
        if (known := self._known.get(step)) is not None:
            return known
        self.steps.append(step)
        number = len(self.parameters) + len(self.steps) - 1
        self._known[step] = number
        return number

    def constant(self, value: Cell) -> int:
        """Add a constant."""
        return self.step(constant_step(value))

    def cast(self, value: int, dtype: DType) -> int:
        """Convert `value` to `dtype`, as ``astype`` does; nothing if it has it already."""
        if self.dtype(value) == dtype:
            return value
        return self.step(CellStep("cast", (value,), dtype))

    def call(self, function: str, operands: Sequence[int], dtype: DType) -> int:
        """Add a call whose operands already have the dtypes of its loop."""
        return self.step(CellStep(function, tuple(operands), dtype))

    def inline(self, expression: CellExpression, operands: Sequence[int]) -> int:
        """Write `expression` out, its parameters being the values `operands`."""
        numbers = list(operands)
        for step in expression.steps:
            moved = tuple([numbers[i] for i in step.operands])
            numbers.append(self.step(step.on(moved)))
        return numbers[-1]

    def finish(self, result: int) -> CellExpression:
        """Return the expression whose result is value `result`, dead steps dropped.

        A parameter is the result of a step that converts it to its own dtype.
        """
        count = len(self.parameters)
        if result < count:
            return CellExpression(
                self.parameters, (CellStep("cast", (result,), self.parameters[result]),)
            )
        alive = {result}
        for number in range(result, count - 1, -1):
            if number in alive:
                alive.update(self.steps[number - count].operands)
        renumbered = {i: i for i in range(count)}
        steps: list[CellStep] = []
        for number in range(count, result + 1):
            if number in alive:
                step = self.steps[number - count]
                moved = tuple([renumbered[i] for i in step.operands])
                steps.append(step.on(moved))
                renumbered[number] = count + len(steps) - 1
        return CellExpression(self.parameters, tuple(steps))
