"""Products: matrices, tensors and sparse weights multiplied and summed."""
