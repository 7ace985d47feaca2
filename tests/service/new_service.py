"""Runs a small service on loopback that answers the calls of one new endpoint."""

from contextlib import contextmanager
from urllib.parse import unquote

import suburb_pandas as sp
from suburb_pandas.service import ENDPOINTS, register
from tests.support.common import LIVE_KEY
from tests.support.raw_server import Server, whole


class NewService(Server):
    """A service that sells one endpoint. ``asked`` lists the suburbs of its calls; ``body_about`` may be replaced."""

    def __init__(self, endpoint, body_about):
        super().__init__(self.answer)
        self.body_about, self.asked = body_about, []
        self.headers = f"X-Cost-Cents: {endpoint.cents}", "X-Made-Up-Data: true"

    def answer(self, connection):
        """Answer the last call that arrived."""
        path = self.received[-1].split()[1].decode()
        self.asked.append(unquote(path.split("/")[3]))
        whole(self.body_about(self.asked[-1]), *self.headers)(connection)


@contextmanager
def buying(endpoint, body_about, store):
    """Register an endpoint, and connect to a service that sells it, with a live key; yield the service."""
    register(endpoint)
    service = NewService(endpoint, body_about)
    try:
        with sp.connect(api_key=LIVE_KEY, base_url=service.url, store=store, max_workers=1):
            yield service
    finally:
        del ENDPOINTS[endpoint.name]
        service.listener.close()
