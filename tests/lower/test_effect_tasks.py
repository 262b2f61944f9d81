import numpy as np

from dask_tapestry.lower.effect_tasks import barrier, finish_sink, prepare_sink
from dask_tapestry.teg import TensorType


class Noted:
    """A sink that notes what is asked of it."""

    def __init__(self):
        self.asked = []

    def prepare(self, type_, run):
        self.asked.append((type_, run))

    def finish(self):
        self.asked.append("finish")


def test_a_store_is_made_ready_and_completed_whatever_has_ended_before():
    sink, type_ = Noted(), TensorType((3,), np.dtype("f8"))
    assert prepare_sink(sink, type_, "a run", None, 4) is None
    assert finish_sink(sink, None, None) is None
    assert sink.asked == [(type_, "a run"), "finish"]


def test_a_barrier_has_no_value():
    assert barrier(1, None) is None
