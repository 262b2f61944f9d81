import dask

from dask_tapestry.lower import dask_private


def test_the_private_names_are_dasks_own():
    for name in set(dask_private.__all__) - {"live_clients", "HighLevelGraph"}:
        assert getattr(dask_private, name).__module__.startswith("dask._"), name


def test_no_client_lives_where_none_was_made():
    assert dask_private.live_clients() == []


def test_the_expressions_we_replace_are_the_ones_dask_makes():
    expr = dask.base.collections_to_expr([dask.delayed(1), dask.delayed(2)])
    assert type(expr) in (dask_private.ExprSequence, dask_private.HLGExprSequence)
    assert issubclass(dask_private.HLGExprSequence, dask_private.Expr)


def test_a_task_refers_by_key():
    task = dask_private.Task(("a", 0), sum, dask_private.TaskList(dask_private.TaskRef("b")))
    assert task.dependencies == {"b"}
    assert task({"b": 3}) == 3
    assert isinstance(dask_private.DataNode("x", 1), dask_private.GraphNode)
