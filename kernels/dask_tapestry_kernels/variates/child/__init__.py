"""The loops of random variates, for the process that compiles: importing them imports numba."""
