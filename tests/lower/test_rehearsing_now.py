from dask_tapestry.lower.rehearsing_now import is_rehearsal, rehearsing, tell


def test_the_innermost_is_told():
    found = []
    with rehearsing(lambda *told: found.append(("outer", told))):
        with rehearsing(lambda *told: found.append(("inner", told))):
            tell(1, 2, 3)
        assert is_rehearsal()
    assert found == [("inner", (1, 2, 3))]
    assert not is_rehearsal()
