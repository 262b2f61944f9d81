"""Files of plans: their text, and what they tell without the arrays."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from dask_tapestry.diagnostics.explain import explain
from dask_tapestry.diagnostics.plan_summary import PlanSummary
from dask_tapestry.diagnostics.plan_summary_json import read_told
from dask_tapestry.diagnostics.tuning import READ_FILE_LETTERS
from dask_tapestry.errors import PlanError, StoreError, StoreNotFoundError


def text_of(file: Path) -> str:
    """What a file of a plan holds.

    Raises
    ------
    PlanError
        If it is no text, or larger than any plan.
    StoreError
        If it cannot be read; StoreNotFoundError if it is not there.
    """
    try:
        size = file.stat().st_size
        if size > READ_FILE_LETTERS:
            raise PlanError(
                f"{file} is not a plan: it has {size:,} bytes, of {READ_FILE_LETTERS:,} at most"
            )
        return file.read_text("utf-8")
    except FileNotFoundError:
        raise StoreNotFoundError(f"there is no plan at {file}") from None
    except OSError as error:
        raise StoreError(f"cannot read the plan {file}: {error}") from error
    except UnicodeDecodeError as error:
        raise PlanError(f"{file} is not a plan: {error}") from None


def told_of_file(filename: str | PathLike[str]) -> PlanSummary:
    """What a plan file tells of its plan, without the arrays.

    Raises
    ------
    PlanError
        If it is not a plan, is damaged, or holds no graph, as files of earlier versions.
    """
    file = Path(filename)
    return read_told(text_of(file), str(file))


def explain_file(filename: str | PathLike[str], *, all: bool = False, rates: bool = False) -> str:
    """Explain the plan in a file: the text is that of `Plan.explain`, word for word.

    It needs neither the arrays nor the user's code; `dask-tapestry explain plan.json` prints it.
    With `all` the operators of steps are named too, with `rates` the speeds of the machines.

    Raises
    ------
    PlanError
        If it is not a plan, is damaged, or holds no graph, as files of earlier versions.
    StoreError
        If it cannot be read; StoreNotFoundError if it is not there.

    Examples
    --------
    >>> import dask_tapestry as dt, tempfile
    >>> p = dt.plan(dt.ones((4, 6)).sum(axis=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     p.save(f"{folder}/plan.json")
    ...     explain_file(f"{folder}/plan.json") == p.explain()
    True
    """
    return explain(told_of_file(filename), all=all, rates=rates)
