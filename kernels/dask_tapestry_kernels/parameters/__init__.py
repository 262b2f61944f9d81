"""Parameters of kernels of every device, beside blocks: types, tables, rules of dtypes."""
