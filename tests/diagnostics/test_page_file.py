from pathlib import Path

import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics.page_file import measured_steps
from dask_tapestry.errors import PlanError


@pytest.mark.parametrize(
    "measured",
    [[1], {0: (1, 1, 1)}, {3: (1, 1, 1)}, {True: (1, 1, 1)}, {1: (1, 1)}, {1: (1, -1, 1)},
     {1: (float("nan"), 1, 1)}, {1: 5}, {1: "abc"}],
)  # fmt: skip
def test_what_is_not_measured_is_refused(measured):
    with pytest.raises(PlanError, match="measured"):
        measured_steps(measured, 2)


def test_measured_is_laid_beside_predicted(tmp_path):
    plan = dt.plan(dt.ones((4, 6)).sum(axis=0))
    name = plan.visualize(str(tmp_path / "plan.html"), measured={1: (90, 48, 2**20)})
    page = Path(name).read_text("utf-8")
    assert "1.5 min" in page
    assert "worker peak 1.00 MiB" in page
