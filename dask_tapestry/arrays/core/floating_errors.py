"""Errors of floating point of a compute, as `numpy.errstate` wants them, once each.

The state of the thread that computes decides, not that of the one that built the array: so it does
in NumPy, where both are one.
"""

from __future__ import annotations

import warnings

from dask_tapestry.compute_errors import without_own_frames
from dask_tapestry.lower.errstate_reporting import ErrorState, category_of, tell_of_nesting
from dask_tapestry.lower.fp_error_events import ErrorLog, collect_errors
from dask_tapestry.planner.machine.resources import runs_in_processes
from dask_tapestry.teg.users_line import users_level


class ErrorReporting:
    """Inside a ``with`` block, computes tell what went wrong when it ends.

    Errors of blocks leave it without the frames that led to the block.
    """

    def __enter__(self) -> ErrorLog:
        tell_of_nesting()
        self._state = ErrorState()
        raised = self._state.raised
        if raised and not runs_in_processes():
            raised = frozenset()  # when it has ended, here
        self._asking = collect_errors(ErrorLog(self._state.asked, raised=raised))
        return self._asking.__enter__()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._asking.__exit__()
        if error is not None:
            without_own_frames(error)
        if error is None and self._asking.heard.texts:
            self._state.tell(self._asking.heard.texts, _warn)


def _warn(text: str) -> None:
    warnings.warn(text, category_of(text), stacklevel=users_level())
