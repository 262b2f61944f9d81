import json

import dask_tapestry as dt
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.job import describe, fingerprint, label_of, line_of, words_of
from tests.planner.graphs import FOUR


def described(*arrays):
    plan = dt.plan(*arrays, resources=FOUR).core
    return plan, describe(plan, {}, Lowering(plan, None).lower(True).graph, "run")


def test_it_is_plain_data_with_words_and_lines():
    x = dt.placeholder((4000, 4000), "f8", stored_chunks=(500, 500))
    plan, job = described(x.mean(axis=0), x.std(axis=0))
    assert json.loads(json.dumps(job)) == job
    assert [step["name"] for step in job["steps"]] == [s.name for s in plan.steps.values()]
    assert "mean, std · test_job.py:16" in [label_of(step) for step in job["steps"]]
    assert job["seconds"] == sum(step["seconds"] for step in job["steps"]) > 0
    assert job["bound"] == plan.cost["peak_worker_bytes"]
    assert sum(step["read"] for step in job["steps"]) == plan.cost["bytes_read"]
    assert all(n < place for place, step in enumerate(job["steps"]) for n in step["reads"])


def test_plans_of_the_same_cuts_have_one_fingerprint():
    x = dt.placeholder((400, 400), "f8")
    one, two = (dt.plan(x.sum(), resources=FOUR).core for _ in range(2))
    assert fingerprint(one) == fingerprint(two)
    assert fingerprint(one) != fingerprint(dt.plan(x.max(), resources=FOUR).core)


def test_a_step_has_words():
    (step,) = dt.plan(dt.ones(5) + dt.arange(5.0), resources=FOUR).core.steps.values()
    assert words_of(step)
    assert line_of(step).startswith("test_job.py:")
