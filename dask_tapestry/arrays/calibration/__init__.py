"""Calibration: how fast this machine is, and workers that are not this machine."""

from dask_tapestry.arrays.calibration.calibrate import calibrate
from dask_tapestry.arrays.core.docstrings import write_out

__all__ = ["calibrate"]

write_out(__name__)
