"""A plan's page, written to a file, with what its steps took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real

from dask_tapestry.diagnostics.page import plan_page
from dask_tapestry.diagnostics.plan_summary import PlanSummary
from dask_tapestry.diagnostics.step_details import Measured
from dask_tapestry.diagnostics.step_rows import Code
from dask_tapestry.errors import PlanError

MeasuredSteps = Mapping[int, tuple[float, float, float]] | None


def write_page(
    filename: str,
    plan: PlanSummary,
    measured: Mapping[int, Sequence[float]] | None = None,
    code: Code | None = None,
) -> str:
    """Write the page; return the filename.

    Raises
    ------
    PlanError
        If `measured` is of other steps, or not of three numbers each.
    """
    text = plan_page(plan, measured_steps(measured, len(plan.steps)), code)
    with open(filename, "w", encoding="utf-8") as file:
        file.write(text)
    return filename


def measured_steps(measured: object, count: int) -> dict[int, Measured]:
    """What a user gives as measured, checked.

    Examples
    --------
    >>> measured_steps({1: (0.5, 80, 2**20)}, 1)
    {1: Measured(seconds=0.5, bytes=80.0, peak=1048576.0)}
    """
    if measured is None:
        return {}
    if not isinstance(measured, Mapping):
        raise PlanError(f"measured is {measured!r}: give {{number: (seconds, bytes, peak)}}")
    return {_number(n, count): _measured_step(n, taken) for n, taken in measured.items()}


def _number(number: object, count: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
        raise PlanError(f"measured names step {number!r}: the plan has steps 1 to {count}")
    return number


def _measured_step(number: object, taken: object) -> Measured:
    given = tuple(taken) if isinstance(taken, Sequence) else ()
    figures = [float(x) for x in given if isinstance(x, Real) and isfinite(x) and float(x) >= 0]
    if len(given) != 3 or len(figures) != 3:
        raise PlanError(
            f"measured of step {number} is {taken!r}: give (seconds, bytes, peak), "
            "three numbers that are not negative"
        )
    return Measured(*figures)
