import pytest

from dask_tapestry.arrays.core.late_names import late_names


def test_names_come_from_the_folder_for_compatibility():
    assert late_names("linalg", ["tsqr"])("tsqr").__module__.endswith("dask_factor_names")


@pytest.mark.parametrize(
    ("name", "message"),
    [("tsq", "dt.linalg has no attribute 'tsq'; did you mean 'tsqr'?"), ("_x", "attribute '_x'$")],
)
def test_others_are_refused(name, message):
    with pytest.raises(AttributeError, match=message):
        late_names("linalg", ["tsqr"])(name)
