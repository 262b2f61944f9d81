import numpy as np

import dask_tapestry as dt
from dask_tapestry.rewrite.trace import Change, Trace


def test_changes_print_in_order():
    trace = Trace()
    trace.record("rule", "a(b)", "b")
    trace.record("other", "b", "c")
    assert trace.changes == [Change("rule", "a(b)", "b"), Change("other", "b", "c")]
    assert str(trace) == "rule: a(b) -> b\nother: b -> c"
    assert len(trace) == 2


def test_a_plan_tells_what_was_rewritten():
    x = dt.asarray(np.ones((4, 3)))
    lines = str(dt.plan(x.T[::-1].T).trace()).splitlines()
    assert lines[0].startswith("selector_as_view: permute(memory, (1, 0)) -> view(")
    assert any(line.startswith("compose_views: ") for line in lines)
