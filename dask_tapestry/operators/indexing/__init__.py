"""Gather and scatter: cells at indices that other tensors hold."""
