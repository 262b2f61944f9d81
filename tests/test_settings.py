from functools import partial
from math import inf, nan

import dask.config
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.machine.resources import current
from dask_tapestry.settings import DEFAULTS, setting


def test_every_setting_has_a_value():
    for name in set(DEFAULTS) - {"rates", "keep-plans"}:
        assert setting(name) == DEFAULTS[name]
    assert (DEFAULTS["rates"], setting("rates")) == ("measured", "shipped")  # see /conftest.py
    assert (DEFAULTS["keep-plans"], setting("keep-plans")) == (True, False)


def test_a_setting_holds_inside_a_with_block():
    before = setting("max-tasks")
    with dt.config(max_tasks=7, memory_limit="1 GiB"):
        assert (setting("max-tasks"), setting("memory-limit")) == (7, "1 GiB")
        with dt.config(max_tasks=8):
            assert setting("max-tasks") == 8
        assert setting("max-tasks") == 7
    assert setting("max-tasks") == before


def test_dasks_own_configuration_works_too():
    with dask.config.set({"tapestry.memory-limit": 1000}):
        assert setting("memory-limit") == 1000
        with pytest.raises(dt.MemoryLimitError):
            dt.plan(dt.ones(10**6)).verify()
    with dask.config.set({"tapestry.max_tasks": 3}):
        assert setting("max-tasks") == 3


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("max_task", "max_tasks"), ("memry_limit", "memory_limit"), ("scheduler", None)],
)
def test_a_setting_that_does_not_exist(wrong, meant):
    hint = f"; did you mean '{meant}'" if meant else ""
    text = rf"config has no argument '{wrong}'{hint}.*; there are algebra, .* max_tasks"
    with pytest.raises(dt.ArgumentTypeError, match=text):
        dt.config(**{wrong: 1})


WRONG = {
    "resources": [4, "many", {"workers": 0}, {"worker": 4}, {"workers": 1.5}],
    "memory-limit": [-1, 0, "many", nan, True, [1]],
    "max-tasks": [-1, 0, 1.5, "x", None, nan],
    "block-bytes": [-1, 0, "x", nan, inf, True],
    "kept-memory": [-1, "x", nan, "-1 GB"],
    "relax-placement": ["yes", None, 2],
    "resume": ["yes", 2],
    "walltime": ["soon", 0, -1, "00:00:00", "1:2:3:4", "1:x", True],
    "line-numbers": ["yes", None, 0.5],
    "host-parts": ["auto", None, 2],
    "rules": ["module:name", 4, [4], [None]],
    "mutators": ["module:name", 4, [4]],
    "keep-plans": ["yes", None],
    "rates": [4, None, {"network": "fast"}, {"nothing": 1}, "nowhere.json"],
    "device": ["gpu", "cuda:", "cuda:x", 1, True],
    "temporary-store": ["", " ", 4, True, ["/scratch"]],
    "algebra": ["", "faster", None, True],
}


def test_every_setting_is_given_wrong_values_here():
    assert set(WRONG) == set(DEFAULTS)


@pytest.mark.parametrize(("key", "wrong"), [(key, w) for key in WRONG for w in WRONG[key]])
def test_a_value_that_a_setting_does_not_take(key, wrong):
    with pytest.raises(dt.TapestryError) as error:
        dt.config(**{key.replace("-", "_"): wrong})
    assert isinstance(error.value, TypeError | ValueError)
    with dask.config.set({f"tapestry.{key}": wrong}), pytest.raises(type(error.value)) as again:
        _in_force(key)
    assert str(again.value) == str(error.value)


@pytest.mark.parametrize("key", ["max-tasks", "memory-limit", "line-numbers"])
def test_the_environment_is_checked_too(key):
    name = "DASK_TAPESTRY__" + key.upper().replace("-", "_")
    wrong = pytest.raises(dt.TapestryError, match=f"^{key.replace('-', '_')} must be .*'many'")
    with dask.config.set(dask.config.collect(paths=[], env={name: "many"})), wrong:
        _in_force(key)


def _in_force(key):
    """What the library does with a setting."""
    return {"resources": current}.get(key, partial(setting, key))()


def test_lines_of_the_user_are_kept_unless_not():
    assert __file__ in dt.full(11, 0.1101).node.line  # of which no test has another
    with dt.config(line_numbers=False):
        assert dt.full(12, 0.1201).node.line is None


def test_block_bytes_are_what_blocks_aim_at():
    x = dt.placeholder((10**6, 100), "f4")
    for block in ("4 MB", "40 MB"):
        with dt.config(block_bytes=block):
            plan = dt.plan(x + 1, resources=dt.Resources(memory="8 GiB", threads=1))
        assert (
            dask.utils.parse_bytes(block) / 4 < plan.core.steps[plan.core.graph.roots[0]].needs.work
        )
        assert plan.core.steps[plan.core.graph.roots[0]].needs.work <= dask.utils.parse_bytes(block)
