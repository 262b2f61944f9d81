import numpy as np
import sparse

import dask_tapestry as dt
from dask_tapestry.operators.layouts.in_format import in_format
from dask_tapestry.teg import GeneratorOperator, Selector
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat

COO = BlockFormat.of(sparse.COO.from_numpy(np.eye(2)))


def test_what_selects_keeps_the_format_of_all_it_reads():
    dense = dt.eye(2)
    x = dt.Array(in_format(dense.node, COO))
    for made in (x.T, x[1], x[:, None], dt.concatenate([x, x]), x.reshape(4), x.rechunk(1)):
        assert made.node.format == COO, made.node
    assert dt.concatenate([x, dense]).node.format is None
    assert x[0, 1].node.format is None  # without dimensions
    assert isinstance(x.T.node.operator, Selector)


def test_what_generates_reads_nothing():
    x = dt.arange(5)
    assert isinstance(x.node.operator, GeneratorOperator)
    assert x.node.operator.demand((), ZRange((0,), (5,))) == ()
    assert x.node.format is None
