"""Half a minute of a cluster under load, with kills and pauses; the benchmark takes twenty."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.cluster.soak import growth

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.exhaustive  # workers are killed in `test_faults.py` and `lower/test_cluster.py`
@pytest.mark.cluster
def test_a_cluster_that_is_disturbed_breaks_nothing(tmp_path):
    told = ["--minutes", "0.5", "--only", "sum,climatology,heat,rows to columns", "--seed", "1"]
    command = [sys.executable, ROOT / "benchmarks/cluster/soak.py", *told, "--json"]
    done = subprocess.run(
        [*command, tmp_path / "soak.json"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    report = json.loads((tmp_path / "soak.json").read_text())
    assert report["wrong"] == []
    assert report["kills"] + report["pauses"] > 2
    assert report["runs"] > 4
    assert report["tasks"] > 100


def test_growth_is_of_the_last_fifth_over_the_second():
    sizes = [(100 + n, 200) for n in range(10)]
    assert growth(sizes) == (round(108.5 / 102.5, 3), 1.0)
    assert growth([(5, 5)]) == (1.0, 1.0)
