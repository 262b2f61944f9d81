"""The page that a plan writes; what is on it: tests/diagnostics/test_page.py."""

from pathlib import Path

import pytest

import dask_tapestry as dt


def test_a_page_is_written_where_it_is_asked_for(tmp_path):
    p = dt.plan(dt.ones((4, 6)).sum(axis=0))
    name = p.visualize(str(tmp_path / "here.html"))
    assert name == str(tmp_path / "here.html")
    assert Path(name).read_text("utf-8").startswith("<!doctype html>")
    assert "<table" in p._repr_html_()


def test_a_page_of_arrays_whose_shape_is_counted_has_its_run(tmp_path):
    x = dt.arange(10)
    p = dt.plan(x[x > 4] * 2)
    assert p.compute().tolist() == [10, 12, 14, 16, 18]
    page = Path(p.visualize(str(tmp_path / "plan.html"))).read_text("utf-8")
    assert "<dt>measured</dt>" in page


@pytest.mark.parametrize("wrong", [[1], {9: (1, 1, 1)}, {1: (1, 1)}, "all"])
def test_what_is_not_measured_is_refused(wrong, tmp_path):
    p = dt.plan(dt.ones((4, 6)).sum(axis=0))
    with pytest.raises(dt.PlanError, match="measured"):
        p.visualize(str(tmp_path / "plan.html"), measured=wrong)
    assert not list(tmp_path.iterdir())
