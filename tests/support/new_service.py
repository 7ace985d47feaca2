"""Runs a small service on loopback that answers the calls of one new endpoint."""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

import suburb_pandas as sp
from suburb_pandas.service import ENDPOINTS, register
from tests.support.common import LIVE_KEY


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = unquote(self.path.split("/")[3])
        self.server.asked.append(name)
        body = self.server.body_about(name)
        self.send_response(200)
        for header, value in {
            "Content-Length": len(body),
            "X-Cost-Cents": self.server.cents,
            "X-Made-Up-Data": "true",
        }.items():
            self.send_header(header, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Print nothing."""


@contextmanager
def buying(endpoint, body_about, store):
    """Register an endpoint, and make a client with a live key of a service that sells it; yield the service.

    ``asked`` lists the suburbs of its calls, and ``body_about`` may be replaced.
    """
    register(endpoint)
    try:
        with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as service:
            service.asked, service.body_about, service.cents = [], body_about, endpoint.cents
            Thread(target=service.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{service.server_address[1]}"
            with sp.connect(api_key=LIVE_KEY, base_url=url, store=store):
                yield service
            service.shutdown()
    finally:
        del ENDPOINTS[endpoint.name]
