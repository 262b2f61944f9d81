"""PlanPage: a plan as a page, with what its last run took."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

from dask_tapestry.amounts import truth
from dask_tapestry.arrays.core.late_modules import measured_run
from dask_tapestry.arrays.core.name_suggestions import NameSuggestions
from dask_tapestry.diagnostics.page import plan_html
from dask_tapestry.diagnostics.page_file import MeasuredSteps, write_page
from dask_tapestry.diagnostics.plan_summaries import told_whole, with_blocks
from dask_tapestry.diagnostics.users_code import users_code
from dask_tapestry.planner.plan import PlannedGraph


class PlanPage(NameSuggestions):
    """What a plan has of pages; a notebook shows it as one."""

    __slots__ = ()

    core: PlannedGraph

    @abstractmethod
    def _core(self) -> PlannedGraph:
        """The plan to run."""

    def visualize(
        self,
        filename: str = "plan.html",
        *,
        measured: MeasuredSteps | Literal[False] = None,
        recalibrate: bool = False,
        blocks: Mapping[int, Sequence[int]] | None = None,
    ) -> str:
        """Write the plan as an HTML page, which needs no network and has no script.

        It says what limits the job, and shows the steps in order of time with the code of your
        lines. A step opens to its operators, their index spaces and the slices of some blocks.
        After a run, what that took lies over what was predicted.

        {Parameters}
            filename: Where to write it.
            measured: Of steps, numbered from 1 on as by `explain`, the seconds, bytes of the result
                and largest memory of a worker that were measured, to be shown beside what was
                predicted. By default those of the last run that `profile` knows; False shows none.
            recalibrate: Have later plans count with the rates of kernels and stores that the last
                run showed; they are kept as those of `dask_tapestry.calibrate` are. Let nothing
                else run in that.
            blocks: Of steps, by number, the index of a block in the step's grid, whose slices are
                to be shown before those of some others: ``{2: (0, 5)}``.

        {Returns} str: The filename.
        {Raises}
            PlanError: If `measured` names a step that the plan has not, or is not of three numbers;
                if `blocks` names a block that there is not; or no run is known, and done, by which
                to recalibrate.

        See Also
        --------
        profile, dask_tapestry.calibrate

        Examples
        --------
        >>> import dask_tapestry as dt, pathlib, tempfile
        >>> p = dt.plan(dt.ones((1000, 1000)).sum(axis=0))
        >>> values = p.compute()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = pathlib.Path(p.visualize(f"{folder}/plan.html")).read_text("utf-8")
        >>> "measured" in page
        True
        """
        core = self._core()
        if truth("recalibrate", recalibrate):
            measured_run.recalibrate(core)
        taken = measured_run.measured_run(core) if measured is None else measured
        told = with_blocks(core, told_whole(core), blocks or {})
        return write_page(filename, told, taken or None, users_code)

    def _repr_html_(self) -> str:
        return plan_html(self.core)
