"""Cell expressions: the tile interpreter, and compiled loops over rows of cells."""
