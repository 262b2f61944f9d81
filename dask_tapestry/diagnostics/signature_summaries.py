"""Signatures of a step's operators: named index dimensions, and projections as formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dask_tapestry.diagnostics.plan_summary import SignatureSummary
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.steps.program import Instruction
from dask_tapestry.teg import Signature
from dask_tapestry.teg.operator import BlockOperator, signature_of
from dask_tapestry.zspace import IndexProjection


def told_signatures(step: Step) -> tuple[SignatureSummary, ...]:
    """The signatures of a step's operators, except those that compute cell by cell.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> (step,) = dt.plan(dt.ones((4, 3)) @ dt.ones((3, 5))).core.steps.values()
    >>> (found,) = told_signatures(step)
    >>> found.dims[0], found.tensors[1]
    (('m', 4, 'parallel'), ('input 1', ('m', 'k')))
    """
    return tuple(_signature_summary(step))


def _signature_summary(step: Step) -> Iterator[SignatureSummary]:
    for number, one in enumerate(step.program.instructions):
        if isinstance(one.operator, BlockOperator) and not one.operator.is_formula:
            yield told_signature(number, one)


def told_signature(number: int, one: Instruction) -> SignatureSummary:
    """The signature of operator `number` of a step."""
    operator = one.operator
    assert isinstance(operator, BlockOperator)
    signature = signature_of(operator, one.types)
    names = _names(one, signature)
    several = len(signature.outputs) > 1
    titles = [f"output {n + 1}" if several else "output" for n in range(len(signature.outputs))]
    titles += [f"input {n + 1}" for n in range(len(signature.inputs))]
    projections = (*signature.outputs, *signature.inputs)
    return SignatureSummary(
        number,
        tuple(
            (name, dim.extent, dim.kind.value)
            for name, dim in zip(names, signature.index, strict=True)
        ),
        tuple((t, formulas(p, names)) for t, p in zip(titles, projections, strict=True)),
        tuple(
            tuple(tuple(p.marginal_extent(dim)) for dim in range(len(names))) for p in projections
        ),
    )


def _names(instruction: Instruction, signature: Signature) -> list[str]:
    """Names of the index dimensions: the user's own, those of dimensions that they move alone.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((4, 3), "f8", dims=("time", "place"))
    >>> (step,) = dt.plan(x.sum(axis="time")).core.steps.values()
    >>> [dim[0] for dim in told_signatures(step)[0].dims]
    ['time', 'place']
    """
    own = [dim.name for dim in signature.index]
    if instruction.operator.calls:  # a function of the user's, who has named them
        return own
    named: dict[int, str] = {}
    for x, read in zip(instruction.types, signature.inputs, strict=True):
        for name, row in zip(x.dims or (), read.matrix, strict=False):
            moving = [d for d, step in enumerate(row) if step]
            if name is not None and len(moving) == 1 and name not in named.values():
                named.setdefault(moving[0], name)
    taken = set(named.values())
    free = [f"{name}'" if name in taken else name for name in own]
    return [named.get(d, name) for d, name in enumerate(free)]


def formulas(projection: IndexProjection, names: Sequence[str]) -> tuple[str, ...]:
    """The cells along each axis that an index point selects.

    Examples
    --------
    >>> formulas(IndexProjection([[2, 0], [0, 1]], [1, 0], [3, 1], 2), ["row", "k"])
    ('2*row + 1 + 2*[0:3]', 'k')
    """
    axes = zip(
        projection.matrix, projection.offset, projection.shape, projection.stride, strict=True
    )
    return tuple(_formula(row, start, n, stride, names) for row, start, n, stride in axes)


def _formula(row: Sequence[int], start: int, n: int, stride: int, names: Sequence[str]) -> str:
    terms = [name if a == 1 else f"{a}*{name}" for a, name in zip(row, names, strict=True) if a]
    terms += [str(start)] if start or (not terms and n == 1) else []
    if n != 1:
        terms.append(f"[0:{n}]" if stride == 1 else f"{stride}*[0:{n}]")
    return " + ".join(terms)
