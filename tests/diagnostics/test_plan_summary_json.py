"""What plan files tell: the words of the plan, also where strangers wrote into them."""

import json
from contextlib import suppress
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.diagnostics import plan_summary_json
from dask_tapestry.diagnostics.bottleneck import limit
from dask_tapestry.diagnostics.compare import difference
from dask_tapestry.diagnostics.explain import explain
from dask_tapestry.diagnostics.plan_summaries import told_whole
from dask_tapestry.diagnostics.plan_summary_json import as_json, from_json, read_told
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.plan_json import dumps
from tests.examples import examples
from tests.fuzz.programs import drawn_arrays
from tests.planner.damaged import changed

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def text_of(plan):
    return dumps(plan.core, as_json(told_whole(plan.core)))


@cache
def usual():
    x = dt.placeholder((10**5, 500), "f8", stored_chunks=(1000, 500), dims=("t", "x"))
    y = ((x - x.mean(axis=0)) / x.std(axis=0)) @ np.ones((500, 20))
    return dt.plan(y, dt.cumsum(x, axis=0), resources=FOUR)


@given(st.integers(0, 2**32))
@examples(40, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_file_of_a_random_program_explains_as_its_plan(seed):
    plan = dt.plan(*drawn_arrays(Random(seed), 8), resources=FOUR)
    told = read_told(text_of(plan), "it")
    for all_ in (False, True):
        assert explain(told, all=all_, rates=True) == plan.explain(all=all_, rates=True)
    assert told == told_whole(plan.core)
    assert difference(told, plan.core) == "the plans are the same"
    assert limit(told) == limit(told_whole(plan.core))


@given(st.data())
@examples(150, deadline=None)
def test_a_damaged_file_is_a_plan_error_or_explains_something(data):
    text = data.draw(changed(text_of(usual())))
    with suppress(PlanError):
        told = read_told(text, "it")
        assert explain(told, all=True)
        assert difference(told, usual().core)
        assert limit(told)


@pytest.mark.parametrize(
    ("way", "wrong", "text"),
    [
        (["steps"], {}, r"told.steps is \{\}, not a list"),
        (["steps", 0, "seconds"], float("nan"), r"seconds is nan, not a number"),
        (["steps", 0, "blocks"], 10**90, r"blocks is a huge number, not a whole number"),
        (["steps", 0, "blocks"], -1, r"blocks is -1, not a whole number"),
        (["steps", 0, "inputs"], [99], r"steps\[0\] reads step 99 of "),
        (["steps", 0, "inside", 0, "inputs"], [7], r"inside\[0\] reads a later node"),
        (["steps", 0, "alone"], "yes", "alone is 'yes', not true or false"),
        (["nodes", 0, "inputs"], [0], r"nodes\[0\] reads a later node"),
        (["steps", 0, "kinds"], [1, 2, 3], r"kinds is \[1, 2, 3\], not 4 or 5 numbers"),
        (["roots"], [10**6], "roots has a node that is not there"),
        (["cost"], {"seconds": 1}, "told.cost has no 'tasks'"),
        (["resources"], "x" * (plan_summary_json.READ_TEXT_LETTERS + 1), "letters"),
    ],
)
def test_what_is_damaged_is_named(way, wrong, text):
    content = json.loads(text_of(usual()))
    there = content["told"]
    for name in way[:-1]:
        there = there[name]
    there[way[-1]] = wrong
    with pytest.raises(PlanError, match=f"^it is damaged: .*{text}"):
        read_told(json.dumps(content), "it")


def test_files_from_before_links_had_seconds_are_read():
    content = json.loads(text_of(usual()))
    for step in content["told"]["steps"]:
        assert step["kinds"].pop() == 0
    assert read_told(json.dumps(content), "it") == told_whole(usual().core)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10**6,
        '{"kind": "dask_tapestry plan", "told": ' + "[" * 10**5,
        '{"kind": "dask_tapestry plan", "version": ' + "9" * 10**5 + "}",
        '{"kind": "another"}',
        "",
        "\x00",
    ],
)
def test_hostile_text_is_no_plan(text):
    with pytest.raises(PlanError, match=r"^it is not a plan"):
        read_told(text, "it")


def test_more_letters_than_any_plan_has_are_refused(monkeypatch):
    monkeypatch.setattr(plan_summary_json, "READ_FILE_LETTERS", 10)
    with pytest.raises(PlanError, match="it has 11 letters"):
        read_told("x" * 11, "it")


def test_files_without_a_graph_say_what_to_give():
    with pytest.raises(PlanError, match="version 5, without its graph: give the arrays"):
        read_told(dumps(usual().core), "it")


def test_constants_and_functions_are_not_written():
    secret = np.frombuffer(b"do not tell this to anybody at all", "u1")

    def add_one(block):
        return block + 1

    x = dt.asarray(secret)
    text = text_of(dt.plan(x.map_blocks(add_one)[dt.asarray(secret % 3)], resources=FOUR))
    assert "add_one" in text
    assert "block + 1" not in text
    assert "100, 111" not in text
    assert "anybody" not in text


def test_the_form_is_its_own_inverse():
    told = told_whole(usual().core)
    assert from_json(as_json(told)) == told
