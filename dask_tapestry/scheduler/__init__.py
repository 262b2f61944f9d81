"""What runs on Dask's scheduler: plugins that a client registers where it needs them."""
