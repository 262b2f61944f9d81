from dask_tapestry.lower.dry_run_state import is_rehearsal, rehearsing, report_plan


def test_the_innermost_is_told():
    found = []
    with rehearsing(lambda *told: found.append(("outer", told))):
        with rehearsing(lambda *told: found.append(("inner", told))):
            report_plan(1, 2, 3)
        assert is_rehearsal()
    assert found == [("inner", (1, 2, 3))]
    assert not is_rehearsal()
