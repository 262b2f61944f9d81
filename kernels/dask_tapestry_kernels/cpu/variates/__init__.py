"""Random variates that take a varying number of random words, each cell from words of its own."""
