from dask_tapestry.lower import announced
from dask_tapestry.lower.announced import (
    announce,
    announce_here,
    forget,
    met,
    recorded,
    recording,
    taken,
)


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


def test_several_may_meet_a_job_until_it_has_ended():
    later = {**job("mine-5f"), "id": "later"}
    for one in (job("mine-5f"), later):
        announce_here(one)
    assert met({"mine-5f"}) == met({"mine-5f"}) == [later]
    assert met({"other-5f"}) == []
    forget("later")
    assert met({"mine-5f"}) == [job("mine-5f")]
    forget("mine-5f")
    assert met({"mine-5f"}) == []
