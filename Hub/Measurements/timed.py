"""Runs a command, and prints its seconds, its largest resident memory and the largest anonymous part of that, in MB, on the last line."""

import re
import subprocess
import sys
import time

start = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
anonymous = resident = 0
while process.poll() is None:
    try:
        with open(f"/proc/{process.pid}/status") as file:
            status = file.read()
    except OSError:
        break
    # In KiB; both are gone from the file of a process that has just ended.
    now = re.search(r"RssAnon:\s+(\d+)", status)
    peak = re.search(r"VmHWM:\s+(\d+)", status)
    anonymous = max(anonymous, int(now.group(1)) if now else 0)
    resident = max(resident, int(peak.group(1)) if peak else 0)
    time.sleep(0.005)
code = process.wait()
print(f"{time.monotonic() - start:.2f} {resident * 1024 / 1e6:.0f} {anonymous * 1024 / 1e6:.0f}")
sys.exit(code)
