"""What kinds of changes have earned."""

import json

from benchmarks.planner.priors import FILE, LEAST, priors, scores
from benchmarks.planner.search import MACHINES, random_graph
from dask_tapestry.planner.search.evolve import Score
from dask_tapestry.planner.search.mutators import Mutator


def score(name, tried, won):
    return Score(Mutator(name, lambda _: (), lambda *_: (), 1.0), tried, won)


def test_a_prior_is_relative_to_what_trials_usually_earn():
    found = priors([score("a", 10, 4), score("b", 10, 1), score("a", 10, 4), score("c", 0, 0)])
    assert found == {"a": 1.33, "b": 0.33, "c": LEAST}


def test_searches_are_counted():
    found = scores([random_graph(1)], MACHINES[1], 400, 0)
    assert sum(s.tried for s in found) > 10
    assert {s.mutator.name for s in found} == set(json.loads(FILE.read_text("utf-8"))["priors"])
