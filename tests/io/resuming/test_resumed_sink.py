import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.resuming.resumed_sink import (
    refuse_other_write,
    refuse_reading_itself,
    write_identity,
)
from dask_tapestry.io.stores.zarr_location import Location


def identity(path, form="a form", x=None):
    x = dt.asarray(np.ones(3)) if x is None else x
    return write_identity(x.node, (), Location.of(str(path), None, "any"), form)


def test_place_and_encoding_are_parts(tmp_path):
    one = identity(tmp_path / "x")
    assert one == identity(tmp_path / "y" / ".." / "x")
    assert one.differs(identity(tmp_path / "y").as_dict()) == "the place that is written to"
    assert one.differs(identity(tmp_path / "x", "b").as_dict()) == "how it is encoded"


def test_an_array_of_the_write_is_its_own(tmp_path):
    place = Location.of(str(tmp_path / "x"), None, "any")
    sink = dt.to_zarr(np.ones(3), tmp_path / "x", resume=True, compute=False).node.operator
    dt.to_zarr(np.ones(3), tmp_path / "x", resume=True)
    one = identity(tmp_path / "x")
    with pytest.raises(dt.StoreError, match="how it is encoded differs; give overwrite=True"):
        refuse_other_write(place, one)
    assert sink.location.nonce != one.text
    dt.to_zarr(np.ones(3), tmp_path / "x", resume=True, overwrite=True)
    dt.to_zarr(np.ones(3), tmp_path / "x", resume=True)


def test_refusals_say_the_way_out(tmp_path):
    with pytest.raises(dt.ArgumentError, match="write to another place"):
        refuse_reading_itself(Location.of(str(tmp_path), None, "any"))
    with pytest.raises(dt.ArgumentError, match="zip file.*: write to a folder"):  # noqa: RUF043
        dt.to_zarr(np.ones(3), tmp_path / "x.zip", resume=True)
