from pathlib import Path

import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics import plan_file
from dask_tapestry.diagnostics.plan_file import explain_file, text_of, told_of_file
from dask_tapestry.errors import PlanError


@pytest.fixture
def plan():
    return dt.plan(dt.placeholder((1000, 10), "f8", stored_chunks=(100, 10)).std(axis=0))


def test_a_file_explains_as_its_plan(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    assert explain_file(tmp_path / "plan.json") == plan.explain()
    assert explain_file(str(tmp_path / "plan.json"), all=True, rates=True) == plan.explain(
        all=True, rates=True
    )


def test_what_cannot_be_read_is_named(tmp_path, monkeypatch):
    with pytest.raises(dt.StoreNotFoundError, match="there is no plan at"):
        explain_file(tmp_path / "nowhere.json")
    with pytest.raises(dt.StoreError, match="cannot read the plan"):
        told_of_file(tmp_path)
    (tmp_path / "x").write_bytes(b"\xff\xfe")
    with pytest.raises(PlanError, match="is not a plan"):
        text_of(tmp_path / "x")
    monkeypatch.setattr(plan_file, "READ_FILE_LETTERS", 1)
    with pytest.raises(PlanError, match="has 2 bytes, of 1 at most"):
        text_of(Path(tmp_path / "x"))
