#!/usr/bin/env python3
"""A client without the job's secret: opens as many connections as it can for SECONDS; prints their number.

usage: stranger.py SEED SECONDS ADDRESS:PORT...
"""
import random
import socket
import sys
import time

draw = random.Random(int(sys.argv[1]))
until = time.monotonic() + float(sys.argv[2])
ends = [(name.split(":")[0], int(name.split(":")[1])) for name in sys.argv[3:]]
GREETING = b"leeway-2" + b"\0" * 32
opened = []
count = 0
while time.monotonic() < until:
    try:
        one = socket.create_connection(draw.choice(ends), timeout=0.3)
        one.settimeout(0.05)
        data = [draw.randbytes(draw.randrange(1, 400)), GREETING, GREETING[:20], b"\0" * 5000, b"", b"GET / HTTP/1.0\r\n\r\n",
                b"\xff" * 256]
        one.send(draw.choice(data))
        opened.append(one)
        count += 1
    except OSError:
        pass
    if len(opened) > 100:
        for one in opened[:50]:
            one.close()
        del opened[:50]
    time.sleep(0.001)
print(count)
