"""Random programs of ten operations, against NumPy."""
