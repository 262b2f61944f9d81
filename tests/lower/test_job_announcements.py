from dask_tapestry.lower import job_announcements
from dask_tapestry.lower.job_announcements import (
    announce,
    announce_here,
    forget,
    peek_announced,
    recorded,
    recording,
    take_announced,
)


def job(name):
    return {"id": name, "steps": [{"name": name}]}


def test_a_job_is_taken_once_by_who_has_its_groups():
    announce_here(job("mine-5f"))
    assert take_announced({"other-5f"}) == []
    assert take_announced({"mine-5f": object()}) == [job("mine-5f")]
    assert take_announced({"mine-5f"}) == []


def test_what_nobody_takes_is_forgotten():
    for number in range(2 * job_announcements.JOBS_WAITING):
        announce(job(f"lost-{number}"))
    assert len(job_announcements._waiting) == job_announcements.JOBS_WAITING
    announce(None)
    assert len(job_announcements._waiting) == job_announcements.JOBS_WAITING
    job_announcements._waiting.clear()


def test_recorders_are_counted():
    assert not recorded()
    with recording(1), recording(2):
        assert recorded()
    assert not recorded()


def test_several_may_meet_a_job_until_it_has_ended():
    later = {**job("mine-5f"), "id": "later"}
    for one in (job("mine-5f"), later):
        announce_here(one)
    assert peek_announced({"mine-5f"}) == peek_announced({"mine-5f"}) == [later]
    assert peek_announced({"other-5f"}) == []
    forget("later")
    assert peek_announced({"mine-5f"}) == [job("mine-5f")]
    forget("mine-5f")
    assert peek_announced({"mine-5f"}) == []
