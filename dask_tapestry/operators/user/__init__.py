"""Operators of a user: functions of blocks with a signature."""
