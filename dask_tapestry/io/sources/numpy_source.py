"""Arrays in memory as sources."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from hashlib import blake2b
from os import urandom
from typing import Any, Literal

import numpy as np

from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.io.sources.cells_digest import cells_digest
from dask_tapestry.io.sources.declared_type import declared_type
from dask_tapestry.io.sources.masked_array import is_masked
from dask_tapestry.io.sources.source_parameter import SourceParameter
from dask_tapestry.io.tuning import HASHED_BYTES
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Source, Tensor, TensorType, apply
from dask_tapestry.teg.node import form_of_token
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.token import OpenToken
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class NumpySource(Source):
    """An array of this process, known by a fresh identifier, or by its cells if few and its own."""

    name = "memory"
    external = True
    identity: str
    type: TensorType
    data: np.ndarray[Any, Any] = field(compare=False, repr=False)
    is_table: bool = False

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        return self.data[box.index()]

    @property
    def order(self) -> Literal["C", "F"]:  # type: ignore[override]
        return order_of(self.data)

    def origin(self) -> str:
        """Digest of the cells: each is looked at."""
        return f"{self.type} {cells_digest(self.data)}"

    def slot(self, number: int, identity: str = "") -> SourceParameter:
        return _slot(number, self.type, identity, self.order, self.is_table)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.data

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return ()


def order_of(array: np.ndarray[Any, Any]) -> Literal["C", "F"]:
    """How an array lies in memory: "F" where only its columns lie one after the other."""
    flags = array.flags
    return "F" if flags.f_contiguous and not flags.c_contiguous else "C"


def from_numpy(data: object, dims: Dims = None) -> Tensor:
    """Return a tensor of an array-like's cells, without a copy where it is a NumPy array.

    Numbers and sequences that are written out in a program are known by their cells: the same
    ones are one value, each time that they are given.

    Raises
    ------
    DTypeError
        For arrays with a mask, and structured cells with Python objects as fields.
    ShapeError
        For nested sequences of unequal lengths.
    """
    if is_masked(data):
        raise DTypeError(
            "a masked array has no plain cells: `dt.ma.masked_array` and `from_array` keep its "
            "mask, `filled()` fills it"
        )
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ArgumentError(f"not an array, as of lists of unequal lengths: {error}") from None
    type_ = declared_type(array.shape, array.dtype, dims)
    if not array.dtype.isnative:
        array = array.astype(type_.dtype)
    own = isinstance(data, list | tuple | int | float | complex | np.generic)
    identity = _token(array) if own and array.nbytes <= HASHED_BYTES else urandom(16).hex()
    return source_of(identity, type_, array)


def source_of(
    identity: str,
    type_: TensorType,
    array: np.ndarray[Any, Any],
    is_table: bool = False,
    line: str | None = None,
) -> Tensor:
    """Return a tensor of an array's cells, known by its identity; `line` is as for `apply`."""
    operator = NumpySource(identity, type_, array, is_table)
    form = form_of_token(_open_token(type_, is_table).filled(identity))
    return apply(operator, form=form, line=line)


def constant(array: np.ndarray[Any, Any], most: int = HASHED_BYTES) -> Tensor:
    """Return a tensor of cells as they are now; `most` bytes or fewer are known by their values.

    For what an operation is told beside its operands, such as places to look at.
    """
    if array.nbytes > most or not array.dtype.isnative:
        return from_numpy(array)
    held = array.copy()
    type_ = declared_type(held.shape, held.dtype, None)
    return source_of(_token(held), type_, held)


def table(array: np.ndarray[Any, Any]) -> Tensor:
    """Return a tensor of cells as they are now, known by their values, that tasks read most of.

    Equal ones are one value, in whichever expressions they are, and workers have it once.
    """
    held = array.copy()
    type_ = declared_type(held.shape, held.dtype, None)
    return source_of(_token(held), type_, held, is_table=True)


@lru_cache(maxsize=1024)  # each array of a loop is one of the same type
def _open_token(type_: TensorType, is_table: bool) -> OpenToken:
    """The token of arrays of a type, for any identity."""
    hole = "\0identity"
    return OpenToken(NumpySource(hole, type_, np.empty(0), is_table), (hole,))


@lru_cache(maxsize=1024)  # each plan that is looked for asks for those of its arrays
def _slot(
    number: int, type_: TensorType, identity: str, order: Literal["C", "F"], is_table: bool
) -> SourceParameter:
    return SourceParameter(number, type_, None, order, identity, is_table=is_table)


def _token(array: np.ndarray[Any, Any]) -> str:
    """A digest of an array's cells; its type is told beside it."""
    return blake2b(array.tobytes(), digest_size=16).hexdigest()
