"""One answer by SciPy about the graph in a folder, for bench-peers.

usage: scipy_peer.py FOLDER QUESTION NUMBER

FOLDER has the arrays offsets (64 bits), targets (32 bits) and perhaps weights (doubles) of the graph's adjacency lists. QUESTION is
pagerank (NUMBER: iterations), distances (NUMBER: source) or components. Writes a double per vertex to FOLDER/result and prints the seconds of the
algorithm, without those for its matrices.
"""
import os
import sys
import time

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra

DAMPING = 0.85


def pagerank(matrix, iterations):
    count = matrix.shape[0]
    degrees = np.diff(matrix.indptr)
    scale = np.divide(1.0, degrees, out=np.zeros(count), where=degrees > 0)
    shares = csr_matrix((np.repeat(scale, degrees), matrix.indices, matrix.indptr), shape=matrix.shape).T.tocsr()
    begun = time.perf_counter()
    ranks = np.full(count, 1.0 / count)
    for _ in range(iterations):
        spread = DAMPING * ranks[degrees == 0].sum() / count
        ranks = DAMPING * (shares @ ranks) + (1 - DAMPING) / count + spread
    return ranks, begun


def main(folder, question, number):
    offsets = np.fromfile(os.path.join(folder, "offsets"), dtype=np.uint64).astype(np.int64)
    targets = np.fromfile(os.path.join(folder, "targets"), dtype=np.uint32).astype(np.int32)
    if os.path.exists(os.path.join(folder, "weights")) and question == "distances":
        weights = np.fromfile(os.path.join(folder, "weights"))
    else:
        weights = np.ones(len(targets))
    count = len(offsets) - 1
    matrix = csr_matrix((weights, targets, offsets), shape=(count, count))
    if question == "pagerank":
        result, begun = pagerank(matrix, number)
    elif question == "distances":
        begun = time.perf_counter()
        result = dijkstra(matrix, indices=number)
    else:
        begun = time.perf_counter()
        result = connected_components(matrix, connection="weak")[1]
    seconds = time.perf_counter() - begun
    result.astype(np.float64).tofile(os.path.join(folder, "result"))
    print(seconds)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
