"""What compiled kernels of blocks are made of, in the process that compiles."""
