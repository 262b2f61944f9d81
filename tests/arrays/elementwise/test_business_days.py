import datetime

import numpy as np
import pytest

import dask_tapestry as dt

DAYS = np.array(["2026-01-02", "2026-01-03", "2026-01-05", "2026-02-07"], "M8[D]")
WITH_NONE = np.append(DAYS, np.datetime64("NaT"))
CALLS = {
    "is": lambda xp, a: xp.is_busday(a),
    "holidays": lambda xp, a: xp.is_busday(a, holidays=["2026-01-02"]),
    "week": lambda xp, a: xp.is_busday(a, weekmask="Sat Sun"),
    "calendar": lambda xp, a: xp.is_busday(a, busdaycal=np.busdaycalendar("1000001")),
    "count": lambda xp, a: xp.busday_count(a, "2026-03-01"),
    "forward": lambda xp, a: xp.busday_offset(a, 1, roll="forward"),
    "several": lambda xp, a: xp.busday_offset(a, np.array([[1], [-2]]), roll="backward"),
    "raises": lambda xp, a: np.asarray(xp.busday_offset(a, 1)),
    "both": lambda xp, a: xp.is_busday(a, "1000000", busdaycal=np.busdaycalendar("1000001")),
    "text": lambda xp, a: xp.datetime_as_string(a),
    "text of days": lambda xp, a: xp.datetime_as_string(a, unit="D"),
    "text in UTC": lambda xp, a: xp.datetime_as_string(a, timezone="UTC"),
}
GIVEN = [
    DAYS, DAYS.reshape(2, 2), DAYS[:0], DAYS.astype("M8[s]"), DAYS.astype("M8[M]"), np.arange(3),
    "2026-01-05", ["2026-01-05"], datetime.date(2026, 1, 5), WITH_NONE,
]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("number", range(len(GIVEN)))
def test_days_are_numpys(name, number):
    given = GIVEN[number]
    ours = dt.asarray(given) if isinstance(given, np.ndarray) else given
    try:
        expected = np.asarray(CALLS[name](np, given))
    except (TypeError, ValueError) as error:
        with pytest.raises(TypeError if isinstance(error, TypeError) else ValueError):
            np.asarray(CALLS[name](dt, ours))
        return
    found = np.asarray(CALLS[name](dt, ours))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_errors():
    with pytest.raises(ValueError, match="name the unit"):
        dt.datetime_as_string(dt.asarray(DAYS), unit="auto")
    with pytest.raises(TypeError, match="integers"):
        dt.busday_offset(dt.asarray(DAYS), 1.5)
