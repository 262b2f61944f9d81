import numpy as np

import dask_tapestry as dt
from dask_tapestry.lower.users_functions import is_users


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
