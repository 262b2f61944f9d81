import pytest

from benchmarks.cluster.images import CHUNK, Row, job, measured
from benchmarks.cluster.memory import BOUND, SPARE
from benchmarks.cluster.works import FEATURES, IMAGE


def test_a_job_writes_both_results(tmp_path):
    assert [sink.node.type.shape for sink in job(tmp_path, 100)] == [(100, *IMAGE), (100, FEATURES)]


def test_a_row_says_what_was_held():
    text = str(Row(1600, 332 * 10**6, 288 * 10**6, 4.0, (8, 8, 8)))
    assert "288 of   332 MB" in text


@pytest.mark.exhaustive  # what workers hold of a smaller job is measured in `test_memory.py`
@pytest.mark.cluster
def test_more_images_take_no_more_than_predicted(tmp_path):
    few, many = (measured(tmp_path, n * CHUNK) for n in (4, 12))
    assert few.measured < BOUND * few.predicted + SPARE
    assert many.measured < BOUND * many.predicted + SPARE
    assert sum(many.blocks) > sum(few.blocks)
