"""Joins: tensors put side by side, repeated, moved, padded, or put into one another."""
