"""In a process of its own: what counts openings of files stays in a process."""

import subprocess
import sys

import pytest

from benchmarks.cluster import requests
from benchmarks.cluster.works import WORKS

IN_PARTS = ("sum", "double difference", "climatology", "heat", "images", "many images")
"""Works whose blocks read rows of one chunk each for themselves."""
READ_TWICE = "centred deviation"
"""What is not encoded is read again on one machine, as to hold it takes memory and as long."""


@pytest.mark.exhaustive  # requests are counted in `io/test_requests.py`
def test_each_chunk_is_opened_once(tmp_path):
    told = ["--on", "threads", "--scale", "0.0001", "--folder", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, requests.__file__, *told], capture_output=True, text=True, check=True
    )
    rows = [line[:20].strip() for line in done.stdout.splitlines()[1:]]
    assert rows == list(WORKS)
    for line in done.stdout.splitlines()[1:]:
        chunks, openings = map(int, line[20:].split()[:2])
        times = 2 if line.startswith(READ_TWICE) else 1
        assert openings in {chunks, times * chunks} or line[:20].strip() in IN_PARTS, line
