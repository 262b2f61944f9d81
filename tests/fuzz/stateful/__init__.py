"""Random programs that go on with arrays, stores and assignments, against NumPy."""
