"""What the process that compiles for a GPU imports, numba-cuda among it, and nobody else."""
