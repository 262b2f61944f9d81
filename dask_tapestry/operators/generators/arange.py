"""Arange: evenly spaced values, a function of the coordinate."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from math import ceil, copysign, isnan
from typing import Any

import numpy as np

from dask_tapestry.amounts import reading
from dask_tapestry.cells import Span
from dask_tapestry.cells.value_span import span_of_dtype
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError, ValueRangeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import GeneratorOperator, Progression, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import ZRange

LONGEST = 2**63 - 1


@dataclass(frozen=True)
class Arange(GeneratorOperator):
    """Cell i is ``first + places[i] * delta``: shape (places.count,), of `dtype`."""

    name = "arange"
    kernel = "arange"
    copies = True  # its blocks take memory, so they are cut to fit it
    fills = True
    dtype: np.dtype[Any]
    first: bytes
    delta: bytes
    places: Progression
    written: str  # as the user gave it, for printing

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType((self.places.count,), self.dtype)

    @property
    def _numbers(self) -> np.dtype[Any]:
        """Dtype in which the values are computed: int64 for times."""
        return np.dtype(np.int64) if self.dtype.kind in "mM" else self.dtype

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        start, step = self.places.start, self.places.step
        return {
            "first": np.frombuffer(self.first, self._numbers)[0],
            "delta": np.frombuffer(self.delta, self._numbers)[0],
            "dtype": self.dtype,
            "places": range(start + step * box.lo[0], start + step * box.hi[0], step),
        }

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        held = span_of_dtype(self.dtype)
        if held is None or not self.places.count:
            return None
        first = int(np.frombuffer(self.first, self.dtype)[0])
        delta = int(np.frombuffer(self.delta, self.dtype)[0])
        ends = [first + delta * place for place in (self.places.start, self.places.stop - 1)]
        found = Span(min(ends), max(ends))
        return found if found.is_within(held) else None  # what is beyond begins again

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        (part,) = region
        start, step = self.places.start, self.places.step
        places = Progression(start + step * part.start, step * part.step, part.count)
        cut = Arange(self.dtype, self.first, self.delta, places, self.written)
        return Restriction(cut, (), region)

    def text(self) -> str:
        start, step, count = self.places.start, self.places.step, self.places.count
        whole = start == 0 and step == 1
        return self.written + ("" if whole else f", places {start}:+{step}x{count}")

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        start, step, count = self.places.start, self.places.step, self.places.count
        delta = np.frombuffer(self.delta, self._numbers)[0]
        first = np.frombuffer(self.first, self._numbers)[0]
        places = np.arange(start, start + step * count, step).astype(self._numbers)
        result: np.ndarray[Any, Any] = (first + places * delta).view(self.dtype)
        return result


def arange(start: Any, stop: Any, step: Any, dtype: np.dtype[Any] | None) -> Tensor:
    """Return evenly spaced values in ``[start, stop)``, as `numpy.arange` does.

    A `start` of None is zero, a `step` of None one.

    Raises
    ------
    DTypeError
        For bounds or a dtype that have no numbers.
    ShapeError
        If there would be too many values, or no number of them.
    ValueRangeError
        If a bound does not fit the dtype.
    """
    step = 1 if step is None else step
    bounds = [bound for bound in (start, stop, step) if bound is not None]
    kind = _kind(*bounds) if dtype is None else dtype
    if kind.kind not in "iufcmM":
        raise DTypeError(f"arange does not support dtype {kind}")
    if kind.kind == "M" and start is None:
        raise ArgumentError("arange requires both a start and a stop for NumPy datetime64 ranges")
    start = 0 if start is None else start
    written = f"{start}, {stop}, {step}"
    with np.errstate(all="ignore"):
        if kind.kind in "mM":
            kind, first, delta, count = _times(start, stop, step, kind)
        else:
            count = _count(start, stop, step)
            first = _cell(start if count else 0, kind)
            delta = _cell(start + step, kind) - first if count > 1 else _cell(0, kind)
    places = Progression(0, 1, count)
    return apply(Arange(kind, first.tobytes(), delta.tobytes(), places, written))


def _kind(*bounds: Any) -> np.dtype[Any]:
    """Dtype that NumPy chooses: of times, or at least int64."""
    with reading("arange"):
        kinds = [np.asarray(_time(bound)).dtype for bound in bounds]
    times = {kind.kind for kind in kinds} & {"M", "m"}
    if times:
        return np.dtype("M8" if "M" in times else "m8")
    try:
        return np.result_type(np.int64, *kinds)
    except TypeError as error:
        raise DTypeError(f"arange has no values between {bounds}: {error}") from None


def _cell(value: Any, kind: np.dtype[Any]) -> Any:
    """`value` as it is stored in an array of `kind`."""
    cell = np.zeros((), kind)
    with reading("arange"):
        try:
            cell[()] = value
        except OverflowError as error:
            raise ValueRangeError(str(error)) from None
    return cell[()]


def _count(start: Any, stop: Any, step: Any) -> int:
    """Number of values; of complex numbers the part that ends first decides."""
    with reading("arange"):
        number = (stop - start) / step
        parts = (number.real, number.imag) if isinstance(number, complex) else (float(number),)
    if any(isnan(part) for part in parts):
        raise ShapeError("arange: cannot compute length")
    if any(abs(part) >= LONGEST for part in parts):
        raise ShapeError("Maximum allowed size exceeded")
    if parts == (0.0,) and stop != start:  # their difference is lost to rounding
        return int(copysign(1, parts[0]) > 0)
    return max(0, min(ceil(part) for part in parts))


def _times(
    start: Any, stop: Any, step: Any, kind: np.dtype[Any]
) -> tuple[np.dtype[Any], np.int64, np.int64, int]:
    """Dtype, first value, step and number of datetimes or timedeltas, as integers."""
    bounds = [np.asarray(_time(bound)) for bound in (start, stop, step)]
    if bounds[2].dtype.kind == "M":
        raise ArgumentError("cannot use a datetime as a step in arange")
    starts = "MiuUS" if kind.kind == "M" else "miu"
    if bounds[0].dtype.kind not in starts or bounds[1].dtype.kind not in "m" + starts:
        raise ArgumentError(f"Could not convert bounds {start}, {stop} of arange to {kind}")
    if bounds[2].dtype.kind not in "miu":
        raise ArgumentError(f"Could not convert step {step} of arange to a NumPy timedelta")
    unit = kind if np.datetime_data(kind)[0] != "generic" else _unit(bounds, kind)
    span = np.dtype(unit.str.replace("M8", "m8"))
    try:
        first = bounds[0].astype(unit)
        last = first + bounds[1].astype(span) if bounds[1].dtype.kind in "ium" else bounds[1]
        if kind.kind == "m":
            last = bounds[1].astype(span)
        last = last.astype(unit)
        delta = bounds[2].astype(span)
    except TypeError as error:
        raise ArgumentError(f"arange: could not convert bounds to {unit}: {error}") from None
    if any(np.isnat(value) for value in (first, last, delta)):
        raise ArgumentError("arange: cannot use NaT (not-a-time) datetime values")
    a, b, d = (int(value.view(np.int64)) for value in (first, last, delta))
    if not d:
        raise ArgumentError("arange: step cannot be zero")
    return unit, np.int64(a), np.int64(d), max(0, -((a - b) // d))


def _time(bound: Any) -> Any:
    if isinstance(bound, datetime.date):
        return np.datetime64(bound)
    return np.timedelta64(bound) if isinstance(bound, datetime.timedelta) else bound


def _unit(bounds: Sequence[np.ndarray[Any, Any]], kind: np.dtype[Any]) -> np.dtype[Any]:
    """The finest unit of the bounds."""
    if kind.kind == "M" and bounds[0].dtype.kind in "iu":
        raise ArgumentError("Converting an integer to a NumPy datetime requires a specified unit")
    times = [b.astype("M8") if b.dtype.kind in "US" else b for b in bounds]
    kinds = [b.dtype for b in times if b.dtype.kind in "mM"]
    try:
        finest = np.result_type(kind, *[k.str.replace("m8", kind.str[1:]) for k in kinds])
        for span in kinds:  # a month has no fixed number of days
            if span.kind == "m":
                np.result_type(span, finest.str.replace("M8", "m8"))
    except TypeError as error:
        raise DTypeError(str(error)) from None
    return finest
