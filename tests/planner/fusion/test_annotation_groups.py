import dask
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.layers import GatherLayer, StepLayer
from dask_tapestry.lower.planned_expression import lower_plan
from dask_tapestry.planner.fusion.annotation_groups import annotations_of_step, held_apart
from dask_tapestry.planner.memory.results import ResultMemory

FOUR = dt.Resources(workers=4, threads=2, memory="2 GiB")


def layers(*arrays):
    """What Dask is told of the layers of each type."""
    lowered, _ = lower_plan(dt.plan(*arrays, resources=FOUR).core, ResultMemory.JOINED)
    annotations = {}
    for layer in lowered.graph.layers.values():
        annotations.setdefault(type(layer), []).append(layer.annotations or {})
    return annotations


def stored():
    return dt.placeholder((8000, 8000), "f8", stored_chunks=(1000, 1000))


def test_a_fused_step_has_those_of_all_members():
    with dask.annotate(priority=1, retries=4):
        x = stored()
    with dask.annotate(priority=3, workers=["a", "b"]):
        y = dt.exp(x) * 2
    with dask.annotate(workers=["b", "c"]):
        z = y - 1
    (step,) = layers(z)[StepLayer]
    assert step == {"priority": 3, "retries": 4, "workers": ["b"]}


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"workers": "a"}, {"workers": "b"}),
        ({"resources": {"GPU": 1}}, {"resources": {"IO": 1}}),
        ({"resources": {"GPU": 1}}, {"workers": "b"}),
        ({"purpose": 1}, {"purpose": 2}),
    ],
)
def test_what_cannot_be_joined_is_not_fused(first, then):
    with dask.annotate(**first):
        x = dt.exp(stored())
    with dask.annotate(**then):
        y = dt.sqrt(x)
    made = dt.plan(y, resources=FOUR)
    made.verify()
    assert len(made.core.steps) == 2
    (kind,) = {*first, *then} if first.keys() == then.keys() else (None,)
    told = layers(y)[StepLayer]
    if kind:
        listed = [["a"], ["b"]] if kind == "workers" else [first[kind], then[kind]]
        assert [notes[kind] for notes in told] == listed


def test_operators_without_any_go_along():
    x = dt.exp(stored())
    with dask.annotate(workers="a"):
        y = x + 1
    (step,) = layers(dt.sqrt(y))[StepLayer]
    assert step == {"workers": ["a"]}


def test_nothing_is_fused_that_dask_may_not_fuse():
    x = stored()
    with dask.annotate(priority=1):
        y = dt.exp(x)
    with dask.config.set({"optimization.annotations.fuse": False}):
        assert layers(dt.sqrt(y))[StepLayer] == [{}, {"priority": 1}, {}], "read, exp, sqrt"
    assert layers(dt.sqrt(y))[StepLayer] == [{"priority": 1}]


def test_steps_that_make_up_one_operator_have_its_annotations():
    with dask.annotate(priority=2, retries=1, workers="a"):
        y = stored().sum()
    found = layers(y)
    assert len(found[StepLayer]) > 1
    assert all(notes["workers"] == ["a"] for notes in found[StepLayer])
    beside = {"priority": 2, "retries": 1}
    assert found[GatherLayer] == [beside], "it may run on any worker"


def test_a_store_is_made_ready_and_ended_as_it_is_written(tmp_path):
    with dask.annotate(workers="a", priority=1):
        write = dt.to_zarr(dt.zeros((10, 10)), tmp_path / "x", compute=False)
    made = dt.plan(write, resources=FOUR)
    lowered, _ = lower_plan(made.core, ResultMemory.JOINED)
    notes = [layer.annotations for layer in lowered.graph.layers.values()]
    assert notes == [{"workers": ["a"], "priority": 1}] * 3


def test_graphs_without_annotations_hold_nothing_for_them():
    x = dt.exp(stored())
    assert held_apart(x.teg, ()) == set()
    assert not annotations_of_step(x.node, x.node.inputs)
