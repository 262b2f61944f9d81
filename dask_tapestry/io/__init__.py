"""Where cells come from and go to.

A *source* brings cells into an expression, a *sink* makes something new of them, and a *target* is
there already and is written into, by a `RegionSink`.

==================  ==================  ================  ===============
kind                source              sink              target
==================  ==================  ================  ===============
NumPy array         `numpy_source`                        `numpy_target`
memory map          `memmap_source`                       `memmap_target`
Zarr                `zarr_source`       `zarr_sink`       `zarr_target`
HDF5                `hdf5_source`                         `hdf5_target`
stack of npy files  `npy_stack_source`  `npy_stack_sink`
other objects       `duck_source`                         `duck_target`
Dask's blocks       `block_source`
nothing yet         `placeholder`
==================  ==================  ================  ===============

- A Zarr chunk is decoded and encoded in `zarr_chunk_io`; `zarr_open` and `zarr_create` make arrays
  ready for that, `zarr_location` says where they are.
- `coerce` chooses the source of whatever a user gives.
- `write_order` orders several writes; `captured_arrays` finds what their values read.
- `journal` and `writer_id` keep what a store knows of unfinished and of repeated writes.
"""
