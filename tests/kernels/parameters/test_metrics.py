from typing import get_args

from dask_tapestry_kernels.parameters.metrics import METRICS, Metric


def test_each_metric_has_a_number():
    assert get_args(Metric) == METRICS
    assert METRICS.index("euclidean") == 0  # compiled loops are told numbers
