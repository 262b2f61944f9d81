"""Writes that are killed at random moments go on, and are exact in the end."""

import pytest

from tests.covering import beyond
from tests.io.killed_writes import KINDS, killed_writes

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    ("kind", "kills"),
    [("threads", 1), beyond("threads over", 1), ("threads region", 1), ("cluster", 1)],
    ids=["threads", "threads over", "threads region", "cluster"],
)
def test_a_killed_write_goes_on(tmp_path, kind, kills):
    report = killed_writes(kind, tmp_path, kills, seed=len(kind))
    assert not report.wrong, "\n".join(report.wrong)
    assert report.kills, report


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_fifty_kills(tmp_path, kind, seed):
    report = killed_writes(kind, tmp_path, kills=5, seed=seed)
    assert not report.wrong, "\n".join(report.wrong)
