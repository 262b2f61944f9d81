import numpy as np

from dask_tapestry.teg import TensorType
from dask_tapestry.teg.chunking import declared_chunks
from dask_tapestry.zspace import Cuts

from .operators import Doubled

F8 = TensorType((4, 6), np.dtype("f8"))
HALVES = Cuts.regular(4, 2), Cuts.regular(6, 3)
OTHERS = Cuts.regular(4, 3), Cuts.regular(6, 6)


def listed(chunks):
    return [axis.cuts for axis in chunks]


def test_chunks_follow_the_demand():
    operator = Doubled()
    assert operator.layout is None
    assert not operator.tells_chunks
    assert listed(operator.nominal((F8,), (declared_chunks(HALVES),))) == list(HALVES)


def test_a_layout_says_the_chunks():
    class Cut(Doubled):
        layout = OTHERS

    operator = Cut()
    assert operator.tells_chunks
    assert listed(operator.nominal((F8,), (declared_chunks(HALVES),))) == list(OTHERS)


def test_any_worker_may_compute_it():
    operator = Doubled()
    assert operator.workers == ()
    assert operator.local_only is None
    assert operator.stored_cuts is None
