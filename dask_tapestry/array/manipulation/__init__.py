"""The same cells under other coordinates: reshaped, joined, split, repeated, padded."""
