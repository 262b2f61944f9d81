"""Elementary functions of our own, as numba functions of scalars: all of it imports numba."""
