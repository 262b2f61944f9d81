import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu.blocks import site_envelopes

COSTS = st.lists(st.integers(-1, 9), min_size=1, max_size=14)


def every(costs, metric):
    """Distance of each cell of a line from each site."""
    at = np.arange(len(costs))
    away = abs(at[:, None] - at)
    made = {
        "taxicab": costs + away,
        "euclidean": costs + away**2,
        "chessboard": np.maximum(costs, away),
    }[metric]
    return np.where(costs < 0, np.inf, made)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("metric", ["taxicab", "euclidean"])
@given(COSTS)
def test_the_first_or_the_last_of_the_nearest_sites(metric, last, line):
    costs = np.array(line, float)
    away = every(costs, metric)
    order = away[:, ::-1] if last else away
    found = order.argmin(1)
    expected = np.where(costs.max() < 0, -1, len(line) - 1 - found if last else found)
    told = (last,) if metric == "taxicab" else (1.0, last)
    made = getattr(site_envelopes, metric)(np.stack([costs, costs]), *told)
    assert made.tolist() == [expected.tolist()] * 2


@given(COSTS)
def test_some_nearest_site_of_the_chessboard(line):
    costs = np.array(line, float)
    found, away = site_envelopes.chessboard(costs[None])[0], every(costs, "chessboard")
    if costs.max() < 0:
        assert (found == -1).all()
    else:
        assert away[np.arange(len(line)), found].tolist() == away.min(1).tolist()
