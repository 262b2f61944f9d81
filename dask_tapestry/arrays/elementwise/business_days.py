"""Business days and texts of dates: `busday_count`, `is_busday`, `datetime_as_string`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells

__all__ = ["busday_count", "busday_offset", "datetime_as_string", "is_busday"]

DAYS: np.dtype[Any] = np.dtype("M8[D]")
Week = str | list[bool] | ArrayLike
Roll = Literal[
    "raise", "nat", "forward", "following", "backward", "preceding", "modifiedfollowing",
    "modifiedpreceding",
]  # fmt: skip


@dataclass(frozen=True)
class OfDays:
    """A function of NumPy's with its keywords in place, called on blocks.

    {Attributes}
        function: Of days.
        kwargs: Names and values.
    """

    function: Callable[..., Any]
    kwargs: tuple[tuple[str, Any], ...]

    @property
    def __name__(self) -> str:
        return self.function.__name__

    def __call__(self, *blocks: Any) -> Any:
        return self.function(*blocks, **dict(self.kwargs))


@implements(np.is_busday)
def is_busday(
    dates: ArrayLike,
    weekmask: Week = "1111100",
    holidays: ArrayLike | None = None,
    busdaycal: np.busdaycalendar | None = None,
    out: Array | None = None,
) -> Array:
    """Return which dates are days of work, as `numpy.is_busday`.

    {Parameters}
        dates: Dates, of days or longer units.
        weekmask: The days of a week that are, from Monday.
        holidays: Dates that are none.
        busdaycal: Both together, instead of them.
        out: An array that takes the result's value.
    {Returns} Array: Booleans, of the shape of `dates`.
    {Raises}
        DTypeError: For what are no days: times of a day are not cut off.
        ArgumentError: If a calendar is given beside a week or holidays.
    {See Also} busday_count, busday_offset
    {Examples}
    >>> dt.is_busday(["2026-01-02", "2026-01-03"]).compute()
    array([ True, False])
    """
    calendar = _calendar(weekmask, holidays, busdaycal)
    return _of_days(np.is_busday, [_dates(dates)], calendar, out)


@implements(np.busday_count)
def busday_count(
    begindates: ArrayLike,
    enddates: ArrayLike,
    weekmask: Week = "1111100",
    holidays: ArrayLike = (),
    busdaycal: np.busdaycalendar | None = None,
    out: Array | None = None,
) -> Array:
    """Return how many days of work lie from one date to before another, as `numpy.busday_count`.

    {Parameters}
        begindates, enddates: Dates, which broadcast.
        weekmask, holidays, busdaycal: As of `is_busday`.
        out: An array that takes the result's value.
    {Returns} Array: int64, of the common shape; negative where the end comes first.
    {Raises}
        DTypeError: For what are no days: times of a day are not cut off.
        ArgumentError: If a calendar is given beside a week or holidays.
    {See Also} is_busday, busday_offset
    {Examples}
    >>> dt.busday_count(dt.asarray(["2026-01"], "M8[M]").astype("M8[D]"), "2026-02-01").compute()
    array([22])
    """
    calendar = _calendar(weekmask, holidays, busdaycal)
    return _of_days(np.busday_count, [_dates(begindates), _dates(enddates)], calendar, out)


@implements(np.busday_offset)
def busday_offset(
    dates: ArrayLike,
    offsets: ArrayLike,
    roll: Roll = "raise",
    weekmask: Week = "1111100",
    holidays: ArrayLike | None = None,
    busdaycal: np.busdaycalendar | None = None,
    out: Array | None = None,
) -> Array:
    """Return the dates that come some days of work later, as `numpy.busday_offset`.

    {Parameters}
        dates: Dates.
        offsets: Numbers of days of work, which broadcast with them.
        roll: What a date that is none stands for: ``"forward"`` the next one, ``"backward"`` the
            one before, ...
        weekmask, holidays, busdaycal: As of `is_busday`.
        out: An array that takes the result's value.
    {Returns} Array: ``datetime64[D]``, of the common shape.
    {Raises}
        DTypeError: For what are no dates, or offsets that are no integers.
        ArgumentError: If a calendar is given beside a week or holidays; when it is computed, for a
            date that is no day of work, unless `roll` says more.
    {See Also} is_busday, busday_count
    {Examples}
    >>> dt.busday_offset(["2026-01-02"], 1).compute()
    array(['2026-01-05'], dtype='datetime64[D]')
    """
    calendar = {"roll": roll} | _calendar(weekmask, holidays, busdaycal)
    steps = asarray(offsets)
    if steps.dtype.kind not in "biu":
        raise DTypeError(f"offsets are integers, not {steps.dtype}")
    return _of_days(np.busday_offset, [_dates(dates), steps], calendar, out)


@implements(np.datetime_as_string)
def datetime_as_string(
    arr: ArrayLike, unit: str | None = None, timezone: Any = "naive", casting: Any = "same_kind"
) -> Array:
    """Return dates as texts of ISO 8601, as `numpy.datetime_as_string`.

    {Parameters}
        arr: Dates.
        unit: What the texts end with, as ``"D"``; by default the unit of the dates.
        timezone: ``"naive"``, ``"UTC"``, ``"local"``, or an object of Python's.
        casting: What changes of the unit are allowed.
    {Returns} Array: Texts, of the shape of `arr`.
    {Raises}
        DTypeError: For what are no dates, or a unit that `casting` forbids.
        ArgumentError: For the unit ``"auto"``, which asks all dates.
    {Examples}
    >>> dt.datetime_as_string(dt.asarray(["2026-01-02T12"], "M8[h]"), unit="D").compute()
    array(['2026-01-02'], dtype='<U28')
    """
    dates = asarray(arr)
    if dates.dtype.kind != "M":
        raise DTypeError(f"input must have type NumPy datetime, not {dates.dtype}")
    if unit == "auto":
        raise ArgumentError("unit='auto' asks all dates: name the unit, as unit='D'")
    kwargs = {"unit": unit, "timezone": timezone, "casting": casting}
    return _of_days(np.datetime_as_string, [dates], kwargs, None)


def _dates(values: ArrayLike) -> Array:
    """Values as dates, of days."""
    if not isinstance(values, Array):
        with reading("dates"):
            values = np.asarray(values)
            values = values.astype(DAYS) if values.dtype.kind in "OU" else values
    dates = asarray(values)
    if dates.dtype.kind != "M" or not np.can_cast(dates.dtype, DAYS):
        raise DTypeError(
            f"dates must be days, not {dates.dtype}: astype('M8[D]') makes days of them"
        )
    return dates.astype(DAYS)


def _calendar(
    weekmask: Week, holidays: ArrayLike | None, calendar: np.busdaycalendar | None
) -> dict[str, Any]:
    """A week and holidays, in values that travel."""
    none = holidays is None or not np.size(holidays)
    if calendar is None:
        with reading("weekmask and holidays"):
            calendar = np.busdaycalendar(weekmask, [] if none else np.asarray(holidays, DAYS))  # type: ignore[arg-type]
    elif not none or not isinstance(weekmask, str) or weekmask != "1111100":
        raise ArgumentError("Cannot supply both the weekmask/holidays and the busdaycal parameters")
    return {"weekmask": calendar.weekmask, "holidays": calendar.holidays}


def _of_days(
    function: Callable[..., Any], given: list[Array], kwargs: dict[str, Any], out: Array | None
) -> Array:
    called = OfDays(function, tuple(kwargs.items()))
    with reading(function.__name__):  # one day, of which NumPy refuses what it would of all
        first = [np.zeros(1, one.dtype) for one in given]
        trial = called(*[one + 4 if one.dtype.kind == "M" else one for one in first])
    made = called_on_cells(called, trial.dtype, [one.node for one in given])
    return assigned_to_out(out, Array(made))
