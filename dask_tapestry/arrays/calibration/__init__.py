"""Calibration: how fast this machine is, and workers that are not this machine."""

from dask_tapestry.arrays.calibration.calibrate import calibrate

__all__ = ["calibrate"]
