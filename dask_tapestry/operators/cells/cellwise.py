"""Cellwise: what operators share whose cell o is made of the inputs' cells o."""

from __future__ import annotations

from dask_tapestry.errors import ShapeError
from dask_tapestry.teg import BlockOperator, IndexDim, Region, Signature, TensorType
from dask_tapestry.teg.operator import Restriction, Types, uniform
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import IndexProjection, ZRange


class CellwiseOperator(BlockOperator):
    """An operator whose cell o is made of the cells o of inputs of its shape."""

    def signature(self, *inputs: TensorType) -> Signature:
        shape = inputs[0].shape
        here = IndexProjection.identity(len(shape))
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(shape))
        return Signature(index, (here,) * len(inputs), (here,))

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (box,) * len(inputs)

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        return ()

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True,) * len(inputs)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return Restriction(self, (region,) * len(inputs), region)

    def transposed_inputs(self, inputs: Types) -> tuple[int, ...]:
        return tuple(range(len(inputs)))


def common_shape(inputs: Types, what: str) -> tuple[tuple[int, ...], Dims]:
    """Shape of all inputs, and the names of the dimensions; a ShapeError where two disagree."""
    shapes = {x.shape for x in inputs}
    if len(shapes) != 1:
        raise ShapeError(f"a {what} takes tensors of one shape, got {shapes}")
    return inputs[0].shape, _common_dims(inputs)


def _common_dims(inputs: Types) -> Dims:
    """Names of the dimensions; a ShapeError where two inputs disagree."""
    named = [x.dims for x in inputs if x.dims]
    if not named:
        return None
    dims = list(named[0])
    for others in named[1:]:
        for place, name in enumerate(others):
            if dims[place] not in (name, None) and name is not None:
                texts = " and ".join(map(str, inputs))
                raise ShapeError(f"dimension {place} has two names in {texts}: rename one of them")
            dims[place] = dims[place] or name
    return tuple(dims)
