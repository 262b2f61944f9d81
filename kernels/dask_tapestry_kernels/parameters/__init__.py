"""What kernels of every device are called with beside blocks: types, tables, rules of dtypes."""
