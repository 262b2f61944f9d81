"""Names that users give to arrays, and those that functions give."""

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.naming import named, takes_name

MADE = {
    "ones": lambda name: dt.ones((4, 6), chunks=3, name=name),
    "full_like": lambda name: dt.full_like(np.ones(5), 2, name=name),
    "from_array": lambda name: dt.from_array(np.arange(5), chunks=2, name=name),
    "map_blocks": lambda name: dt.map_blocks(np.negative, dt.arange(6, chunks=4), name=name),
    "blockwise": lambda name: dt.blockwise(np.negative, "i", dt.arange(6), "i", name=name),
    "from_delayed": lambda name: dt.from_delayed(dask.delayed(np.ones)(3), (3,), float, name=name),
}


@pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))
def test_a_name_is_that_of_the_keys_of_blocks(make):
    x = make("my-name")
    assert x.name == "my-name"
    assert {key[0] for key in dask.core.flatten(x.__dask_keys__())} == {"my-name"}
    assert "my-name" in x.dask.layers
    np.testing.assert_array_equal(x.to_dask_array(), make(None))


def test_a_store_is_read_under_a_name(tmp_path):
    dt.arange(6).to_zarr(tmp_path)
    assert dt.from_zarr(tmp_path, name="mine").name == "mine"


def test_a_new_value_has_another_name():
    x = dt.ones(3, name="mine")
    y = x + 1
    x[0] = 2
    assert "mine" not in (x.name, y.name, x.copy().name)


@pytest.mark.parametrize("name", [None, True, False])
def test_what_is_no_text_names_nothing(name):
    assert named(dt.arange(3), name).name == dt.arange(3).name


def test_a_token_is_the_first_word():
    x = dt.arange(6, chunks=3)
    assert x.map_blocks(np.negative, token="less").name.startswith("less-")
    assert dt.reduction(x, np.sum, np.sum, name="total").name.startswith("total-")


def test_a_function_is_the_first_word():
    @takes_name
    def thirds(count):
        return dt.arange(count) / 3

    assert thirds(4).name.startswith("thirds-")
    assert thirds(4, name="mine").name == "mine"
