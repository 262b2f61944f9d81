"""A result of the machine benchmark, as its JSON is read."""

ROWS = [
    {
        "name": "image",
        "seconds": {"copy": 0.05, "dask_tapestry": 0.1, "NumPy": 0.2, "JAX": 0.05},
        "memory_bound": True,
        "without": {"numexpr": "not one of its expressions"},
    },
    {
        "name": "sort",
        "seconds": {"copy": 0.05, "dask_tapestry": 0.1, "NumPy": 0.8},
        "memory_bound": False,
        "without": {"JAX": "slow"},
    },
]
RESULT = {
    "command": "python benchmarks/machine.py",
    "date": "2026-11-20",
    "scale": 0.25,
    "commit": "0123456789abcdef",
    "commit_time": 1_795_181_173_000,
    "hardware": {
        "architecture": "x86_64",
        "cores": 2,
        "cpu": "AMD EPYC",
        "memory": 24 * 2**30,
        "python": "3.11.7",
        "system": "Linux",
    },
    "versions": {"numpy": "2.4.6"},
    "peers": ["dask_tapestry", "NumPy", "JAX"],
    "rows": ROWS,
    "first_calls": [
        {"name": "sort", "peer": "NumPy", "first": 0.2, "second": 0.1, "later": 0.0012},
        {"name": "sort", "peer": "JAX", "error": "no module"},
    ],
    "memory": [{"name": "sort", "inputs": 160e6, "results": 160e6, "above": 12e6}],
}
