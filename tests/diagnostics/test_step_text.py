from dataclasses import replace

import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics.step_text import (
    decided,
    grid_text,
    operators,
    runner_up,
    seconds_by_kind,
    sources,
)
from dask_tapestry.diagnostics.tuning import OPERATORS_NAMED
from dask_tapestry.zspace import Cuts

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def steps_of(*arrays):
    return list(dt.plan(*arrays, resources=FOUR).core.steps.values())


def with_second(step, second):
    """The step with other cuts, and what these take, as its runner-up."""
    other = replace(step)
    vars(other)["second"] = second
    return other


@pytest.fixture
def step():
    """A step that reads 8 GB, after which a grid of half as many blocks came second."""
    (step,) = steps_of(dt.placeholder((10**5, 10**4), "f8", (1000, 1000)) + 1)
    coarse = replace(step.cost, seconds=2 * step.cost.seconds, work=2 * step.cost.work)
    return with_second(step, ((Cuts.regular(10**5, 10**5), Cuts.regular(10**4, 10**3)), coarse))


def test_operators_are_counted_and_long_lists_are_shortened():
    (step,) = steps_of(dt.placeholder((9, 9), "f8") @ dt.placeholder((9, 9), "f8"))
    assert operators(step) == "placeholder x2 > matmul"
    (first, second) = (step.program.instructions[at] for at in (0, -1))
    many = step.program.__class__((), (first, second) * OPERATORS_NAMED)
    text = operators(replace(step, program=many))
    assert text.count(" > ") == OPERATORS_NAMED
    assert f"matmul > {OPERATORS_NAMED} more > placeholder" in text


def test_a_grid_names_blocks_and_cells():
    assert grid_text((Cuts.regular(10, 4), Cuts.of_lengths([1, 3, 1, 3]))) == "[3x4, (1, 3, 1, 3)]"


def test_what_decided_is_the_longest_resource(step):
    assert decided(step) == "store"
    assert seconds_by_kind(step.cost)["store"] == max(seconds_by_kind(step.cost).values())


def test_a_faster_runner_up_lost_by_memory_or_by_tasks(step):
    cuts, cost = step.second
    faster = replace(cost, seconds=step.cost.seconds / 2)
    assert decided(with_second(step, (cuts, faster))) == "memory"
    many = replace(faster, work=step.cost.work // 2, blocks=10**6)
    assert decided(with_second(step, (cuts, many))) == "number of tasks"
    assert runner_up(with_second(step, (cuts, many))).why.startswith("1,000,000 tasks instead")


def test_what_the_user_said_decides():
    (step,) = steps_of(dt.placeholder((10, 10), "f8").rechunk((5, -1)))
    assert decided(step) == "as the user asked"


def test_the_runner_up_says_by_how_much_it_lost(step):
    second = runner_up(step)
    assert second.text == "[100000, 10x1000]"
    assert second.seconds == pytest.approx(step.cost.seconds)
    assert second.why.endswith(" slower")
    assert runner_up(with_second(step, None)) is None
    cuts, cost = step.second
    alike = runner_up(with_second(step, (cuts, replace(cost, seconds=step.cost.seconds))))
    assert alike.why.startswith("a block would hold ")
    same = runner_up(with_second(step, (cuts, step.cost)))
    assert same.why == "no faster"


def test_sources_are_steps_or_values():
    x = dt.asarray([1.0, 2.0])
    first, second = steps_of((x + 1).rechunk(1) + x)
    assert sources(second, {first.node: 1}) == [1, "memory float64[2]"]


def test_a_source_that_is_a_result_is_what_its_step_reads():
    (step,) = steps_of(dt.asarray([1.0, 2.0]))
    assert sources(step, {step.node: 1}) == ["memory float64[2]"]


def test_tiles_of_a_factor_are_not_what_the_user_said():
    x = dt.placeholder((8000, 8000), "f8", stored_chunks=(1000, 1000))
    plan = dt.plan(dt.linalg.cholesky(x), resources=dt.Resources(4, 1, "700 MB"))
    assert any(step.node.operator.name == "paneltiles" for step in plan.core.steps.values())
    assert not [step for step in plan.core.steps.values() if "user" in decided(step) + step.reason]
