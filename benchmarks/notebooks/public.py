"""Notebooks that others wrote for dask.array and xarray, and what of them cannot run anywhere.

Nothing of the notebooks is kept here: they are read from checkouts of their repositories.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Notebook(NamedTuple):
    """One notebook or page of a repository."""

    name: str
    repository: str  # the folder of its checkout, as its last part on GitHub
    path: str
    lacking: tuple[str, ...] = ()  # cells with one of these texts are left out, see `why`
    why: str = ""
    changed: tuple[tuple[str, str], ...] = ()  # sizes and modules that the machine has not


# What a machine without a display or a network leaves out of any notebook: cells, and imports.
DRAWS: Final = ("plt.", ".plot", "ccrs.")
FETCHES: Final = ("https://", "s3://", "gcs://")
LACKING: Final = ("matplotlib", "cartopy", "bottleneck")  # modules

NOTEBOOKS: Final = (
    Notebook(
        "Dask tutorial, arrays",
        "dask-tutorial",
        "02_array.ipynb",
        lacking=("np.random.normal(10", "client.shutdown"),
        why="NumPy's own turn at 7 GB; the end",
    ),
    Notebook("Dask examples, arrays", "dask-examples", "array.ipynb"),
    Notebook(
        "Dask examples, stencils",
        "dask-examples",
        "applications/stencils-with-numba.ipynb",
        lacking=("def _smooth(x):\n    out",),
        why="the form without Numba, which the next cell replaces",
        changed=(("size=(10000, 1000, 1000)", "size=(1000, 1000, 1000)"),),
    ),
    Notebook("Dask examples, svd", "dask-examples", "machine-learning/svd.ipynb"),
    Notebook(
        "Dask examples, xarray",
        "dask-examples",
        "xarray.ipynb",
        changed=(("import bottleneck\n", "import scipy.stats as bottleneck\n"),),
    ),
    Notebook(
        "Pangeo tutorial, Dask",
        "pangeo-tutorial",
        "notebooks/dask.ipynb",
        lacking=("df", "last_eruption"),
    ),
    Notebook("xarray guide, Dask", "xarray", "doc/user-guide/dask.md"),
    Notebook("xarray guide, computation", "xarray", "doc/user-guide/computation.md"),
    Notebook("xarray, weighted means", "xarray", "doc/examples/area_weighted_temperature.ipynb"),
    Notebook("xarray, monthly means", "xarray", "doc/examples/monthly-means.ipynb"),
    Notebook("xarray, ufuncs", "xarray", "doc/examples/apply_ufunc_vectorize_1d.ipynb"),
)
