"""Problems of a cluster, read from facts of its processes: each one says what to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dask.utils import format_bytes

from dask_tapestry.arrays.jobs.host_facts import Facts
from dask_tapestry.arrays.tuning import CLOCK_SKEW_SECONDS, NEARLY_FULL
from dask_tapestry.planner.tuning import USABLE_MEMORY

EXACT: Final = ("dask", "distributed", "dask_tapestry")  # protocols of which change at any time
IN_MEMORY: Final = ("tmpfs", "ramfs")
OVER_THE_NETWORK: Final = ("beegfs", "ceph", "cifs", "gpfs", "lustre", "nfs", "nfs4", "smb3")
SAME: Final = "install the same versions on all machines, or start workers from one environment"


def version_problems(client: Facts, others: Mapping[str, Facts]) -> tuple[list[str], list[str]]:
    """Versions that differ from the client's: problems, and patch versions as notes.

    Examples
    --------
    >>> here = {"versions": {"python": "3.11.2", "dask": "1"}, "code": "a"}
    >>> there = {"versions": {"python": "3.11.9", "dask": "2"}, "code": "a"}
    >>> version_problems(here, {"w": there})[0][0].partition(";")[0]
    'versions: dask is 1 here and 2 at w'
    """
    problems, notes = list[str](), list[str]()
    for package, own in client["versions"].items():
        there: dict[str, list[str]] = defaultdict(list)
        for name, facts in others.items():
            there[facts["versions"].get(package, "none")].append(name)
        for found, names in there.items():
            if found == own:
                continue
            text = f"versions: {package} is {own} here and {found} at {named(names)}"
            if package in EXACT or series(found) != series(own):
                problems.append(f"{text}; {SAME}")
            else:
                notes.append(text)
    same = {name for name, f in others.items() if f["versions"] == client["versions"]}
    changed = [name for name in others if name in same and others[name]["code"] != client["code"]]
    if changed:
        problems.append(
            f"versions: the files of dask_tapestry at {named(changed)} are not those here, though "
            "the version is; install it again there, or start the workers anew"
        )
    return problems, notes


def series(version: str) -> tuple[str, ...]:
    """A version without its patch.

    Examples
    --------
    >>> series("3.11.2")
    ('3', '11')
    """
    return tuple(version.split(".")[:2])


def named(names: list[str], most: int = 3) -> str:
    """Some of the names, and how many there are more.

    Examples
    --------
    >>> named(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def by_host(workers: Mapping[str, Facts]) -> dict[str, dict[str, Facts]]:
    """Workers by the machine they run on."""
    found: dict[str, dict[str, Facts]] = defaultdict(dict)
    for name, facts in workers.items():
        found[facts["host"]][name] = facts
    return dict(found)


def thread_problems(workers: Mapping[str, Facts]) -> Iterator[str]:
    """More threads than cores: of workers, and of BLAS in each of them."""
    for host, of_host in by_host(workers).items():
        threads = sum(f["threads"] for f in of_host.values())
        cores = max(f["cores"] for f in of_host.values())
        if threads > cores:
            yield (
                f"threads: {host} has {cores} cores and workers with {threads} threads; start "
                f"fewer workers, or with --nthreads {max(1, cores // len(of_host))}"
            )
        for name, facts in of_host.items():
            blas = facts["blas_threads"]
            if facts["threads"] > 1 and blas > 1 and blas * facts["threads"] > cores:
                yield (
                    f"threads: a matrix product at {name} starts {blas} threads, and {name} runs "
                    f"{facts['threads']} tasks at a time; export OMP_NUM_THREADS=1 "
                    "OPENBLAS_NUM_THREADS=1 before it starts (job_script_prologue of dask-jobqueue)"
                )


def memory_problems(workers: Mapping[str, Facts]) -> Iterator[str]:
    """Limits that the machine does not have, that are none, or at which a plan is disturbed."""
    for host, of_host in by_host(workers).items():
        has = min(f["memory"] for f in of_host.values())
        total = sum(f["limit"] for f in of_host.values())
        if total > has:
            what = (
                "lets its processes have" if any(f["cgroup"] for f in of_host.values()) else "has"
            )
            yield (
                f"memory: the workers of {host} may take {format_bytes(total)}, and it {what} "
                f"{format_bytes(has)}; start workers with --memory-limit "
                f'"{format_bytes(has // len(of_host))}", or fewer of them'
            )
    unlimited = [name for name, f in workers.items() if not f["limit"]]
    if unlimited:
        yield (
            f"memory: {named(unlimited)} has no limit, so that plans count on all of its machine; "
            "start workers with --memory-limit"
        )
    for name, facts in workers.items():
        for kind, share in facts["fractions"].items():
            if share is not None and share < least_share(kind):
                yield (
                    f"memory: {name} would {kind} at {share:g} of its memory, and plans fill "
                    f"{USABLE_MEMORY:g}; set distributed.worker.memory.{kind} to "
                    f"{least_share(kind):g} or more, or plan for less with "
                    "dt.config(memory_limit=...)"
                )
                break


def least_share(kind: str) -> float:
    """The share of memory below which no worker should spill, or pause.

    Examples
    --------
    >>> least_share("pause")
    0.8
    """
    return NEARLY_FULL if kind in ("pause", "terminate") else 0.6


def scratch_problems(workers: Mapping[str, Facts]) -> Iterator[str]:
    """Scratch space that is memory, far away, or too little."""
    way = "start workers with --local-directory on a disk of the machine"
    for name, facts in workers.items():
        kind, folder = facts["scratch_kind"], facts["scratch"]
        if kind in IN_MEMORY:
            yield f"scratch: {name} spills to {folder}, which is memory ({kind}); {way}"
        elif kind in OVER_THE_NETWORK:
            yield f"scratch: {name} spills to {folder}, over the network ({kind}); {way}"
        elif facts["scratch_free"] < facts["limit"]:
            yield (
                f"scratch: {name} has {format_bytes(facts['scratch_free'])} left in {folder}, less "
                f"than its memory of {format_bytes(facts['limit'])}; make room, or {way} that has"
            )


def clock_problems(skews: Mapping[str, float]) -> Iterator[str]:
    """Clocks that differ from the client's by more than messages on their way explain."""
    for name, skew in skews.items():
        if abs(skew) > CLOCK_SKEW_SECONDS:
            yield (
                f"clocks: that of {name} is {abs(skew):.1f} s {'ahead' if skew > 0 else 'behind'}; "
                "patience with locks and stores is counted by clocks: have the machine use NTP"
            )


def kinds_of_workers(workers: Mapping[str, Facts]) -> list[str]:
    """What unequal workers mean for plans; nothing where all are alike."""
    kinds: dict[Any, int] = defaultdict(int)
    for facts in workers.values():
        kinds[facts["threads"], facts["limit"]] += 1
    if len(kinds) < 2:
        return []
    told = [
        f"{n} with {threads} threads and {format_bytes(limit)}"
        for (threads, limit), n in sorted(kinds.items(), reverse=True)
    ]
    return [
        f"workers: {len(kinds)} kinds, {', '.join(told)}; a block that may run on any of them is "
        "as small as the smallest worker needs"
    ]
