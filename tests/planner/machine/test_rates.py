import json
import pickle
import subprocess
import sys
from math import inf, nan

import numpy as np
import pytest

from dask_tapestry.errors import ArgumentError, ArgumentTypeError
from dask_tapestry.planner.machine.rates import Rates, rates_in, rates_of, shipped_rates


def test_shipped_rates_are_positive_and_say_of_what():
    rates = shipped_rates()
    assert rates.machine
    numbers = [v for v in rates.as_dict().values() if isinstance(v, int | float)]
    assert min(*numbers, *dict(rates.operations).values()) > 0
    assert "" in dict(rates.operations)


def test_memory_is_no_faster_for_threads_that_share_it():
    assert shipped_rates().memory_shared <= shipped_rates().memory


def test_what_is_not_given_is_as_shipped():
    rates = rates_of({"network": 5.0, "operations": {"sort": 7.0}})
    assert rates.network == 5
    assert rates.latency == shipped_rates().latency
    assert rates.operations_a_second("sort", np.dtype("i4")) == 7
    same = shipped_rates().operations_a_second("matmul", np.dtype("f4"))
    assert rates.operations_a_second("matmul", np.dtype("f4")) == same


@pytest.mark.parametrize(
    "wrong",
    [
        {"speed": 1.0},
        {"network": 0},
        {"network": "fast"},
        {"network": nan},
        {"network": inf},
        {"network": True},
        {"threads": 1.5},
        {"machine": 3},
        {"operations": {"sort": -1.0}},
        {"operations": {"sort": None}},
        {"operations": {1: 1.0}},
        {"operations": 4},
        ["network"],
        None,
    ],
)
def test_rates_that_are_none_are_refused(wrong):
    with pytest.raises((ArgumentError, ArgumentTypeError), match="rates"):
        rates_of(wrong)


def test_a_file_holds_what_as_dict_says(tmp_path):
    rates = rates_of({"latency": 0.5})
    file = tmp_path / "rates.json"
    file.write_text(json.dumps(rates.as_dict()))
    assert rates_in(file) == rates


@pytest.mark.parametrize("text", ["", "[]", '{"speed": 1}', '{"operations": 3}'])
def test_another_file_is_refused_by_its_name(tmp_path, text):
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"other\.json holds no rates"):
        rates_in(file)


def test_they_hash_alike_in_another_process():
    code = (
        "import pickle, sys; from dask_tapestry.planner.machine.rates import shipped_rates;"
        "r = shipped_rates(); hash(r); sys.stdout.buffer.write(pickle.dumps(r))"
    )
    sent = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    arrived = pickle.loads(sent)
    assert isinstance(arrived, Rates)
    assert (arrived, hash(arrived)) == (shipped_rates(), hash(shipped_rates()))


def test_they_print_as_a_table():
    lines = repr(rates_of({"network": 2e9, "latency": 3e-5})).splitlines()
    assert lines[0].startswith("rates of ")
    assert "  network                         2 GB/s" in lines
    assert "  latency                        30 µs" in lines
    assert any(line.startswith("  other kernels") for line in lines)
