"""The same cells in another shape: reshaped, transposed, broadcast."""
