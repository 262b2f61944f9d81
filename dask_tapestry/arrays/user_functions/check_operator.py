"""Checks of users' operators: computed whole and in blocks, on samples: `check_operator`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.tuning import MOST_FORM_SIZES
from dask_tapestry.arrays.user_functions.cell_differences import Closeness
from dask_tapestry.arrays.user_functions.monoid_laws import check_monoid
from dask_tapestry.arrays.user_functions.operator_shardings import (
    block_of,
    check_shardings,
    check_whole,
)
from dask_tapestry.errors import ArgumentTypeError, ConstraintError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.monoid_dtype import identities
from dask_tapestry.operators.functions.user_function import name_of
from dask_tapestry.operators.user.user_monoid import Combining, Monoid, combining
from dask_tapestry.teg import Graph, Node, Source

__all__ = ["OperatorReport", "check_operator"]


Cells = tuple[Any, ...]  # the values that a monoid combines


@final
@dataclass(frozen=True)
class OperatorReport:
    """What `check_operator` tried, all of which held.

    {Parameters}
        name: Of the operator.
        shardings: How many ways to cut it were computed.
        laws: Laws of monoids that were tried.
        same_bits: Whether all blocks had the bits of the whole; else they were within rounding.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> dt.check_operator(dt.Monoid(0.0, np.maximum), np.arange(-3.0, 0.0))
    Traceback (most recent call last):
        ...
    dask_tapestry.errors.ConstraintError: identity_is_neutral: maximum: combine(identity, x) is x: \
3 of 3 cells differ, first at (0,): 0.0, not -3.0
    """

    name: str
    shardings: int = 0
    laws: tuple[str, ...] = ()
    same_bits: bool = True


def check_operator(
    op: Callable[..., Any] | Monoid, *samples: ArrayLike, rtol: float | None = None
) -> OperatorReport:
    """Check that an operator means the same however it is cut, by trying it on samples.

    Functions of the user that `op` calls are called for all cells at once, twice, and for blocks of
    every dimension that their signature lets a plan cut; results of parts are combined; monoids are
    tried on the cells that they combine. It computes at once, in this thread; samples should be of
    a few thousand cells, and their extents no multiples of each other.

    Source: Tapestry whitepaper, "Signature Nodes": a signature says how an operator may be sharded.

    {Parameters}
        op: A function of arrays that `block_operator` made; any other that takes and returns
            arrays, as ``lambda x: dt.map_blocks(f, x)``; or a `Monoid`.
        samples: Arrays to call it with; of a monoid, cells that it maps and combines.
        rtol: How far results may lie apart, as a part of the largest; by default the square root of
            the dtype's precision. Integers must be equal.
    {Returns} OperatorReport: What was tried.
    {Raises}
        ConstraintError: Names what is broken: the dimension, the box and the cells that differ, or
            the law.
        ArgumentTypeError: If `op` is not a function, returns no arrays, or calls no function of the
            user.
    {See Also} block_operator, Monoid, reduction

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> @dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
    ... def centred(x):
    ...     return x - x.mean()
    >>> try:
    ...     dt.check_operator(centred, np.arange(7.0))
    ... except dt.ConstraintError as error:
    ...     print(str(error).split("cut along ")[1].split(";")[0])
    'i', block [0:4]: 4 of 4 cells differ, first at (0,): -1.5, not -3.0
    >>> report = dt.check_operator(dt.Monoid(0, np.add), [1, 2, 3])
    >>> report.laws[-1]
    'combine_is_associative'
    """
    closeness = Closeness(rtol)
    if isinstance(op, Monoid):
        return _checked_monoid(op, samples, closeness)
    if not callable(op):
        raise ArgumentTypeError(f"check_operator takes a function or a Monoid, not {op!r}")
    result = op(*[asarray(sample) for sample in samples])
    results = result if isinstance(result, tuple) else (result,)
    if not results or not all(isinstance(one, Array) for one in results):
        raise ArgumentTypeError(
            f"check_operator: {name_of(op)} must return arrays of this library, not {result!r}"
        )
    checking = _Checking(closeness)
    for node in Graph([one.node for one in results]).nodes:
        checking.check(node)
    if not checking.functions:
        raise ArgumentTypeError(f"check_operator: {name_of(op)} calls no function of the user")
    laws = tuple(dict.fromkeys(checking.laws))
    return OperatorReport(name_of(op), checking.shardings, laws, checking.same_bits)


def _checked_monoid(
    monoid: Monoid, samples: tuple[ArrayLike, ...], closeness: Closeness
) -> OperatorReport:
    """Try a monoid's laws on the cells of each sample."""
    name = name_of(monoid.combine)
    laws: tuple[str, ...] = ()
    if not samples:
        raise ArgumentTypeError("check_operator: a monoid is tried on cells, and none are given")
    for sample in samples:
        cells = np.ravel(np.asarray(sample))
        mapped = cells if monoid.map is None else monoid.map(cells)
        single = monoid.count is None
        values = tuple(mapped) if isinstance(mapped, tuple | list) else (mapped,)
        identity = identities(monoid.identity, len(values))
        kinds = [np.result_type(np.asarray(x), e) for x, e in zip(values, identity, strict=True)]
        made = tuple(np.array(x, kind) for x, kind in zip(values, kinds, strict=True))

        def combine(a: Cells, b: Cells, single: bool = single) -> Cells:
            return (monoid.combine(a[0], b[0]),) if single else tuple(monoid.combine(a, b))

        laws = check_monoid(name, combine, made, identity, closeness)
    return OperatorReport(name, laws=laws)


