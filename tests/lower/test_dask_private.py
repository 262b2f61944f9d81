import pickle

import dask
import pytest

from dask_tapestry.lower import dask_private


def test_the_private_names_are_dasks_own():
    own = {
        "current_worker",
        "growth_of",
        "key_of_exchange",
        "lifetime_of",
        "live_clients",
        "live_schedulers",
        "written_task",
        "HighLevelGraph",
    }
    own |= {"computed_elsewhere", "is_leaving"}  # of what distributed has under way
    own |= {"receive_parts", "send_parts", "waiting_for_parts"}
    own |= {
        "as_completed",
        "put_on_worker",
        "release",
        "seceded",
        "tell_scheduler",
        "unwanted_task",
    }
    for name in set(dask_private.__all__) - own:
        assert getattr(dask_private, name).__module__.startswith("dask._"), name


def test_no_client_lives_where_none_was_made():
    assert dask_private.live_clients() == []


def test_the_expressions_we_replace_are_the_ones_dask_makes():
    expr = dask.base.collections_to_expr([dask.delayed(1), dask.delayed(2)])
    assert type(expr) in (dask_private.ExprSequence, dask_private.HLGExprSequence)
    assert issubclass(dask_private.HLGExprSequence, dask_private.Expr)


def test_a_task_refers_by_key():
    task = dask_private.Task(("a", 0), abs, dask_private.TaskRef("b"))
    assert task.dependencies == {"b"}
    assert task({"b": -3}) == 3
    assert isinstance(dask_private.DataNode("x", 1), dask_private.GraphNode)


@pytest.mark.parametrize("producer", [False, True])
def test_a_written_task_is_what_dasks_own_class_makes(producer):
    arguments = (3, dask_private.TaskRef("b"), dask_private.TaskRef(("c", 0)))
    task = dask_private.Task(("a", 0), max, *arguments, _data_producer=producer)
    written = dask_private.written_task(
        ("a", 0), max, arguments, frozenset(["b", ("c", 0)]), producer
    )
    for slot in dask_private.Task.get_all_slots():
        assert getattr(written, slot) == getattr(task, slot), slot
    assert pickle.loads(pickle.dumps(written)) == task
    assert written({"b": 1, ("c", 0): 5}) == 5
    assert written.substitute({"b": "d"}).dependencies == {"d", ("c", 0)}
