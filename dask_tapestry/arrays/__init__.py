"""The user's side: Array, its functions and methods, and plans to look at.

What imports a part of this folder, as a worker does that unpickles an Array, imports the surface:
an Array has its methods wherever it is.
"""

import dask_tapestry.arrays.surface  # noqa: F401
