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


def test_a_block_that_is_chosen_is_shown_first(tmp_path):
    x = dt.placeholder((100, 6), "f8", stored_chunks=(10, 6))
    p = dt.plan(x.rechunk((5, 6)), resources=dt.Resources(4, 2, "8 GiB"))
    page = Path(p.visualize(str(tmp_path / "p.html"), blocks={1: (13, 0)})).read_text("utf-8")
    assert page.index("[65:70, 0:6]") < page.index("[0:5, 0:6]")
    assert "[65:70, 0:6]" not in Path(p.visualize(str(tmp_path / "q.html"))).read_text("utf-8")


@pytest.mark.parametrize(
    "wrong", [{2: (0, 0)}, {1: (20, 0)}, {1: (0,)}, {1: 3}, {"1": (0, 0)}, {1: (-1, 0)}]
)
def test_a_block_that_there_is_not(wrong, tmp_path):
    p = dt.plan(
        dt.placeholder((100, 6), "f8").rechunk((5, 6)), resources=dt.Resources(4, 2, "8 GiB")
    )
    with pytest.raises(dt.PlanError, match="blocks names"):
        p.visualize(str(tmp_path / "p.html"), blocks=wrong)
