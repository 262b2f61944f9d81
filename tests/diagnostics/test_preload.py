"""A scheduler that preloads it lists the plot, and has the page before any job."""

import json
import subprocess
import sys
from urllib.request import urlopen

import pytest

pytestmark = pytest.mark.cluster
SCRIPT = """
from distributed import LocalCluster
with LocalCluster(n_workers=0, dashboard_address=":0",
                  scheduler_kwargs={"preload": ["dask_tapestry.diagnostics.preload"]}) as cluster:
    print(cluster.dashboard_link, flush=True)
    input()
"""


def test_the_plot_is_listed():
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as started:
        url = started.stdout.readline().strip().removesuffix("/status")
        try:
            with urlopen(f"{url}/individual-plots.json", timeout=20) as answer:
                listed = json.load(answer)
            for page in ("individual-tapestry-plan", "tapestry", "tapestry.json"):
                with urlopen(f"{url}/{page}", timeout=20) as answer:
                    assert answer.status == 200
        finally:
            started.communicate("\n")
    assert listed["Individual Tapestry Plan"] == "/individual-tapestry-plan"
