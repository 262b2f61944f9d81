"""Generators: values that follow from the coordinate alone, and symbols to trace with."""
