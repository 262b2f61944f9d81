from threading import Lock

import numpy as np
import pytest
from dask.distributed import Client

import dask_tapestry as dt
from dask_tapestry.lower.users_functions import is_users, require_sendable


def test_operators_that_call_functions_of_the_user():
    x = dt.ones((4, 6))
    mine = [
        x.map_blocks(lambda block: block + 1),
        dt.apply_along_axis(lambda row: row.sum(), 1, x),
        dt.apply_gufunc(lambda block: block.sum(axis=-1), "(n)->()", x),
    ]
    for array in mine:
        operators = [node.operator for node in array.teg.nodes]
        assert any(map(is_users, operators))
    others = [x + 1, x.sum(axis=0), np.sort(x), x @ x.T, dt.random.default_rng(0).random(3)]
    for array in others:
        assert not any(is_users(node.operator) for node in array.teg.nodes)


@pytest.mark.parametrize(
    "made",
    [
        lambda x, held: x.map_blocks(lambda block, held=held: block),
        lambda x, held: dt.vectorize(lambda cell, held=held: cell)(x),
        lambda x, held: dt.reduction(x, dt.Monoid(0.0, lambda a, b, held=held: a + b)),
    ],
)
def test_functions_that_cannot_be_sent_are_named(made):
    require_sendable(dt.plan(made(dt.ones((2, 3)), 1)).core)
    with pytest.raises(TypeError, match=r"lambda.* sent to workers: .*lock.*test_users_functions"):
        require_sendable(dt.plan(made(dt.ones((2, 3)), Lock())).core)


def test_a_cluster_is_not_asked_to_run_what_it_cannot_be_sent():
    held = Lock()
    doubled = dt.ones((2, 3)).map_blocks(lambda block: block * (2 + held.locked()), dtype=float)
    with Client(processes=False, n_workers=1, dashboard_address=":0"):
        with pytest.raises(dt.ArgumentTypeError, match="cannot be sent to workers"):
            doubled.compute()
        assert doubled.compute(scheduler="threads").tolist() == [[2] * 3] * 2
