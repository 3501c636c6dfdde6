"""ZeroMQ as the cluster uses it: addresses, the key, options of sockets."""
from __future__ import annotations

import hashlib
import ipaddress
import os
import socket
import warnings
from typing import Any

from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import TinyflowWarning, misuse, report

__all__ = ['KEY', 'address_of', 'canonical', 'dealer', 'endpoint', 'has_key', 'is_loopback',
           'router', 'warn_without_key', 'zmq_module']

KEY = 'TINYFLOW_CLUSTER_KEY'
_ENDS = 2_000               # milliseconds between heartbeats
_GONE = 10_000              # without one, a connection is closed


def zmq_module() -> Any:
    """The package zmq. ImportError that says how to install it."""
    try:
        import zmq  # optional package
    except ImportError:
        raise misuse(ImportError(
            'Servers need the package pyzmq.\n  Hint: pip install '
            "'tinyflow-graph[cluster]'")) from None
    return zmq


def address_of(target: Any) -> str:
    """'host:port' of a target such as 'grpc://host:port'. Raises NotFoundError for others."""
    text = target.decode() if isinstance(target, bytes) else target
    protocol, mark, address = text.partition('://') if isinstance(text, str) else ('', '', '')
    host, colon, port = address.rpartition(':')
    if not mark or protocol != 'grpc' or not host or not port.isdigit():
        raise misuse(errors.NotFoundError(None, None, (
            f'No session factory registered for the target {target!r}.\n  Hint: '
            "tf.Session('grpc://host:port') with the address of a tf.train.Server, or its "
            '`target`.')))
    return address


def canonical(address: str) -> str:
    """One spelling of an address of this machine's loopback interface."""
    host, _, port = address.rpartition(':')
    return f'127.0.0.1:{port}' if host == 'localhost' else address


def is_loopback(host: str) -> bool:
    """True for the addresses at which only this machine can listen and connect."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == 'localhost'


def endpoint(address: str) -> tuple[str, int]:
    """The IP address and port of 'host:port'. UnavailableError if the host does not resolve."""
    host, colon, port = address.rpartition(':')
    if not colon or not port.isdigit() or int(port) > 65535 or not host.isprintable() or not \
            host or '/' in host or ' ' in host:
        raise misuse(errors.InvalidArgumentError(
            None, None, f'{address!r} is not an address.\n  Hint: host:port, such as '
            'localhost:2222, without grpc:// and without spaces.'))
    if host == 'localhost':
        return '127.0.0.1', int(port)
    try:
        found = socket.getaddrinfo(host.strip('[]'), int(port), type=socket.SOCK_STREAM)
    except OSError as error:
        raise misuse(errors.UnavailableError(None, None, report(
            f'The host of {address!r} is not known: {error.strerror or error}',
            hint='the names in a ClusterSpec are looked up where the task is used; is it '
                 'spelled like that on every machine?'))) from None
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    ip = found[0][4][0]
    return (f'[{ip}]' if ':' in str(ip) else str(ip)), int(port)


def _key_pair() -> tuple[bytes, bytes] | None:
    """(public, secret) keys of servers that know the cluster's key; None without one."""
    text = os.environ.get(KEY)
    if not text:
        return None
    zmq = zmq_module()
    from zmq.utils import z85  # optional package
    secret = z85.encode(hashlib.sha256(b'tinyflow cluster\0' + text.encode()).digest())
    return zmq.curve_public(secret), secret


def _set_options(found: Any) -> None:
    found.linger = 0
    found.sndhwm = found.rcvhwm = 0
    found.ipv6 = True
    found.heartbeat_ivl, found.heartbeat_timeout = _ENDS, _GONE
    found.tcp_keepalive = 1


def router(context: Any) -> Any:
    """The socket of a server."""
    zmq = zmq_module()
    found = context.socket(zmq.ROUTER)
    _set_options(found)
    found.router_mandatory = 1              # a client that is gone is noticed when one sends
    keys = _key_pair()
    if keys is not None:
        found.curve_server = True
        found.curve_publickey, found.curve_secretkey = keys
    return found


def dealer(context: Any) -> Any:
    """The socket of a client, which is not connected yet."""
    zmq = zmq_module()
    found = context.socket(zmq.DEALER)
    _set_options(found)
    found.reconnect_ivl, found.reconnect_ivl_max = 50, 1000
    keys = _key_pair()
    if keys is not None:
        found.curve_serverkey = keys[0]
        found.curve_publickey, found.curve_secretkey = zmq.curve_keypair()
    return found


def has_key() -> bool:
    """True if messages are encrypted, and only those who know the key are heard."""
    return bool(os.environ.get(KEY))


def warn_without_key(address: str) -> None:
    """Warns [cluster-without-key] of a server that others than this machine can reach."""
    warnings.warn(TinyflowWarning(
        f'[cluster-without-key] the server at {address} takes orders from everyone who can reach '
        f'it.\n  Hint: the same {KEY} in the environment of all tasks encrypts messages and keeps '
        'others out; without it, use a network of your own.'), stacklevel=4)
