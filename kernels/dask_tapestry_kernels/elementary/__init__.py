"""Elementary functions of our own, as numba functions of scalars; importing them imports numba."""
