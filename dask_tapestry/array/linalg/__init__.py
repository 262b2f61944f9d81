"""Products of matrices and vectors, norms, layers of networks."""
