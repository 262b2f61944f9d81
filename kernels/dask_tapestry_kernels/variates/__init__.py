"""Draws of distributions from the random words of a cell, the same for every device."""
