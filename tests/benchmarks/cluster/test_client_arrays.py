import numpy as np
import pytest
from distributed import Client

from benchmarks.cluster.client_arrays import WAYS, seconds


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_all_ways_find_the_same_sum():
    data = np.ones((3000, 100))
    options = {"processes": False, "dashboard_address": ":0", "n_workers": 2}
    with Client(**options, threads_per_worker=1) as client:
        for way in WAYS:
            passed, taken = seconds(client, way, data)
            assert passed > 0
            assert taken >= 0
