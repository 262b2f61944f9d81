"""Random programs of large arrays, which are planned and not computed."""
