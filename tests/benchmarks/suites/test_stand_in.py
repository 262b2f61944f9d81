import importlib

import dask.array as da
import pytest

import dask_tapestry as dt
from benchmarks.suites import stand_in


@pytest.fixture(autouse=True)
def _installed():
    stand_in.install()


def test_public_names_are_ours():
    ours = importlib.import_module("tapestry_as_dask")
    assert ours.ones is dt.ones
    assert ours.Array is dt.Array
    assert ours.linalg.norm is dt.linalg.norm
    assert ours.core.from_array is dt.from_array


def test_what_dask_has_inside_is_its_own():
    slicing = importlib.import_module("tapestry_as_dask.slicing")
    assert slicing.parse_assignment_indices is da.slicing.parse_assignment_indices


def test_a_missing_name_raises_when_it_is_called():
    missing = stand_in.Missing("tiles")
    with pytest.raises(AttributeError, match="missing: tiles"):
        missing(3)
    assert missing.outer.name == "tiles.outer"


def test_names_that_dask_lacks_are_missing():
    ours = importlib.import_module("tapestry_as_dask")
    with pytest.raises(AttributeError):
        ours.no_such_function  # noqa: B018


def test_text_is_translated():
    text = stand_in.translated(
        "from __future__ import annotations\nimport dask.array as da\n"
        "from dask.array.tests.test_dispatch import X\n"
    )
    assert text.splitlines() == [
        "from __future__ import annotations",
        "import tapestry_as_dask",
        "import tapestry_as_dask as da",
        "from dask_array_tests.test_dispatch import X",
    ]
