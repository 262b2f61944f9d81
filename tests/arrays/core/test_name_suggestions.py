import copy
import pickle
import traceback

import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.name_suggestions import NameSuggestions

X = dt.ones((2, 2))


@pytest.mark.parametrize(
    ("thing", "wrong", "meant"),
    [
        (X, "summ", "sum"),
        (X, "astyp", "astype"),
        (X, "to_zar", "to_zarr"),
        (dt.ma.masked_array(X), "fill_valu", "fill_value"),
        (dt.random.default_rng(0), "norml", "normal"),
        (dt.plan(X), "explan", "explain"),
    ],
)
def test_what_looks_like_it_is_suggested(thing, wrong, meant):
    with pytest.raises(AttributeError) as error:
        getattr(thing, wrong)
    kind = type(thing).__name__
    text = f"{kind!r} object has no attribute {wrong!r}; did you mean {meant!r}?"
    assert str(error.value) == text
    assert "".join(traceback.format_exception(error.value)).count("id you mean") == 1


@pytest.mark.parametrize("name", ["foo", "__array_struct__", "_repr_latex_"])
def test_nothing_is_suggested_where_nothing_looks_like_it(name):
    assert not hasattr(X, name)
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'$"):
        getattr(X, name)


def test_an_error_within_a_property_stays():
    class Broken(NameSuggestions):
        @property
        def part(self):
            return self.missing_within

    with pytest.raises(AttributeError, match="no attribute 'missing_within'"):
        Broken().part  # noqa: B018


def test_objects_are_copied_and_travel():
    for again in (copy.copy(X), copy.deepcopy(X), pickle.loads(pickle.dumps(X))):
        assert again.compute().tolist() == X.compute().tolist()
