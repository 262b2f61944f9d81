"""Reports of jobs as a scheduler makes them, for tests of how they are shown."""


def step(name="sum", done=1, tasks=4, **measured):
    told = {
        "tasks": tasks, "done": done, "running": 1 if done < tasks else 0, "memory": done,
        "erred": 0, "open": tasks - done, "runs": done, "compute": 1.0 * done, "transfer": 0.0,
        "bytes": 100 * done, "start": 1.0, "stop": 3.0, "peak": 1000,
    }  # fmt: skip
    return {
        "name": f"{name}-5f", "words": name, "line": "job.py:6", "type": "float64[4]",
        "grid": "[4x1]", "blocks": tasks, "seconds": 8.0, "result": 400, "read": 10,
        "moved": 0, "written": 0,
        "kinds": {"compute": 1.0, "network": 0.0, "store": 7.0, "tasks": 0.0}, "work": 800,
        "slices": [], "reads": [], "measured": {**told, **measured},
    }  # fmt: skip


def job(*steps, state="running"):
    return {
        "id": "run", "plan": "5f", "made": 0.0, "title": "sum · job.py:6", "workers": 2,
        "threads": 1, "memory": 10**9, "bound": 2000, "seconds": sum(s["seconds"] for s in steps),
        "steps": list(steps), "also": [], "begin": 1.0, "end": 0.0, "now": 5.0, "state": state,
        "by_worker": {"tcp://a": {"peak": 3000, "grown": 1000, "limit": 10**9}},
    }  # fmt: skip


def report(*jobs, **now):
    return {"now": 5.0, "threads": 2, "busy": 2, "fullest": 0.1, "jobs": list(jobs), **now}
