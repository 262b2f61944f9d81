"""Random sets of formulas and reductions in one compute, over arrays of many cells."""
