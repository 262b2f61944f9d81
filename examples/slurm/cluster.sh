#!/bin/bash
# The scheduler and the script as a small job, which submits the jobs of the workers:
#     sbatch examples/slurm/cluster.sh FOLDER --jobs 16
#SBATCH --job-name=image-job
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --time=01:10:00
#SBATCH --output=%x-%j.log
exec "${PYTHON:-python}" "${EXAMPLES:-examples}/slurm/cluster.py" "$@"
