"""Sinks: what makes something new of cells, and writes regions of targets."""
