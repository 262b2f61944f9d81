from importlib import import_module

from dask_tapestry.teg.stored_names import STORED, stored_name
from dask_tapestry.teg.token import token
from dask_tapestry.zspace import Cuts


def test_a_class_is_written_by_its_name() -> None:
    assert stored_name(Cuts) == "dask_tapestry.zspace.cuts.Cuts"
    assert token(Cuts.regular(4, 2)).startswith("dask_tapestry.zspace.cuts.Cuts(")


def test_renamed_classes_are_there() -> None:
    for name, stored in STORED.items():
        module, _, last = name.rpartition(".")
        assert stored_name(getattr(import_module(module), last)) == stored


def test_no_two_classes_are_written_alike() -> None:
    assert len(set(STORED.values())) == len(STORED)
    assert not set(STORED) & set(STORED.values())
