"""How much longer than on a quiet machine something may take."""
import os


def slack():
    """1 on a quiet machine; else how many processes there were for each core in the last minute."""
    return max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))
