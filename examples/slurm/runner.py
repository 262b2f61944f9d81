"""The image job within one allocation: dask-jobqueue's SLURMRunner.

    sbatch examples/slurm/runner.sh /shared/images

`srun` starts this script in each task of the job: the first becomes the scheduler, the second runs
what stands below, all others are workers. The same command again goes on where one was killed.
"""

import argparse
import os
import sys
from pathlib import Path

from dask_jobqueue.slurm import SLURMRunner
from distributed import Client

sys.path.insert(0, str(Path(__file__).parents[1]))
from image_job import build, weights

import dask_tapestry as dt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=1, help="of a worker")
    parser.add_argument("--memory", default="1 GiB", help="of a worker")
    arguments = parser.parse_args()

    # All tasks meet at this file, which lies where every node sees it.
    file = arguments.folder / f"scheduler-{os.environ['SLURM_JOB_ID']}.json"
    worker = {"nthreads": arguments.threads, "memory_limit": arguments.memory}
    with (
        SLURMRunner(scheduler_file=str(file), worker_options=worker) as runner,
        Client(runner) as client,
    ):
        client.wait_for_workers(runner.n_workers)
        sinks = build(arguments.folder, *weights(), resume=True)
        print(dt.plan(*sinks).explain(), flush=True)
        client.gather(client.compute(sinks))
        print("both stores are complete", flush=True)


if __name__ == "__main__":
    main()
