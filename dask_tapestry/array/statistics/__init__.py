"""Reductions, scans, histograms, quantiles and differences."""
