"""Sources and sinks: where cells come from and go to.

A *source* brings cells into an expression, a *sink* makes something new of them, and a *target* is
there already and is written into, by a `RegionSink`.

==================  ==================  ================  ===============
kind                `sources`           `sinks`           `targets`
==================  ==================  ================  ===============
NumPy array         `numpy_source`                        `numpy_target`
memory map          `memmap_source`                       `memmap_target`
Zarr                `zarr_source`       `zarr_sink`       `zarr_target`
HDF5                `hdf5_source`                         `hdf5_target`
stack of npy files  `npy_stack_source`  `npy_stack_sink`
other objects       `duck_source`                         `duck_target`
Dask's blocks       `dask_blocks_source`
nothing yet         `placeholder`
==================  ==================  ================  ===============

A chapter imports only those before it:

- `files`: locks, exchange of folders, durable writes, cells in files.
- `stores`: `zarr_location` says where arrays are, `zarr_open` opens them, `retrying_store` asks
  again; `stored_objects` are small ones beside an array.
- `chunks`: a Zarr chunk is decoded and encoded in `zarr_chunk_io`.
- `journals`: `journal` and `writer_id` keep what a store knows of unfinished and repeated writes.
- `sources`: `coerce` chooses the source of whatever a user gives; `stores_behind_objects` finds
  what values read.
- `resuming`: what a write is known by, and what of it is missing.
- `targets`, `sinks`: `write_order` orders several writes.
"""
