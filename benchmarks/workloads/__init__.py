"""Works as their users write them, beside dask: see `benchmarks/workloads/run.py`."""
