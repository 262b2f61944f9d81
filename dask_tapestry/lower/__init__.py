"""From plans to Dask: expressions, symbolic layers, and what a worker runs."""
