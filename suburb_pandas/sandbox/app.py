"""Answers requests: checks each one and builds its response.

Owns the order of the checks: path, method, fault, key, the names that the key may read, the name itself, the wallet.
The data is left to `series`, `premiums` and `geocode`, keys and wallets to `accounts`, the choice of a fault to
`adversary.script`, sending to `adversary.delivery`.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from suburb_pandas.sandbox import accounts, geocode, oddities, premiums, routes, series
from suburb_pandas.sandbox.accounts import Accounts, Charge, LoggedRequest
from suburb_pandas.sandbox.adversary import faults
from suburb_pandas.sandbox.adversary.faults import BEFORE_BILLING, Fault
from suburb_pandas.sandbox.adversary.script import CannedAnswer, FaultCue, Script
from suburb_pandas.sandbox.answers import Answer, answer, common_headers, error, request_id
from suburb_pandas.sandbox.country import BY_NAME
from suburb_pandas.sandbox.routes import Request

_QUERY_MISSING = [{"type": "missing", "loc": ["query", "q"], "msg": "Field required", "input": None}]


@dataclass(frozen=True)
class Outcome:
    """A response, the fault to deliver it with, and how long that fault takes in seconds."""

    answer: Answer
    fault: Fault | None = None
    seconds: float = 0.0


class App:
    """The service without its server.

    Parameters
    ----------
    accounts
        Wallets, counts and the log of requests.
    script
        The faults and canned responses to come.
    latency_ms
        The delay before each call is answered, in milliseconds.
    """

    def __init__(self, accounts: Accounts, script: Script, latency_ms: float = 0) -> None:
        self.accounts = accounts
        self.script = script
        self._latency = latency_ms / 1000

    def respond(self, environ: Mapping[str, Any]) -> Outcome:
        """Answer the request in a WSGI environment, and log it unless it asks for the tally."""
        request = routes.read(environ)
        if request.target.partition("?")[0] == routes.TALLY_PATH:
            return Outcome(answer(request.target, 200, self.accounts.tally()))
        with self.accounts.in_progress():
            outcome = self._outcome(request)
            authorization, status = "HTTP_AUTHORIZATION" in environ, outcome.answer.status
            self.accounts.log(LoggedRequest(request.method, request.target, status, authorization, outcome.fault))
        return outcome

    def _outcome(self, request: Request) -> Outcome:
        if not request.endpoint:
            return Outcome(error(request.target, 404, "Not Found"))
        if request.method != "GET":
            return Outcome(error(request.target, 405, "Method Not Allowed", {"Allow": "GET"}))
        time.sleep(self._latency)
        cue = self.script.fault(request)
        if cue is None:
            return Outcome(self._answer(request))
        return self._faulty(request, cue)

    def _faulty(self, request: Request, cue: FaultCue) -> Outcome:
        """Answer a request that gets a fault."""
        if cue.fault == Fault.LATENCY:
            self.script.wait(cue.seconds)
        if cue.fault in BEFORE_BILLING:
            response = faults.failure(cue.fault, request.target)
        else:
            response = faults.spoil(cue.fault, self._answer(request), request.target)
        return Outcome(response, cue.fault, cue.seconds)

    def _answer(self, request: Request) -> Answer:
        """Build the response that a request gets without faults, and charge for it."""
        if not accounts.is_known(request.key):
            return error(request.target, 401, "Missing or unknown API key")
        canned = self.script.canned(request)
        if canned:
            return self._canned(request, canned)
        return _refusal(request) or self._metered(request, answer(request.target, 200, _payload(request)))

    def _canned(self, request: Request, canned: CannedAnswer) -> Answer:
        """Build the response that a test has written, and charge for it if the test says so."""
        response = Answer(canned.status, common_headers(request.target), canned.body)
        return (self._metered(request, response) if canned.billed else response).with_headers(canned.headers)

    def _metered(self, request: Request, response: Answer) -> Answer:
        """Charge for a response and add its metering headers, or return a 402 if the wallet cannot pay."""
        charge = self.accounts.charge(request.key, request.endpoint, request.name)
        if charge is None:
            return error(request.target, 402, "Wallet empty")
        return response.with_headers(_metering(request.target, charge))


def _refusal(request: Request) -> Answer | None:
    """Return the error for this name under this key, or None if there is nothing wrong."""
    if request.endpoint == "geocode":
        return None if request.name else error(request.target, 422, _QUERY_MISSING)
    if not accounts.may_read(request.key, request.name):
        return error(request.target, 403, "This key does not cover that suburb")
    if request.name not in BY_NAME:
        return error(request.target, 404, "No suburb has exactly this name")
    return None


def _payload(request: Request) -> dict[str, Any]:
    """Return the JSON of a response with status 200."""
    if request.endpoint == "geocode":
        return {"data": geocode.candidates(request.name, request.state)}
    reason = oddities.reason_for_none(request.endpoint, request.name)
    if reason:
        return {"data": None, "available": False, "reason": reason, "message": oddities.MESSAGES[reason]}
    suburb = BY_NAME[request.name]
    return {"data": series.rents(suburb) if request.endpoint == "rent" else premiums.impacts(suburb)}


def _metering(target: str, charge: Charge) -> dict[str, str]:
    """Build the headers with the cost of a call. Each paid call also gets a request id of its own."""
    return {
        "X-Cost-Cents": str(charge.cents),
        "X-Spent-Cents": str(charge.spent),
        "X-Remaining-Cents": str(charge.remaining),
        "X-Balance-Cents": str(charge.remaining),
        "X-Rate-Card-Version": "1",
        "X-Period-End": "2026-04-30T23:59:59Z",
        "X-Request-Id": request_id(target, charge.number),
    }
