from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import dask_tapestry
from dask_tapestry.operators.views.permute import Permute
from dask_tapestry.teg.stored_names import CHAPTERS, STORED, stored_name
from dask_tapestry.teg.token import token
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from dask_tapestry_kernels.parameters.region_tiles import Tiled
from dask_tapestry_kernels.parameters.splines import Spline, SplineAxis


def test_a_class_is_written_by_its_name() -> None:
    assert stored_name(Cuts) == "dask_tapestry.zspace.cuts.Cuts"
    assert token(Cuts.regular(4, 2)).startswith("dask_tapestry.zspace.cuts.Cuts(")


def in_chapters() -> dict[str, str]:
    """Modules of packages with chapters, by their names without these."""
    root = Path(dask_tapestry.__file__).parent
    paths = [path for package in CHAPTERS for path in (root / package).glob("*/[!_]*.py")]
    names = [
        ".".join(("dask_tapestry", *path.relative_to(root).with_suffix("").parts)) for path in paths
    ]
    flat = {".".join((*name.split(".")[:2], name.split(".")[3])): name for name in names}
    assert len(flat) == len(names)  # or two classes might be written alike
    return flat


def module_of(name: str) -> ModuleType:
    return import_module(in_chapters().get(name, name))


def test_renamed_classes_are_there() -> None:
    for name, stored in STORED.items():
        module, _, last = name.rpartition(".")
        assert stored_name(getattr(module_of(module), last)) == stored


def test_chapters_are_not_written() -> None:
    assert stored_name(Permute) == "dask_tapestry.operators.permute.Permute"


def test_no_two_classes_are_written_alike() -> None:
    assert len(set(STORED.values())) == len(STORED)
    assert not set(STORED) & set(STORED.values())


PARAMETERS = {
    "Spline((9,),0,3,'mirror',0.0,)": Spline((9,), 0, 3, "mirror", 0.0),
    "SplineAxis(9,0,None,None,False,0,1,)": SplineAxis(9),
    "Tiled((4,3,),(2,),2,)": Tiled((4, 3), (2,), 2),
    "OutputShape('q',<f8,(OutputAxis(0,2,),),)": OutputShape(
        "q", np.dtype("f8"), (OutputAxis(0, 2),)
    ),
}


@pytest.mark.parametrize("stored", PARAMETERS)
def test_parameters_of_kernels_are_written_without_their_module(stored: str) -> None:
    assert token(PARAMETERS[stored]) == stored
