"""What Linux tells of a running process: memory, handles, threads, processor time, bytes read."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def _status(pid: int, name: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def memory(pid: int) -> float:
    """Resident memory in MB."""
    return _status(pid, "VmRSS")


def peak(pid: int) -> float:
    """The most resident memory there was, in MB."""
    return _status(pid, "VmHWM")


def handles(pid: int) -> int:
    """Open file handles."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid: int) -> int:
    """Threads."""
    return len(os.listdir(f"/proc/{pid}/task"))


def seconds(pid: int) -> float:
    """Processor seconds used, by all threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def bytes_read(pid: int | str = "self") -> int:
    """Bytes read with system calls, from anything."""
    for line in Path(f"/proc/{pid}/io").read_text().splitlines():
        if line.startswith("rchar:"):
            return int(line.split()[1])
    return 0


def rest(pid: int, timeout: float = 120.0) -> float:
    """Wait until a process hardly uses the processor any more; how long that took, in seconds."""
    start = time.perf_counter()
    used = seconds(pid)
    while time.perf_counter() - start < timeout:
        time.sleep(1.0)
        before, used = used, seconds(pid)
        if used - before <= 0.03:
            break
    return time.perf_counter() - start
