"""Random programs that workers of little memory can compute block by block."""
