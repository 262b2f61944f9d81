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

    def require_names(self, inputs: Types) -> None:
        """Refuse a dimension that has two names."""
        named = [x.dims for x in inputs if x.dims]
        for place, names in enumerate(zip(*named, strict=False)):
            if len(set(names) - {None}) > 1:
                texts = " and ".join(map(str, inputs))
                raise ShapeError(f"dimension {place} has two names in {texts}: rename one of them")


def common_shape(inputs: Types, what: str) -> tuple[tuple[int, ...], Dims]:
    """Shape of all inputs, and the names of the dimensions that they agree on."""
    shapes = {x.shape for x in inputs}
    if len(shapes) != 1:
        raise ShapeError(f"a {what} takes tensors of one shape, got {shapes}")
    return inputs[0].shape, _common_dims(inputs)


def _common_dims(inputs: Types) -> Dims:
    """Names of the dimensions; none of one that has two, as rules take names for nothing."""
    named = [x.dims for x in inputs if x.dims]
    if not named:
        return None
    found = [set(names) - {None} for names in zip(*named, strict=True)]
    dims = tuple([names.pop() if len(names) == 1 else None for names in found])
    return dims if any(dims) else None
