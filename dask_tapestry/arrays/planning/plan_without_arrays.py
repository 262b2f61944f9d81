"""Plans that were read from files without the arrays: to be looked at, not computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from dask_tapestry.arrays.core.name_suggestions import NameSuggestions
from dask_tapestry.diagnostics.compare import difference
from dask_tapestry.diagnostics.explain import explain
from dask_tapestry.diagnostics.page_file import MeasuredSteps, write_page
from dask_tapestry.diagnostics.plan_summary import PlanSummary
from dask_tapestry.errors import PlanError

NEEDS_ARRAYS = frozenset(
    "abstract chunks compute core frontier graph persist profile resources save simulate teg trace "
    "verify".split()
)


@final
class PlanWithoutArrays(NameSuggestions):
    """What a plan file tells, as `dask_tapestry.load_plan` without arrays returns it.

    It is explained, compared and drawn as the plan itself. It has no operators and no data: to
    compute it, give `load_plan` the arrays that it was made for.

    {Parameters}
        told: What the file tells.
        name: Of the file.

    Examples
    --------
    >>> import dask_tapestry as dt, tempfile
    >>> p = dt.plan(dt.ones((4, 6)).sum(axis=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     p.save(f"{folder}/plan.json")
    ...     q = dt.load_plan(f"{folder}/plan.json")
    >>> q.explain() == p.explain(), q.diff(p)
    (True, 'the plans are the same')
    """

    __slots__ = ("_name", "told")

    def __init__(self, told: PlanSummary, name: str) -> None:
        self.told, self._name = told, name

    @property
    def cost(self) -> dict[str, float]:
        """Estimates, as of `Plan.cost`."""
        return dict(self.told.cost)

    def explain(self, *, all: bool = False, rates: bool = False) -> str:
        """Return the plan as text, as `Plan.explain` does."""
        return explain(self.told, all=all, rates=rates)

    def diff(self, other: Any) -> str:
        """Return what differs between this plan and another one as text, as `Plan.diff` does."""
        return difference(self.told, getattr(other, "told", None) or other.core)

    def visualize(self, filename: str = "plan.html", *, measured: MeasuredSteps = None) -> str:
        """Write the plan as an HTML page, as `Plan.visualize` does; return the filename.

        The text of code lines is left out: no file that the plan file names is read.
        """
        return write_page(filename, self.told, measured)

    if not TYPE_CHECKING:  # for type checkers it would have all attributes

        def __getattr__(self, name: str) -> Any:
            if name in NEEDS_ARRAYS:
                raise PlanError(
                    f"{self._name} was read without its arrays, so that the plan has no {name!r}: "
                    "give them, as load_plan(filename, x, y)"
                )
            return super().__getattr__(name)

    def __repr__(self) -> str:
        return self.explain()
