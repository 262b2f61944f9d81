import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics.retry_text import retry_lines
from dask_tapestry.io.stores.retries import add_retry, forget_retries


@pytest.fixture
def stored(tmp_path):
    forget_retries()
    dt.to_zarr(dt.ones((4, 4)), tmp_path / "x")
    yield tmp_path / "x"
    forget_retries()


def test_a_plan_tells_what_was_asked_again_of_its_stores(stored):
    x = dt.from_zarr(stored) + 1
    assert not list(retry_lines(x.plan().core))
    add_retry(str(stored), "OSError: stale")
    add_retry("another", "OSError: stale")
    (line,) = retry_lines(x.plan().core)
    assert line == f"asked again once, of {stored}: the last time after OSError: stale"
    add_retry(str(stored), "TimeoutError: slow")
    assert (
        x.plan()
        .explain()
        .endswith("2 times, of " + f"{stored}: the last time after TimeoutError: slow")
    )


def test_writes_are_told_too(stored, tmp_path):
    sink = dt.to_zarr(dt.ones(3), tmp_path / "y", compute=False)
    add_retry(str(tmp_path / "y"), "OSError: stale")
    assert "asked again once" in dt.plan(sink).explain()
    np.testing.assert_array_equal(dt.ones(3).compute(), np.ones(3))
