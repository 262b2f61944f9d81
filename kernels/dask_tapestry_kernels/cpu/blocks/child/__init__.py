"""Parts of compiled kernels of blocks, in the process that compiles."""
