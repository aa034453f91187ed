"""The shared memory by hand: a rod whose ends are held at 0 and 1; each cell becomes the mean of its neighbours.

python3 memory.py, or mpiexec.mpich -n 4 python3 memory.py, or leeway launch -n 4 -- python3 memory.py
"""
import numpy as np

import leeway as lw

SIZE = 16  # cells of each node


def warm(node):
    cells = node.open(np.float64, SIZE, remote=2)
    left = cells.handles(node.rank - 1, [SIZE - 1]) if node.rank > 0 else None
    right = cells.handles(node.rank + 1, [0]) if node.rank + 1 < node.count else None
    mine = np.zeros(SIZE)
    cells.set_initial(cells.own, mine)
    node.barrier()
    while True:
        before = 0.0 if left is None else cells.fetch(left)[0]
        after = 1.0 if right is None else cells.fetch(right)[0]
        wide = np.concatenate([[before], mine, [after]])
        new = (wide[:-2] + wide[2:]) / 2
        moved = np.flatnonzero(np.abs(new - mine) > 1e-7)
        mine[moved] = new[moved]
        cells.store(moved, mine[moved])
        if node.converged(len(moved) > 0):
            break
    if node.rank == 0:
        print(f"the cells of node 0 have {mine.mean():.3f} degrees on average")


nodes = 4 if lw.place()[1] == 1 else None  # in a job: one node for each process
lw.Cluster(nodes, consistency="rcp+push").run(warm)
