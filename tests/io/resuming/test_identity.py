import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.resuming.identity import Identity, digest, graph_parts
from dask_tapestry.teg.origin import UnnamedError


def of(*arrays, **options):
    return Identity.of(graph_parts([x.node for x in arrays], **options))


def test_the_same_job_of_other_arrays_in_memory():
    one = of(dt.asarray(np.ones(3)) * 2)
    assert one == of(dt.asarray(np.ones(3)) * 2)
    assert one.text == of(dt.asarray(np.ones(3)) * 2).text
    assert (
        one.differs(of(dt.asarray(np.zeros(3)) * 2).as_dict()) == "the data 0 (memory float64[3])"
    )
    assert one.differs(of(dt.asarray(np.ones(3)) * 3).as_dict()) == "what is computed"


def test_what_is_stored_is_named_by_place_and_stamp(tmp_path):
    dt.to_zarr(dt.ones(3), tmp_path / "x")
    one = of(dt.from_zarr(tmp_path / "x") + 1)
    assert one == of(dt.from_zarr(tmp_path / "x") + 1)
    dt.to_zarr(dt.ones(3), tmp_path / "x", overwrite=True)
    other = of(dt.from_zarr(tmp_path / "x") + 1)
    assert one.differs(other.as_dict()) == "the data 0 (zarr float64[3])"


def test_files_are_named_by_their_stamps(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.ones(3))
    one = of(dt.from_npy(path))
    assert one == of(dt.from_npy(path))
    np.save(path, np.ones(3))
    assert one != of(dt.from_npy(path))
    dt.to_npy_stack(tmp_path / "stack", dt.ones((4, 2)).rechunk(2))
    one = of(dt.from_npy_stack(tmp_path / "stack"))
    assert one == of(dt.from_npy_stack(tmp_path / "stack"))
    np.save(tmp_path / "stack" / "1.npy", np.zeros((2, 2)))
    assert one != of(dt.from_npy_stack(tmp_path / "stack"))


def test_hdf5_must_be_open_to_read_alone(tmp_path):
    h5py = pytest.importorskip("h5py")
    dt.to_hdf5(tmp_path / "x.h5", {"/x": dt.ones(3)})
    with h5py.File(tmp_path / "x.h5", "r") as file:
        assert of(dt.from_array(file["x"])) == of(dt.from_array(file["x"]))
    with (
        h5py.File(tmp_path / "x.h5", "r+") as file,
        pytest.raises(UnnamedError, match="may change: open the file with mode 'r'"),
    ):
        of(dt.from_array(file["x"]))


def test_kept_blocks_are_named_by_their_cells():
    x = dt.asarray(np.arange(6.0))
    assert of((x * 2).persist()) == of((x * 2).persist()) != of((x * 3).persist())


class Opaque:
    shape, dtype = (3,), np.dtype("f8")

    def __getitem__(self, key):
        return np.zeros(3)[key]


class Told(Opaque):
    def __init__(self, version):
        self.version = version

    def __dask_tokenize__(self):
        return self.version


def test_objects_must_say_what_they_are():
    with pytest.raises(UnnamedError, match="object of Opaque has no name: give its class a method"):
        of(dt.from_array(Opaque()))
    assert of(dt.from_array(Told(1))) == of(dt.from_array(Told(1))) != of(dt.from_array(Told(2)))


def test_slots_stand_for_any_data():
    one, other = (dt.asarray(np.full(3, n)) for n in (1.0, 2.0))
    assert of(one + 1, slots=[one.node]) == of(other + 1, slots=[other.node])


def test_a_part_that_is_not_known_is_told():
    one = Identity.of({"a": 1})
    assert one.differs(None) == "a"
    assert one.differs({**one.as_dict(), "b": 2}) == "something that this version does not know"
    assert digest("\ud800") != digest("a")
