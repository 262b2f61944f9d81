"""Interrupts: computes that a user stops at random moments."""
