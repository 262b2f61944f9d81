"""What formulas of cells are in the text of a loop, the same for every device."""