class _Checking:
    """The nodes of a graph, computed and checked producers first."""

    def __init__(self, closeness: Closeness) -> None:
        self.closeness = closeness
        self.functions, self.shardings, self.same_bits = 0, 0, True
        self.laws: list[str] = []
        self._values: dict[Node, Any] = {}

    def check(self, node: Node) -> None:
        """Compute a node, and check it if it calls a function of the user."""
        if node in self._values:
            return
        if isinstance(node.operator, Source):
            self._values[node] = np.asarray(Array(node).compute(scheduler="sync"))
            return
        inputs = [self._values[x] for x in node.inputs]
        fold = combining(node.operator)
        if fold is not None:
            self._check_fold(fold, inputs[0])
        if not node.operator.calls:
            self._values[node] = block_of(node, inputs, node.type.box)
            return
        self.functions += 1
        whole = self._values[node] = check_whole(node, inputs)
        tried = check_shardings(node, inputs, whole, self.closeness)
        self.shardings += tried.shardings
        self.same_bits &= tried.same_bits
        for form in node.operator.forms(node.input_types):
            for size in form.sizes[:: -(-len(form.sizes) // MOST_FORM_SIZES)]:
                self._check_form(node, form.make(node, size))

    def _check_form(self, node: Node, made: Node) -> None:
        """Compute what stands for a node: parts, whose results are combined."""
        for one in Graph([made]).nodes:
            self.check(one)
        difference = self.closeness.difference(self._values[made], self._values[node])
        self.shardings += 1
        if difference:
            raise ConstraintError(
                f"parts_combine_to_the_whole: {node.operator.text()}: results of parts, combined, "
                f"differ from the whole: {difference}"
            )

    def _check_fold(self, fold: Combining, cells: Any) -> None:
        """Try the laws of what a fold combines on its cells."""
        self.functions += 1
        line = np.ravel(np.asarray(cells).astype(fold.dtype))
        names = fold.dtype.names
        fields = (line,) if names is None else tuple(line[name] for name in names)

        def combine(a: Cells, b: Cells) -> Cells:
            made = fold.function(_joined(a, fold.dtype), _joined(b, fold.dtype))
            return (np.asarray(made),) if names is None else tuple(map(np.asarray, made))

        empty = fold.identity
        identity = (empty,) if names is None else tuple(empty[name] for name in names)
        if line.size:
            name = fold.function.name
            self.laws += check_monoid(name, combine, fields, identity, self.closeness)


def _joined(cells: Cells, dtype: np.dtype[Any]) -> Any:
    """An array of cells, whose fields several arrays are."""
    if dtype.names is None:
        return cells[0]
    joined = np.empty(cells[0].shape, dtype)
    for name, one in zip(dtype.names, cells, strict=True):
        joined[name] = one
    return joined
