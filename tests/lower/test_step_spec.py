import pickle

import numpy as np
from dask.base import tokenize

import dask_tapestry as dt
from dask_tapestry.lower.cancellation import Cancellation
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.planner.build import build_plan
from dask_tapestry.zspace import ZRange


def spec_of(x):
    """Specification of the last step of an array's own plan."""
    plan = build_plan([x.node])
    step = plan.steps[plan.graph.roots[0]]
    return StepSpec.of(step, tuple(None for _ in step.inputs), Cancellation())


def test_a_spec_names_its_blocks():
    spec = spec_of(dt.arange(10).rechunk(4))
    assert spec.grid_shape == (3,)
    assert spec.count == 3
    assert spec.box((2,)) == ZRange((8,), (10,))


def test_it_is_loaded_once_a_process():
    spec = spec_of(dt.ones((6, 14)).rechunk((2, 2)))
    first, second = (pickle.loads(pickle.dumps(spec)) for _ in range(2))
    assert first is second
    assert (first.name, first.program, first.cuts) == (spec.name, spec.program, spec.cuts)


def test_its_size_does_not_grow_with_the_number_of_blocks():
    few, many = (spec_of(dt.ones(10**6).rechunk(n)) for n in (10**6, 100))
    assert many.count == 10_000
    assert abs(len(pickle.dumps(few)) - len(pickle.dumps(many))) < 20


def test_it_is_known_by_name():
    spec = spec_of(dt.ones(3) + 1)
    assert tokenize(spec) == tokenize(pickle.loads(pickle.dumps(spec)))
    assert repr(spec) == f"<StepSpec {spec.name}>"


def test_what_only_cloudpickle_can_send_is_sent():
    """Classes of a notebook or a function travel as in any Dask graph."""

    class Local:
        shape, dtype = (3,), np.dtype("f8")

        def __getitem__(self, key):
            return np.arange(3.0)[key]

    spec = spec_of(dt.from_array(Local()) + 1)
    assert pickle.loads(pickle.dumps(spec)).name == spec.name


def test_a_block_that_has_a_worker_to_itself_has_its_threads():
    four = dt.Resources(workers=2, threads=4, memory="8 GiB")
    one, many = (dt.ones((6, 6)).rechunk((n, 6)) + 1 for n in (6, 1))
    threads = []
    for x in (one, many):
        plan = build_plan([x.node], four)
        step = plan.steps[plan.graph.roots[0]]
        threads.append((step.count, StepSpec.of(step, (None,), Cancellation()).threads))
    assert threads[0] == (1, 4)
    assert spec_of(dt.ones(3) + 1).threads is None
    assert spec_of(dt.ones(9).rechunk(1)).threads == 1


def test_a_devices_blocks_take_turns_of_their_own():
    (host,) = (dt.ones(3) + 1).plan().core.steps.values()
    (there,) = (dt.ones(3, device="cuda") + 1).plan().core.steps.values()
    specs = [StepSpec.of(step, (), Cancellation(), "run") for step in (host, there)]
    assert [spec.turns for spec in specs] == ["", ""]
    assert specs[0].device is None
    assert specs[1].device[:4] == ("run", None, 1, 2)
    assert pickle.loads(pickle.dumps(specs[1])).device == specs[1].device
    assert StepSpec.of(there, (), Cancellation()).turns == ""
