import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.patterns.thread_trace import ThreadTrace, current, outer_trace, tracing


def test_spaces_within_spaces():
    outer = ThreadTrace.begun("outer", [(0, 3)])
    assert outer_trace() is None
    with tracing(outer):
        assert current("f") is outer
        inner = ThreadTrace.begun("inner", [(0, 4), (2, 7)])
        assert inner.threads.extents == (3, 4, 5)
        assert inner.threads.ids[:1] == outer.ids
        assert (len(inner.ids), inner.outer_space.extents) == (2, (3,))
    with pytest.raises(dt.TraceError, match="f belongs in the body"):
        current("f")
