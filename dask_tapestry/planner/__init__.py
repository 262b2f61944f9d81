"""Plans: what is held, how it is cut, what it costs, and whether it is legal."""
