"""Functions of one cell at a time: every NumPy ufunc, and choosing between cells."""
