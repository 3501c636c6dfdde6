"""Ports of this machine that are free, for the tasks of a cluster that is started here."""
from __future__ import annotations

import random
import socket

__all__ = ['free_ports']

# Below the ports that systems hand out for outgoing connections (from 32768 on Linux): one that is
# found free here is still free when the process that shall listen there has started.
_PORTS = range(20000, 32768)


def free_ports(number) -> list[int]:
    """Different ports of this machine at which nothing listens."""
    found: list[int] = []
    for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
        if len(found) == number:
            break
        with socket.socket() as probe:
            try:
                probe.bind(('127.0.0.1', port))
            except OSError:
                continue
            found.append(port)
    if len(found) < number:
        raise OSError(f'{number} free ports are needed, and {_PORTS} has {len(found)}')
    return found
