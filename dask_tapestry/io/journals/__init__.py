"""Journals: what a store knows of writes that began, ended or were repeated."""
