from types import SimpleNamespace

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search import plan_spaces as module
from dask_tapestry.planner.search.plan_spaces import worth_searching


class Space:
    """One whose seed takes some seconds, and lacks memory or not."""

    def __init__(self, seconds, fits, shortfall=0):
        self.seed = SimpleNamespace(seconds=seconds, shortfall=shortfall)
        self.is_enough = fits

    def chosen_forms(self, costs):
        return None, {}

    def state(self, choices):
        return self.seed

    def fits(self, state):
        return self.is_enough


@pytest.mark.parametrize(
    ("seeds", "first"),
    [
        ([(1.0, True), (1.0, True)], 0),
        ([(1.0, False), (1.05, True), (1.0, True)], 1),
        ([(1.0, False), (1.0, False), (1.09, True)], 2),
        ([(1.0, False), (1.2, True), (1.0, True)], 0),  # what the first one lacks may be mended
        ([(1.0, False), (1.0, False)], 0),
        ([(1.0, True, 5), (1.0, True)], 1),
    ],
)
def test_what_is_searched_begins_where_a_seed_fits(monkeypatch, seeds, first):
    monkeypatch.setattr(module, "in_one_block", lambda space: None)
    spaces = [Space(*one) for one in seeds]
    assert list(worth_searching(spaces)) == spaces[first:]


def test_forms_of_what_may_be_one_block_are_not_chosen(monkeypatch):
    monkeypatch.setattr(module, "in_one_block", lambda space: space)
    monkeypatch.setattr(Space, "chosen_forms", None)
    spaces = [Space(1.0, False), Space(1.0, True)]
    assert worth_searching(spaces) == spaces


def test_a_factor_of_many_panels_is_planned():
    machines = dt.Resources(workers=16, threads=4, memory="1.5 GiB")
    x = dt.placeholder((20_000, 20_000), "f8", stored_chunks=(1000, 1000))
    dt.plan(dt.linalg.cholesky(x).sum(), resources=machines).verify()
