"""The build of a wheel: the package, and object code of its common kernels."""
