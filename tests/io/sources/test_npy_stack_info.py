import pickle

import pytest

import dask_tapestry as dt


class Harmful:
    """Unpickling it would call what it names."""

    def __reduce__(self):
        return print, ("harm",)


@pytest.mark.parametrize("info", [Harmful(), {"chunks": ((1,),)}, 7, b""])
def test_a_description_is_read_without_running_it(tmp_path, info, capsys):
    (tmp_path / "info").write_bytes(info if info == b"" else pickle.dumps(info))
    with pytest.raises(dt.StoreError, match="info"):
        dt.from_npy_stack(tmp_path)
    assert not capsys.readouterr().out
