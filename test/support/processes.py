"""Information from /proc about processes."""
import glob
import os
import re


def runs(process):
    """Whether it has not ended; a zombie has ended."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().split(")")[-1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def resident(process):
    """Resident memory in MiB."""
    with open(f"/proc/{process}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


def listening(processes):
    """The ports at which these processes listen."""
    inodes = set()
    for process in processes:
        for descriptor in glob.glob(f"/proc/{process}/fd/*"):
            try:
                target = os.readlink(descriptor)
            except OSError:
                continue
            if target.startswith("socket:"):
                inodes.add(target[8:-1])
    ports = []
    with open("/proc/net/tcp") as table:
        for row in list(table)[1:]:
            fields = row.split()
            if fields[3] == "0A" and fields[9] in inodes:
                ports.append(int(fields[1].split(":")[1], 16))
    return ports
