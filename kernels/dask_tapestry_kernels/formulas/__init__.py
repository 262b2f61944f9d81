"""Formulas of cells in the text of a loop, the same for every device."""
