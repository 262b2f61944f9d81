"""Cells run in one namespace; what fails is told, and the others run."""

import pytest

from benchmarks.notebooks.run import run, tutorial_dataset


def test_cells_share_names_and_errors_are_told():
    found = run(["x = 1", "x + y", "assert x == 1\nx"])
    assert len(found["seconds"]) == 3
    (error,) = found["errors"]
    assert error["cell"] == 1
    assert error["error"].startswith("NameError")


def test_the_last_expression_is_shown_as_a_page_shows_it():
    cell = "class Shown:\n    def _repr_html_(self):\n        1 / 0\nShown()\nShown()"
    (error,) = run([cell])["errors"]
    assert error["error"].startswith("ZeroDivisionError")
    assert not run([f"{cell}\nx = 1"])["errors"]


@pytest.mark.parametrize("name", ["air_temperature", "rasm"])
def test_datasets_have_the_names_that_notebooks_use(name):
    pytest.importorskip("xarray")
    made = tutorial_dataset(name)
    assert made["air" if name == "air_temperature" else "Tair"].dims[0] == "time"
    assert tutorial_dataset(name, chunks={"time": 10}).chunksizes["time"][0] == 10
