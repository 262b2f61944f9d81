"""Arguments of writes: regions as users give them, and the types of targets and locks."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import EllipsisType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from dask_tapestry.amounts import integer
from dask_tapestry.errors import IndexingError, ShapeError
from dask_tapestry.imports import LateModule
from dask_tapestry.teg.types import Dims

if TYPE_CHECKING:
    from dask_tapestry.io.targets import zarr_target
else:
    zarr_target = LateModule("dask_tapestry.io.targets.zarr_target")

Item = slice | int | EllipsisType
Region = tuple[Item, ...] | slice | Mapping[Any, slice | int] | None


Lock = bool | AbstractContextManager[Any]


class Writable(Protocol):
    """Anything that cells can be written into."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    def __setitem__(self, key: Any, value: Any, /) -> None: ...


class RegionSlices(NamedTuple):
    """A region as slices of an array, one for each dimension.

    {Attributes}
        slices: For each dimension of the array.
        pinned: Dimensions given by an integer, which what is written lacks.
    """

    slices: tuple[slice, ...]
    pinned: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[slice | int, ...]:
        """The key that indexes the array for the region."""
        return tuple(
            item.start if axis in self.pinned else item for axis, item in enumerate(self.slices)
        )


def resolve_region(region: Region, shape: tuple[int, ...], names: Dims = None) -> RegionSlices:
    """Return the slices that a region stands for in an array of a shape.

    {Parameters}
        region: Slices and integers, or a dictionary of them by dimension; None is the whole array.
        shape: Of the array.
        names: Of its dimensions, for a dictionary.
    {Raises}
        IndexingError: If it holds something else than slices and integers, or an integer out of
            bounds.
        ShapeError: If it is longer than the shape, or names a dimension that is not there.

    Examples
    --------
    >>> resolve_region((slice(1, 3), -1), (4, 5)).slices
    (slice(1, 3, None), slice(4, 5, None))
    """
    items = _items(region, shape, names)
    slices = [_slice(item, n) for item, n in zip(items, shape, strict=True)]
    pinned = tuple(axis for axis, item in enumerate(items) if not isinstance(item, slice))
    return RegionSlices(tuple(slices), pinned)


def _items(region: Region, shape: tuple[int, ...], names: Dims) -> list[Any]:
    """An item for each dimension."""
    if isinstance(region, Mapping):
        what = f"an array of shape {shape}"
        given = {zarr_target.axis_number(k, names, len(shape), what): v for k, v in region.items()}
        return [given.get(axis, slice(None)) for axis in range(len(shape))]
    items = list(region) if isinstance(region, tuple) else [... if region is None else region]
    dots = [place for place, item in enumerate(items) if item is ...]
    if len(items) - len(dots) > len(shape):
        raise ShapeError(f"region {region} has more items than the shape {shape} has dimensions")
    if len(dots) > 1:
        raise IndexingError("a region can only have a single ellipsis ('...')")
    rest = [slice(None)] * (len(shape) - len(items) + len(dots))
    return [*items[: dots[0]], *rest, *items[dots[0] + 1 :]] if dots else [*items, *rest]


def _slice(item: Any, extent: int) -> slice:
    if isinstance(item, slice):
        return item
    try:
        number = integer(item)
    except TypeError:
        raise IndexingError(
            f"a region is made of slices and integers, not of {type(item).__name__}"
        ) from None
    if isinstance(item, bool) or not -extent <= number < extent:
        raise IndexingError(f"index {item} of a region is out of bounds for size {extent}")
    return slice(number % extent, number % extent + 1)
