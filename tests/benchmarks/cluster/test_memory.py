from argparse import Namespace

import numpy as np
import pytest

from benchmarks.cluster.memory import BYTES, LAYOUTS, REFUSED, Row, create, drawn, measured, workers

FEW = (1, 2)  # programs that take seconds each
OPTIONS = Namespace(bytes=BYTES, latest=600.0, explain=False)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_store_is_one_chunk_many_times(tmp_path, name):
    x = create(tmp_path, name, 10**6)
    cells = x.compute()
    assert 0.5e6 < cells.nbytes < 1.1e6
    chunk = x.node.operator.chunks
    tiles = tuple(n // c for n, c in zip(x.shape, chunk, strict=True))
    np.testing.assert_array_equal(cells, np.tile(cells[: chunk[0], : chunk[1]], tiles))
    assert create(tmp_path, name, 10**6).shape == x.shape


def test_a_program_is_the_same_when_drawn_again(tmp_path):
    texts = [drawn(number, tmp_path, 10**6)[0] for number in (3, 4, 3)]
    assert texts[0] == texts[2] != texts[1]


def test_a_row_tells_whether_the_bound_is_kept():
    row = Row(1, "x > sum", 10**9, 10**9, 1.0, "")
    assert row.is_kept
    assert "1.00" in str(row)
    assert not row._replace(measured=2 * 10**9).is_kept
    assert "!" in str(row._replace(trouble="a worker was paused"))
    assert row._replace(measured=0, trouble=REFUSED).is_kept


@pytest.mark.cluster
def test_small_workers_hold_what_plans_say(tmp_path):
    """Of data that is twice as large as a worker's memory."""
    with workers() as client:
        for number in FEW:
            row = measured(client, number, tmp_path, OPTIONS)
            assert row.is_kept, str(row)


@pytest.mark.exhaustive
@pytest.mark.cluster
def test_fifty_programs_hold_what_plans_say(tmp_path):
    with workers() as client:
        rows = [measured(client, number, tmp_path, OPTIONS) for number in range(50)]
    assert all(row.is_kept for row in rows), "\n".join(map(str, rows))
