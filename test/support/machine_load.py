"""How much longer operations may take now than on a quiet machine."""
import os
import time


def slack():
    """1 on a quiet machine; otherwise the maximum of two factors: elapsed time of a fixed computation divided by its
    processor time, and the number of processes per core in the last minute."""
    used, began = time.process_time(), time.monotonic()
    while time.process_time() - used < 0.1:
        pass
    stretched = (time.monotonic() - began) / 0.1
    return max(1.0, stretched, os.getloadavg()[0] / len(os.sched_getaffinity(0)))
