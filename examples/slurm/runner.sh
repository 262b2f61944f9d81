#!/bin/bash
# All of a job in one allocation: a task for the scheduler, one for the script, the rest workers.
#     sbatch --ntasks=18 examples/slurm/runner.sh FOLDER --threads 8 --memory "60 GiB"
#SBATCH --job-name=image-job
#SBATCH --ntasks=4
#SBATCH --mem=3G
#SBATCH --time=01:00:00
#SBATCH --output=%x-%j.log
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec srun "${PYTHON:-python}" "${EXAMPLES:-examples}/slurm/runner.py" "$@"
