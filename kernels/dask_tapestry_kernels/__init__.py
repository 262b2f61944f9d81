"""Kernels of dask_tapestry: blocks in, blocks out. They know no graph, no plan and no Dask."""
