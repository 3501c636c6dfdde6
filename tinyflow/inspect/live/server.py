"""LiveServer: serves a page on this machine, and how the training goes while it is open.

It runs in threads of the training's process, which never wait for it: a browser that is slow, gone
or broken costs the training nothing but the time to write what was asked for.
"""
from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tinyflow.graph.support.errors import misuse

__all__ = ['LiveServer']

_HOST = '127.0.0.1'


class LiveServer:
    """Answers at `url`, on loopback only, to those who know the secret in its path.

    `page` returns the HTML, `state` what has become known since then, as plain JSON data; both are
    called in a thread of the server. OSError if the port is in use; 0 is any free one.
    """

    def __init__(self, page: Callable[[], str], state: Callable[[], dict[str, Any]],
                 port: int = 0) -> None:
        self._page, self._state = page, state
        self._secret = secrets.token_urlsafe(9)
        try:
            self._server = _Server((_HOST, port), _handler_of(self))
        except OSError as error:
            raise misuse(OSError(
                f'Could not serve the page at {_HOST}:{port}: {error.strerror}.\n  Hint: another '
                'program uses the port; 0 is any free one.')) from None
        self._host = f'{_HOST}:{self._server.server_port}'
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True,
                                        name='tinyflow live page')
        self._thread.start()

    @property
    def url(self) -> str:
        """The page's address."""
        return f'http://{self._host}/{self._secret}/'

    def answer(self, path: str, host: str | None) -> tuple[int, str, bytes]:
        """(status, type, body) of a request.

        A page of another site may send requests here, under a name of its own for this address:
        `host` must be the address itself.
        """
        if host != self._host:
            return 403, 'text/plain', b'wrong host'
        if path == f'/{self._secret}/':
            return 200, 'text/html; charset=utf-8', self._page().encode()
        if path == f'/{self._secret}/state':
            return 200, 'application/json', json.dumps(self._state()).encode()
        return 404, 'text/plain', b'not found'

    def close(self) -> None:
        """Ends the server; pages that are open say so, and keep what they have."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = False

    def handle_error(self, request, client_address):
        """Nothing: a browser that went away is none of the training's business."""


def _handler_of(live: LiveServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 30

        def do_GET(self):               # noqa: N802 - the name that http.server calls
            try:
                status, kind, body = live.answer(self.path, self.headers.get('Host'))
            except Exception as error:                  # noqa: BLE001 - reported to the page
                status, kind, body = 500, 'text/plain', f'{type(error).__name__}: {error}'.encode()
            self.send_response(status)
            self.send_header('Content-Type', kind)
            self.send_header('Content-Length', str(len(body)))
            self.send_header('Cache-Control', 'no-store')
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            """Nothing: the terminal is the training's."""
    return Handler
