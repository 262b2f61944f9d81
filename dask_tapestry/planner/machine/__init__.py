"""Machines: what there is, how fast it is, and what a plan may take of it."""
