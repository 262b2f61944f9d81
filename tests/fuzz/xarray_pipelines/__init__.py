"""Random pipelines of xarray, in memory and over arrays of this library."""
