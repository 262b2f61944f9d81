"""Small values are cut and held as large ones are, so that what is lowered has several steps."""

import pytest

from dask_tapestry.planner.search import one_space


@pytest.fixture(autouse=True)
def several_steps(monkeypatch):
    """No plan is taken for being one block a result."""
    monkeypatch.setattr(one_space, "in_one_block", lambda space: None)
