"""Plugins of Dask's scheduler, registered by a client that needs them."""
