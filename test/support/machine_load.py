"""How much longer than on a quiet machine something may take at this minute."""
import os
import time


def slack():
    """1 on a quiet machine; else how much longer a fixed piece of work takes now than it uses the processor, or how
    many processes there were for each core in the last minute, whichever is more."""
    used, began = time.process_time(), time.monotonic()
    while time.process_time() - used < 0.1:
        pass
    stretched = (time.monotonic() - began) / 0.1
    return max(1.0, stretched, os.getloadavg()[0] / len(os.sched_getaffinity(0)))
