"""Cell expressions: each cell of the output is made of the cells at the same place."""
