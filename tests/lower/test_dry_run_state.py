from dask_tapestry.lower.dry_run_state import dry_run, is_dry_run, report_plan


def test_the_innermost_is_told():
    found = []
    with dry_run(lambda *told: found.append(("outer", told))):
        with dry_run(lambda *told: found.append(("inner", told))):
            report_plan(1, 2, 3)
        assert is_dry_run()
    assert found == [("inner", (1, 2, 3))]
    assert not is_dry_run()
