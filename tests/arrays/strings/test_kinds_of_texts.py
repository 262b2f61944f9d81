import dask_tapestry as dt
from dask_tapestry.arrays.strings import kinds_of_texts


def test_its_names_are_those_of_the_namespace():
    """Values are compared with NumPy's in test_cell_texts.py."""
    for name in kinds_of_texts.__all__:
        assert getattr(dt.strings, name) is getattr(kinds_of_texts, name)
        assert name in dt.strings.__all__
