from math import isfinite

import numpy as np

from dask_tapestry.planner.machine.device_rates import shipped_device_rates
from dask_tapestry.planner.machine.rates import shipped_rates


def test_shipped_rates_say_that_they_are_estimates():
    known = shipped_device_rates()
    assert "estimates" in known.machine
    numbers = [
        known.memory,
        known.launch,
        known.link,
        known.capacity,
        *dict(known.operations).values(),
    ]
    assert all(isfinite(n) and n > 0 for n in numbers)
    assert known is shipped_device_rates()


def test_kernels_have_the_devices_rates_and_all_else_the_hosts():
    host, known = shipped_rates(), shipped_device_rates()
    made = known.of_kernels(host)
    assert made.memory == made.memory_shared == known.memory
    assert made.operations_a_second("map", np.dtype("f4")) == dict(known.operations)["map float32"]
    assert made.operations_a_second("no such kernel", np.dtype("f4")) == dict(known.operations)[""]
    assert made.call == host.call + known.launch
    assert (made.network, made.store_read) == (host.network, host.store_read)
