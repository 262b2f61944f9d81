import dask_tapestry as dt
from dask_tapestry.zspace import Cuts, ZRange


def test_nominal_chunks_are_those_in_which_it_is_stored():
    x = dt.placeholder((10, 6), "f8", (4, 6))
    assert x.chunks == ((4, 4, 2), (6,))
    (rows, columns) = x.node.operator.nominal((), ())
    assert (rows.cuts, columns.cuts) == (Cuts.regular(10, 4), Cuts.regular(6, 6))


def test_it_reads_no_tensor():
    source = dt.placeholder((10,), "f8").node.operator
    assert source.demand((), ZRange((0,), (5,))) == ()
    assert source.slot(0) is None or source.slot(0).demand((), ZRange((0,), (5,))) == ()
