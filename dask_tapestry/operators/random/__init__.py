"""Random values: functions of seed, call and coordinate."""
