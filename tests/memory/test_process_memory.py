import resource
import sys
from types import SimpleNamespace

import numpy as np

import dask_tapestry as dt
from dask_tapestry.memory import process_memory as process_memory_module
from dask_tapestry.memory.process_memory import (
    free_memory,
    keepable_bytes,
    kept_bytes,
    machine_memory,
    process_memory,
)


def test_a_tenth_is_kept_and_no_more_than_a_gibibyte():
    assert kept_bytes(10**9) == 10**8
    assert kept_bytes(10**11) == 2**30
    with dt.config(kept_memory="3 GB"):
        assert kept_bytes(10**9) == 3 * 10**9


def test_a_worker_that_is_nearly_full_keeps_nothing():
    used = process_memory_module._statm()[1]
    roomy, nearly, full = [int(used / share) for share in (0.1, 0.55, 0.7)]
    assert keepable_bytes(roomy, 0) == kept_bytes(roomy)
    assert 0 < keepable_bytes(nearly, 0) < kept_bytes(nearly)
    assert keepable_bytes(full, 0) == 0
    assert keepable_bytes(full, used) == kept_bytes(full)  # what is kept is some of what is used
    assert keepable_bytes(machine_memory(), 0) == kept_bytes(machine_memory())
    with dt.config(kept_memory=2 * used):
        assert keepable_bytes(full, 0) == 2 * used


def test_the_memory_of_a_process_is_that_of_its_worker(monkeypatch):
    assert process_memory() == machine_memory()
    limit = SimpleNamespace(memory_manager=SimpleNamespace(memory_limit=10**9))
    module = SimpleNamespace(get_worker=lambda: limit)
    monkeypatch.setitem(sys.modules, "distributed.worker", module)
    assert process_memory() == 10**9
    limit.memory_manager.memory_limit = None
    assert process_memory() == machine_memory()


def test_what_is_taken_is_not_free():
    before = free_memory()
    held = np.ones(10**8, np.uint8)
    assert before - free_memory() > 0.9 * held.nbytes
    assert before < machine_memory()


def test_a_limit_on_the_address_space_counts(monkeypatch):
    size = process_memory_module._statm()[0]
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (size + 10**7, 0))
    assert free_memory() <= 10**7
