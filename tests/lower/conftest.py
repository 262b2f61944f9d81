"""What tests with Dask clients share."""

import gc
import warnings

import pytest


@pytest.fixture(scope="module", autouse=True)
def _loops_are_collected_here():
    """Distributed leaves the event loops of closed clients to the garbage collector."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
