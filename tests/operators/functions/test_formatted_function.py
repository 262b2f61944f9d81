import numpy as np
import sparse

from dask_tapestry.operators.functions.formatted_function import (
    FormattedFunction,
    takes_formats,
    taking_formats,
)
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.layouts.in_format import in_format
from dask_tapestry_kernels.block_format import BlockFormat

import dask_tapestry as dt  # isort: skip

COO = BlockFormat.of(sparse.COO.from_numpy(np.eye(2)))


def kinds(*blocks, **told):
    return [kinds(*b) if isinstance(b, list) else type(b) for b in blocks], told


def test_blocks_come_in_their_formats():
    function = FormattedFunction(kinds, (COO, None))
    cells = np.eye(2)
    assert function(cells, cells, axis=1) == ([sparse.COO, np.ndarray], {"axis": 1})
    held = COO.holding(cells)
    assert FormattedFunction(lambda b: b, (COO,))(held) is held
    ((inner, _),), _ = FormattedFunction(kinds, (COO,))([cells, cells])
    assert inner == [sparse.COO, sparse.COO]


def test_only_functions_of_blocks_in_formats_are_changed():
    function = UserFunction.of(kinds)
    dense, coo = dt.eye(2).node, in_format(dt.eye(2).node, COO)
    assert taking_formats(function, [dense]) is function
    changed = taking_formats(function, [dense, coo])
    assert takes_formats(changed)
    assert not takes_formats(function)
    assert changed.name == function.name
    assert changed.identity != function.identity
