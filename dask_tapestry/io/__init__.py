"""Where cells come from and go to: memory, Zarr, array-likes, blocks of other collections."""
