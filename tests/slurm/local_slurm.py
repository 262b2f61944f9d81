"""A real Slurm on this machine alone: one controller, two nodes that it takes to be two machines.

`munged`, `slurmctld` and two `slurmd` run with a configuration of their own in a temporary folder,
without systemd, and end with the ``with`` block. Whoever starts them is their user: root or not.
"""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

COMMANDS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "squeue", "sinfo")
PACKAGES = "apt-get install slurm-wlm munge"
SBIN = "/usr/sbin"
NODES = 2
CPUS = 4  # that a node says it has, however many there are
MEMORY = 4000  # MiB that it says it has
CONFIGURATION = """
ClusterName=local
SlurmctldHost={host}
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SchedulerParameters=sched_interval=2,sched_min_interval=100000
KillWait=5
OverTimeLimit=0
InactiveLimit=0
{nodes}
PartitionName=main Nodes=c[1-{count}] Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> list[str]:
    """Return the programs of Slurm and munge that this machine has not."""
    return [name for name in COMMANDS if _program(name) is None]


def _program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=SBIN)


@contextmanager
def local_slurm(folder: Path) -> Iterator[dict[str, str]]:
    """Run a Slurm of two nodes, all of whose files lie in `folder`; yield its environment."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "state").mkdir(exist_ok=True)
    configuration = folder / "slurm.conf"
    host, ports = socket.gethostname().split(".")[0], _free_ports(1 + NODES)
    nodes = [
        f"NodeName=c{n} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[n]} CPUs={CPUS} "
        f"RealMemory={MEMORY} State=UNKNOWN"
        for n in range(1, NODES + 1)
    ]
    told = {"host": f"{host}(127.0.0.1)", "user": getpass.getuser(), "nodes": "\n".join(nodes)}
    configuration.write_text(CONFIGURATION.format(folder=folder, ports=ports, count=NODES, **told))
    environment = os.environ | {"SLURM_CONF": str(configuration)}
    with ExitStack() as stack:
        stack.enter_context(_munge(folder, environment))
        stack.enter_context(_daemon(["slurmctld", "-D", "-c"], folder, environment))
        for n in range(1, NODES + 1):
            stack.enter_context(_daemon(["slurmd", "-D", "-c", "-N", f"c{n}"], folder, environment))
        _wait_for_nodes(environment, folder)
        try:
            yield environment
        finally:
            subprocess.run(["scancel", "--full", "-u", told["user"]], env=environment, check=False)
            _wait_for_end(environment)


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextmanager
def _munge(folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run munged with a key of its own, in a folder that only its user can enter."""
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    files = {
        "socket": "munge.socket", "key-file": "munge.key", "pid-file": "munge.pid",
        "log-file": "munge.log", "seed-file": "munge.seed",
    }  # fmt: skip
    options = [f"--{name}={folder / file}" for name, file in files.items()]
    with _daemon(["munged", "--foreground", "--force", "--num-threads=2", *options],
                 folder, environment):  # fmt: skip
        _wait_until(lambda: (folder / "munge.socket").exists(), folder, "munged")
        yield


@contextmanager
def _daemon(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run a daemon in the foreground; end it, and whatever it has started, at the end."""
    program = _program(command[0])
    assert program is not None, f"there is no {command[0]}: {PACKAGES}"
    with (folder / f"{'-'.join([command[0], *command[-1:]]).replace('/', '_')[:40]}.out").open(
        "w"
    ) as out:
        process = subprocess.Popen(
            [program, *command[1:]], env=environment, stdout=out, stderr=out, cwd=folder
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for_nodes(environment: dict[str, str], folder: Path) -> None:
    def are_idle() -> bool:
        command = ["sinfo", "-h", "-N", "-o", "%T"]
        found = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
        return found.stdout.split() == ["idle"] * NODES

    _wait_until(are_idle, folder, "the nodes")


def _wait_for_end(environment: dict[str, str]) -> None:
    """Wait until no job is left; those that do not end within seconds lose their nodes."""
    for _ in range(60):
        command = ["squeue", "-h"]
        found = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
        if not found.stdout.strip():
            return
        time.sleep(0.25)


def _wait_until(is_so, folder: Path, what: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            logs = [f"{p.name}: {p.read_text()[-800:]}" for p in sorted(folder.glob("*.log"))]
            raise TimeoutError(f"{what} did not start within {seconds} s\n" + "\n".join(logs))
        time.sleep(0.1)
