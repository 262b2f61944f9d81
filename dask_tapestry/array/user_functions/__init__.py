"""Functions of the user's own, of blocks, vectors and cells."""
