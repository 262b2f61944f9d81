"""Sorting: cells in order, their ranks, and the exchange of cells between blocks."""
