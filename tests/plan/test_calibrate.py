import json

import pytest

import dask_tapestry as dt
from dask_tapestry.plan.calibrate import rates_in_force
from dask_tapestry.plan.machine import Machine
from dask_tapestry.plan.rates import rates_of, shipped_rates

from .graphs import FOUR


def test_shipped_rates_are_in_force_unless_said():
    with dt.config(rates="shipped"):
        assert rates_in_force() is shipped_rates()


def test_a_setting_gives_rates(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"latency": 3.0}))
    for given in (file, str(file), {"latency": 3.0}, rates_of({"latency": 3.0})):
        with dt.config(rates=given):
            assert Machine.of(FOUR).latency == 3


def test_a_file_that_is_missing_is_an_error():
    with dt.config(rates="nowhere.json"), pytest.raises(FileNotFoundError):
        rates_in_force()
