#!/bin/sh
# A Slurm job of four nodes with one process each: sbatch slurm.sh [GRAPH]
#SBATCH --job-name=leeway
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=01:00:00
#SBATCH --signal=USR1@120        # a snapshot two minutes before the time limit

graph=${1:-kron:20}
# If the time was too short, the same sbatch again continues from the newest snapshot. For another computation, remove
# the folder snapshots first: --resume refuses snapshots of another graph or program.
set --
if leeway snapshot info snapshots >/dev/null 2>&1; then set -- --resume snapshots; fi
srun --mpi=pmi2 leeway run pagerank "$graph" --threads 16 --consistency rcp+push \
  --snapshot snapshots "$@" --out ranks.npz --report report.json
