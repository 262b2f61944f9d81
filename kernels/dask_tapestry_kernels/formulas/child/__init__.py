"""What compiling processes import of formulas."""
