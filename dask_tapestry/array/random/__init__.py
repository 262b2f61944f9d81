"""Random arrays: every cell is a function of seed, call and coordinate."""
