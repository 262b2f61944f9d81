import subprocess
import sys

import pytest

from dask_tapestry.io.files import process_name
from dask_tapestry.io.files.process_name import has_ended, this_process


def test_a_process_has_ended_when_it_has():
    program = (
        "from dask_tapestry.io.files.process_name import this_process as p; print(p(), flush=True)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", f"{program}; input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        name = child.stdout.readline().decode().strip()
        assert not has_ended(name)
        child.stdin.write(b"\n")
    assert has_ended(name)


def test_a_number_that_is_used_again_is_another_process():
    host, number, started = this_process().rsplit(" ", 2)
    assert has_ended(f"{host} {number} {int(started) - 1}")


@pytest.mark.parametrize("name", ["another 1 1", "", "x", f"{process_name.gethostname()} x 1"])
def test_nothing_is_known_of_other_machines(name):
    assert not has_ended(name)
