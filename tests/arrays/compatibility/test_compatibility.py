"""Names that the library has from one folder alone."""

import subprocess
import sys

import pytest

import dask_tapestry as dt
from dask_tapestry.arrays import compatibility


def test_names_are_where_users_look_for_them():
    for name in compatibility.__all__:
        assert getattr(dt, name) is compatibility.public_value(name)
    for space in (dt.fft, dt.linalg, dt.overlap, dt.random):
        assert all(callable(getattr(space, name)) for name in space.__all__)
        assert space.__all__ == sorted(space.__all__)


def test_other_names_are_refused_with_a_suggestion():
    with pytest.raises(AttributeError, match="did you mean 'periodic'"):
        _ = dt.overlap.periodi
    with pytest.raises(AttributeError, match="reshape_blocks"):
        _ = compatibility.reshape_blocks
    with pytest.raises(AttributeError, match=r"fft\.nothing"):
        compatibility.public_value("fft.nothing")


def test_modules_wait_until_they_are_asked_for():
    code = "import sys, dask_tapestry as dt\ndt.random.default_rng(0).normal(size=3)\n"
    code += "name = 'dask_tapestry.arrays.compatibility.random_state'\n"
    code += "assert name not in sys.modules\ndt.random.rand(3)\nassert name in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
