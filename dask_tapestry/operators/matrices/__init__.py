"""Whole matrices: factors, inverses and solutions, also in panels that workers can hold."""
