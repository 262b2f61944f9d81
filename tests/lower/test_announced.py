from dask_tapestry.lower import announced
from dask_tapestry.lower.announced import announce, announce_here, recorded, recording, taken


def job(name):
    return {"id": name, "steps": [{"name": name}]}


def test_a_job_is_taken_once_by_who_has_its_groups():
    announce_here(job("mine-5f"))
    assert taken({"other-5f"}) == []
    assert taken({"mine-5f": object()}) == [job("mine-5f")]
    assert taken({"mine-5f"}) == []


def test_what_nobody_takes_is_forgotten():
    for number in range(2 * announced.WAITING):
        announce(job(f"lost-{number}"))
    assert len(announced._waiting) == announced.WAITING
    announce(None)
    assert len(announced._waiting) == announced.WAITING
    announced._waiting.clear()


def test_recorders_are_counted():
    assert not recorded()
    with recording(1), recording(2):
        assert recorded()
    assert not recorded()
